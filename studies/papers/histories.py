"""What the tables of the paper on performance histories share: the systems, the paper's own runs, and replaying them."""

import csv
import gzip
import io
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice

import numpy as np

from analytics.changepoints import ChangePointSettings, Detector
from analytics.histories.acquisition import longest_gap
from analytics.histories.active_sampling import StopRule
from analytics.histories.history import predict
from analytics.histories.measurements import FloatArray, Measurements
from analytics.histories.settings import Kernel
from dashboard.importers.errors import InvalidBundle
from studies.measured_histories import read_measured_histories
from studies.papers.published_sampling import play
from studies.papers.tables import Reproduction, ReproductionError
from studies.replay.playing import ReplaySettings, fit_measured, measure_actively
from studies.replay.scoring import Score, score

PAPER = (
    "S. Muhlbauer, S. Apel, N. Siegmund, Accurate Modeling of Performance Histories for Evolving Software Systems, "
    "ASE 2019"
)
FOLDER = "ase19"
SHARES = (0.01, 0.03, 0.05)
# All revisions of each system: what the percentages refer to.
TOTALS = {"xz": 1151, "lrzip": 850, "ultrajson": 327}
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


def _greedy(name: str) -> Detector:
    """One of ruptures' greedy searches, by its name there, on squares in units of the mean noise variance."""

    def ends(y: FloatArray, variances: FloatArray, penalty: float) -> list[int]:
        if len(y) < 2:
            return [len(y)]
        import ruptures  # noqa: PLC0415 -- a second of imports that few need

        standard = (y - y.mean()) / np.sqrt(variances.mean())
        method = getattr(ruptures, name)
        found = method(model="l2", min_size=1, jump=1).fit(standard.reshape(-1, 1)).predict(pen=penalty)
        return [int(end) for end in found]

    return ends


# The searches for change points that the paper has.
BINSEG, BOTTOM_UP = "binseg", "bottom-up"
SEARCHES: Mapping[str, Detector] = {BINSEG: _greedy("Binseg"), BOTTOM_UP: _greedy("BottomUp")}

# Of one series played with one kernel: a score for each share and search.
Scores = Mapping[tuple[float, str], Score]


def share_title(system: str, share: float) -> str:
    """The column of a system's share."""
    return f"{system} {share:.0%}".replace("%", " %")


def system_series(work: Reproduction, system: str) -> Mapping[str, Measurements]:
    """The measured histories of a system by variant, at most so many, spread evenly. Raises `ReproductionError`.

    Only those for which the authors published learning curves: ours and theirs are means over the same series.
    """
    path = work.data / FOLDER / f"{system}.csv.gz"
    if not path.is_file():
        raise ReproductionError(
            f"{path}: there is no such file; give the folder of the published data by --data"
        )
    try:
        found = read_measured_histories(path)
    except InvalidBundle as error:
        raise ReproductionError(f"{path}: {error}") from None
    compared = {row["variant"] for row in _curves(work, system)}
    names = [name for name in found if name in compared]
    if work.series is not None and work.series < len(names):
        names = [names[place] for place in np.linspace(0, len(names) - 1, work.series).round().astype(int)]
    return {name: found[name] for name in names}


def settings_of(work: Reproduction) -> tuple[tuple[str, str], ...]:
    """The settings that all tables share, with how many series were taken."""
    taken = "all that are at hand" if work.series is None else f"{work.series} of each system, spread evenly"
    return (
        (
            "series",
            f"{taken}; at hand, with the authors' curves, are half of the variants of xz and lrzip and one of ultrajson",
        ),
        *_SETTINGS,
    )


def paper_errors(work: Reproduction, system: str) -> dict[tuple[str, float], float]:
    """The paper's own errors on the same series, by kernel and share: means of its published learning curves."""
    variants = set(system_series(work, system))
    rounds = {int(share * TOTALS[system] + 1e-9): share for share in SHARES}
    found: dict[tuple[str, float], list[float]] = {}
    for row in _curves(work, system):
        share = rounds.get(int(row["iteration"]))
        if share is not None and row["variant"] in variants:
            found.setdefault((row["kernel"], share), []).append(float(row["error_mape_pct"]))
    return {key: float(np.mean(values)) for key, values in found.items()}


@cache
def _curves(work: Reproduction, system: str) -> tuple[dict[str, str], ...]:
    """The authors' learning curves, a row for each kernel, iteration and variant. Raises `ReproductionError`."""
    path = work.data / FOLDER / f"{system}_paper_learning_curves.csv.gz"
    try:
        with gzip.open(path) as packed:
            return tuple(csv.DictReader(io.TextIOWrapper(packed, encoding="utf-8")))
    except OSError:
        raise ReproductionError(
            f"{path}: cannot be read; give the folder of the published data by --data"
        ) from None


@cache
def played_as_published(work: Reproduction, system: str, kernel: Kernel) -> dict[str, Scores]:
    """Every series of a system, sampled and estimated with one kernel exactly as the authors did."""

    def estimates(truth: Measurements, samples: Sequence[int]) -> list[FloatArray]:
        steps = islice(play(truth, kernel), max(samples) - 2)
        by_size = {len(chosen): estimate for chosen, estimate in steps if len(chosen) in samples}
        return [by_size[size] for size in samples]

    return _played(work, system, kernel, estimates)


@cache
def played_our_way(work: Reproduction, system: str, kernel: Kernel) -> dict[str, Scores]:
    """The same series with our scales and noise, on the revisions that the longest gaps ask for."""

    def estimates(truth: Measurements, samples: Sequence[int]) -> list[FloatArray]:
        # The first positions that sampling of maximal variance measures.
        order = measure_actively(truth, StopRule(smallest_gain=None, most=samples[-1]), longest_gap)
        fits = (fit_measured(truth, order[:size], kernel=kernel) for size in samples)
        return [predict(fitted, truth.positions).median for fitted in fits]

    return _played(work, system, f"{kernel}, our set-up", estimates)


def _played(
    work: Reproduction,
    system: str,
    words: str,
    estimates: Callable[[Measurements, Sequence[int]], Sequence[FloatArray]],
) -> dict[str, Scores]:
    """The scores of every series of a system, by variant; `estimates` has one for each number of measurements."""
    found: dict[str, Scores] = {}
    for number, (variant, truth) in enumerate(system_series(work, system).items(), start=1):
        work.tell(f"{system}, {words}, series {number}")
        samples = ReplaySettings(shares=SHARES, total=TOTALS[system]).samples(truth)
        found[variant] = {
            (share, search): score(truth, estimate, size, ChangePointSettings(), detector)
            for share, size, estimate in zip(SHARES, samples, estimates(truth, samples), strict=True)
            for search, detector in SEARCHES.items()
        }
    return found
