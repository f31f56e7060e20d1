"""Published coefficients of a whole system beside ours: how far they differ over terms and revisions, and why."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.influence.published import Agreement, Comparison
from dashboard.access import Principal, require
from dashboard.models import System
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.published_coefficients import PublishedTerms, published_terms
from dashboard.services.learned.curves import Curve, curves_of, read_curve


@dataclass(frozen=True, slots=True)
class PublishedReport:
    """One metric of a system: our least squares over the published terms beside the published coefficients.

    `coefficients` counts terms times revisions; of them `agreeing` are equal to a millionth of the largest, `differing`
    are not, `undetermined` are not told by the measurements and `untold` not by our options. The relative differences
    (|ours - published| / |published|) are over those that agree or differ and are not 0 but for rounding, None without
    any; `largest_differing` is
    the largest difference in the metric's unit. `reasons` counts revisions by why theirs are not ours;
    `largest_excess` is by how much the published model's squared error exceeds ours at most, where values are the reason.
    """

    system: str
    workload: str
    metric: str
    unit: str
    revisions: int
    terms: int
    coefficients: int
    agreeing: int
    differing: int
    undetermined: int
    untold: int
    median_relative: float | None
    max_relative: float | None
    largest_difference: float | None
    reasons: Mapping[str, int]
    largest_excess: float | None


def compare_published(*, principal: Principal, slug: str, metric: str = "") -> tuple[PublishedReport, ...]:
    """A report for each metric that coefficients were published for; none where none were.

    Needs the right to see the system. Raises `NotFound`, and `LearningRefused` for an unknown metric.
    """
    system = require(principal, slug)
    options = options_of(system)
    found = []
    for key in curves_of(system, metric):
        given = {
            revision: terms
            for revision in _revisions(system)
            if (terms := published_terms(revision, key.metric_id)) is not None
        }
        if given:
            curve = read_curve(system, key, options)
            compared = [
                (terms, terms.compared(options, curve.configurations, curve.values[:, column]))
                for column, revision in enumerate(curve.revisions)
                if (terms := given.get(revision)) is not None
            ]
            found.append(_report(system, curve, compared))
    return tuple(found)


def _revisions(system: System) -> list[int]:
    return list(system.published_coefficients.order_by().values_list("revision_id", flat=True).distinct())


def _report(
    system: System, curve: Curve, compared: list[tuple[PublishedTerms, Comparison]]
) -> PublishedReport:
    agreement = Counter(one for _, found in compared for one in found.agreement)
    relative = np.concatenate([np.abs(found.differences) for _, found in compared] or [np.array([])])
    absolute = np.concatenate(
        [np.abs(found.ours - found.published) for _, found in compared] or [np.array([])]
    )
    relative, absolute = relative[np.isfinite(relative)], absolute[np.isfinite(absolute)]
    excesses = [found.excess for _, found in compared if "other values" in found.reasons]
    untold = sum(len(terms.told) - sum(terms.told) for terms, _ in compared)
    return PublishedReport(
        system=system.name,
        workload=curve.key.workload,
        metric=curve.key.metric,
        unit=curve.key.unit,
        revisions=len(compared),
        terms=max((len(terms.names) for terms, _ in compared), default=0),
        coefficients=sum(agreement.values()) + untold,
        agreeing=agreement[Agreement.AGREES],
        differing=agreement[Agreement.DIFFERS],
        undetermined=agreement[Agreement.UNDETERMINED],
        untold=untold,
        median_relative=float(np.median(relative)) if len(relative) else None,
        max_relative=float(relative.max()) if len(relative) else None,
        largest_difference=float(absolute.max()) if len(absolute) else None,
        reasons=Counter(str(reason) for _, found in compared for reason in found.reasons),
        largest_excess=max(excesses, default=None),
    )
