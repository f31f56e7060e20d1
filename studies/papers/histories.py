"""What the tables of the paper on performance histories share: the systems, the paper's own runs, and replaying them."""

import csv
import gzip
import io
from collections.abc import Mapping
from functools import cache
from importlib import resources
from itertools import islice
from pathlib import Path

import numpy as np

from analytics.changepoints import ChangePointSettings
from analytics.histories import HistorySettings, Kernel, Measurements, NoisePolicy, fit, longest_gap, predict
from analytics.histories.stopping import StopRule
from dashboard.importers.errors import InvalidBundle
from dashboard.importers.measured_histories import read_measured_histories
from studies.detectors import BINSEG, BOTTOM_UP, DETECTORS
from studies.papers.published_sampling import play
from studies.papers.tables import Effort, ReproductionError, Tell
from studies.replay import Score, measure_actively, score

PAPER = (
    "S. Muhlbauer, S. Apel, N. Siegmund, Accurate Modeling of Performance Histories for Evolving Software Systems, "
    "ASE 2019"
)
FOLDER = "ase19"
SHARES = (0.01, 0.03, 0.05)
# All revisions of each system: what the percentages refer to.
TOTALS = {"xz": 1151, "lrzip": 850, "ultrajson": 327}
KERNELS = {
    Kernel.RBF: "RBF",
    Kernel.RATIONAL_QUADRATIC: "RatQuad",
    Kernel.BROWNIAN_GPY: "Brownian",
    Kernel.MATERN32: "Matern32",
    Kernel.MATERN52: "Matern52",
}
SEARCHES = (BINSEG, BOTTOM_UP)
# What was measured is the truth here: the noise of a single value is not asked for.
NOISE = 0.001
_SETTINGS = (
    ("samples", "3 + floor(p N), N all revisions of the system: 1151, 850 and 327"),
    (
        "as published",
        "GPy's defaults, y - y[0], positions in revisions, start {first, middle, last}, maximal variance",
    ),
    (
        "our set-up",
        "positions in shares of the history, logarithms, bounded noise; revisions of the longest gaps",
    ),
    ("error", "mean over series; as published it divides by the prediction, else by the truth"),
)


# Of one series played with one kernel: a score for each share and detector.
Scores = Mapping[tuple[float, str], Score]


def share_title(system: str, share: float) -> str:
    """The column of a system's share."""
    return f"{system} {share:.0%}".replace("%", " %")


def system_series(data: Path, system: str, most: int | None) -> Mapping[str, Measurements]:
    """The measured histories of a system by variant, at most so many, spread evenly. Raises `ReproductionError`.

    Only those for which the authors published learning curves: ours and theirs are means over the same series.
    """
    path = data / FOLDER / f"{system}.csv.gz"
    if not path.is_file():
        raise ReproductionError(
            f"{path}: there is no such file; give the folder of the published data by --data"
        )
    try:
        found = read_measured_histories(path)
    except InvalidBundle as error:
        raise ReproductionError(f"{path}: {error}") from None
    compared = {row["variant"] for row in _curves(data, system)}
    names = [name for name in found if name in compared]
    if most is not None and most < len(names):
        names = [names[place] for place in np.linspace(0, len(names) - 1, most).round().astype(int)]
    return {name: found[name] for name in names}


def settings_of(effort: Effort) -> tuple[tuple[str, str], ...]:
    """The settings that all tables share, with how many series were taken."""
    taken = (
        "all that are at hand" if effort.series is None else f"{effort.series} of each system, spread evenly"
    )
    return (
        (
            "series",
            f"{taken}; at hand, with the authors' curves, are half of the variants of xz and lrzip and one of ultrajson",
        ),
        *_SETTINGS,
    )


def printed_errors() -> dict[tuple[str, str, float], float]:
    """The errors of Table III by system, kernel and share."""
    text = (resources.files(__package__) / "published" / "histories-table-3.csv").read_text(encoding="utf-8")
    return {
        (row["system"], row["kernel"], share): float(row[f"{share * 100:.0f}"])
        for row in csv.DictReader(text.splitlines())
        for share in SHARES
    }


def paper_errors(data: Path, system: str, most: int | None) -> dict[tuple[str, float], float]:
    """The paper's own errors on the same series, by kernel and share: means of its published learning curves."""
    variants = set(system_series(data, system, most))
    rounds = {int(share * TOTALS[system] + 1e-9): share for share in SHARES}
    found: dict[tuple[str, float], list[float]] = {}
    for row in _curves(data, system):
        share = rounds.get(int(row["iteration"]))
        if share is not None and row["variant"] in variants:
            found.setdefault((row["kernel"], share), []).append(float(row["error_mape_pct"]))
    return {key: float(np.mean(values)) for key, values in found.items()}


@cache
def _curves(data: Path, system: str) -> tuple[dict[str, str], ...]:
    """The authors' learning curves, a row for each kernel, iteration and variant. Raises `ReproductionError`."""
    path = data / FOLDER / f"{system}_paper_learning_curves.csv.gz"
    try:
        with gzip.open(path) as packed:
            return tuple(csv.DictReader(io.TextIOWrapper(packed, encoding="utf-8")))
    except OSError:
        raise ReproductionError(
            f"{path}: cannot be read; give the folder of the published data by --data"
        ) from None


@cache
def played_as_published(
    data: Path, system: str, kernel: Kernel, most: int | None, tell: Tell
) -> dict[str, Scores]:
    """Every series of a system, sampled and estimated with one kernel exactly as the authors did."""
    found = {}
    for number, (variant, truth) in enumerate(system_series(data, system, most).items()):
        tell(f"{system}, {kernel}, series {number + 1}")
        wanted = dict(zip(samples_of(truth, system), SHARES, strict=True))
        steps = islice(play(truth, kernel), max(wanted) - 2)
        estimates = {
            wanted[len(chosen)]: (estimate, len(chosen))
            for chosen, estimate in steps
            if len(chosen) in wanted
        }
        found[variant] = _scores(truth, estimates)
    return found


@cache
def played_our_way(
    data: Path, system: str, kernel: Kernel, most: int | None, tell: Tell
) -> dict[str, Scores]:
    """The same series with our scales and noise, on the revisions that the longest gaps ask for."""
    found = {}
    for number, (variant, truth) in enumerate(system_series(data, system, most).items()):
        tell(f"{system}, {kernel}, our set-up, series {number + 1}")
        order = longest_gaps(truth, samples_of(truth, system)[-1])
        estimates = {}
        for share, samples in zip(SHARES, samples_of(truth, system), strict=True):
            known = np.isin(truth.positions, order[:samples])
            points = Measurements.of(truth.positions[known], truth.values[known])
            estimates[share] = (
                predict(fit(points, our_settings(truth, kernel)), truth.positions).median,
                samples,
            )
        found[variant] = _scores(truth, estimates)
    return found


def samples_of(truth: Measurements, system: str) -> tuple[int, ...]:
    """The number of measurements for each share; never more than there are revisions."""
    return tuple(min(3 + int(share * TOTALS[system] + 1e-9), len(truth)) for share in SHARES)


def longest_gaps(truth: Measurements, samples: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The first positions that sampling of maximal variance measures."""
    return measure_actively(truth, StopRule(smallest_gain=None, most=samples), longest_gap)


def our_settings(truth: Measurements, kernel: Kernel) -> HistorySettings:
    """Our set-up for a series whose values are taken as they are."""
    length = int(truth.positions[-1] - truth.positions[0]) + 1
    return HistorySettings(
        kernel=kernel, noise=NoisePolicy.KNOWN, known_noise=NOISE, noise_floor=NOISE, length=length
    )


def _scores(
    truth: Measurements, estimates: Mapping[float, tuple[np.ndarray[tuple[int], np.dtype[np.float64]], int]]
) -> Scores:
    return {
        (share, search): score(truth, estimate, samples, ChangePointSettings(), DETECTORS[search])
        for share, (estimate, samples) in estimates.items()
        for search in SEARCHES
    }
