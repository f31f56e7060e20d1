"""Kernels of histories: what may be chosen, what was chosen, and how well each predicts revisions left out.

The one module that reads and writes `Series.kernel` and the result of a comparison.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from pydantic import TypeAdapter

from analytics.histories.history import fit, predict
from analytics.histories.posteriors import leave_one_out
from analytics.histories.settings import Kernel
from dashboard.models import Job, System
from dashboard.selectors.histories.fits import HistoryCurve, band_rows, fitted_history
from dashboard.selectors.histories.rows import BROWNIAN, BandRow, KernelChoice
from dashboard.selectors.job_columns import JobRequest, asked_with

NAMES = {
    Kernel.BROWNIAN: "Brownian motion",
    Kernel.MATERN32: "Matérn 3/2",
    Kernel.MATERN52: "Matérn 5/2",
    Kernel.RBF: "RBF",
    Kernel.EXPONENTIAL: "exponential",
    Kernel.LINEAR: "linear",
}
# What is compared unless other sums are asked for: each alone, and a line with what strays from it.
STANDARD: tuple[tuple[Kernel, ...], ...] = (
    *((kernel,) for kernel in NAMES),
    (Kernel.RBF, Kernel.LINEAR),
    (Kernel.EXPONENTIAL, Kernel.LINEAR),
)
# A thin line needs no more places than these.
_PLACES = 160
_CHOICE: TypeAdapter[KernelChoice] = TypeAdapter(KernelChoice)


class KernelRequest(JobRequest):
    """The history whose kernels are compared, and a sum of kernels besides the usual ones."""

    kind: ClassVar = "compare kernels"

    series_id: int
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparedKernel:
    """One kernel, fitted to a history, and its mean log density of a revision given all others, in nats.

    `length_scale` is in revisions, None where the kernel has none. `band` is drawn thin: a part of the positions only.
    """

    choice: KernelChoice
    log_score: float
    length_scale: float | None
    band: tuple[BandRow, ...]


@dataclass(frozen=True)
class KernelComparison:
    """The kernels of a comparison, the best first; `faults` say why others could not be fitted, by name."""

    data_version: int
    revisions: int
    kernels: tuple[ComparedKernel, ...]
    faults: Mapping[str, str]

    @cached_property
    def by_name(self) -> Mapping[str, ComparedKernel]:
        """The kernels by the name of their choice."""
        return {kernel.choice.name: kernel for kernel in self.kernels}


_COMPARISON: TypeAdapter[KernelComparison] = TypeAdapter(KernelComparison)


def kernel_of(stored: Mapping[str, Any]) -> KernelChoice:
    """The choice that `Series.kernel` holds."""
    return _CHOICE.validate_python(stored) if stored else BROWNIAN


def stored_kernel(choice: KernelChoice) -> dict[str, Any]:
    """What `Series.kernel` holds of a choice."""
    found: dict[str, Any] = _CHOICE.dump_python(choice, mode="json")
    return {} if choice == BROWNIAN else found


def kernel_title(kernels: tuple[str, ...]) -> str:
    """What people call a sum of kernels: "RBF + linear"."""
    return " + ".join(NAMES[Kernel(kernel)] for kernel in kernels)


def compared(curve: HistoryCurve, kernels: tuple[Kernel, ...]) -> ComparedKernel:
    """Fit one sum of kernels to a curve and judge it. Raises `HistoryError`; takes seconds where GPy is needed."""
    brownian = fitted_history(replace(curve, kernel=BROWNIAN))
    if kernels == (Kernel.BROWNIAN,):
        fitted, choice = brownian, BROWNIAN
    else:
        settings = replace(curve, kernel=KernelChoice(tuple(map(str, kernels)))).settings()
        fitted = fit(brownian.measurements, settings)
        choice = KernelChoice(tuple(map(str, kernels)), fitted.hyperparameters)
    # In revisions: it is fitted in shares of the measured span.
    scales = [one.length_scale for one in (fitted.hyperparameters, *fitted.hyperparameters.plus)]
    first = next((scale for scale in scales if scale is not None), None)
    positions = sorted(curve.versions.version_at)
    if len(positions) > _PLACES:
        even = np.linspace(0, len(positions) - 1, _PLACES).astype(np.int64)
        positions = [positions[at] for at in even]
    predicted = predict(fitted, [curve.versions.version_at[position] for position in positions])
    return ComparedKernel(
        choice=choice,
        log_score=float(leave_one_out(fitted).mean()),
        length_scale=None if first is None else first * float(np.ptp(fitted.measurements.positions)),
        band=band_rows(positions, predicted.median, predicted),
    )


def stored_comparison(found: KernelComparison) -> dict[str, Any]:
    """The result of the job that compared."""
    result: dict[str, Any] = _COMPARISON.dump_python(found, mode="json")
    return result


def newest_comparison(system: System, series_id: int) -> tuple[KernelComparison | None, bool]:
    """The newest comparison of a history's kernels, None where there is none; and whether one is under way. Two queries."""
    own = Job.objects.filter(asked_with(series_id=series_id), system=system, kind=KernelRequest.kind)
    done = own.filter(state=Job.State.DONE).order_by("-pk").first()
    found = _COMPARISON.validate_python(done.result) if done and done.result else None
    return found, own.filter(state__in=Job.ACTIVE).exists()
