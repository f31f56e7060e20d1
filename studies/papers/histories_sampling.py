"""Table IV of the paper on histories: active against random sampling, and our acquisitions beside both."""

from collections.abc import Callable, Mapping
from statistics import fmean

import numpy as np

from analytics.histories.measurements import Measurements
from analytics.histories.settings import Kernel
from studies.papers.histories import (
    BINSEG,
    PAPER,
    SHARES,
    TOTALS,
    played_as_published,
    settings_of,
    share_title,
    system_series,
)
from studies.papers.published_sampling import estimate
from studies.papers.tables import Cell, Quantity, ReproducedTable, Reproduction, printed
from studies.replay.playing import ReplaySettings, replay
from studies.replay.scoring import Score, compare, published_error

_ALL_VARIANTS = "printed for all variants, of which half are at hand"
_OURS = {"maxvar": "ours, maximal variance", "random": "ours, random", "mix": "ours, default"}


def make(work: Reproduction) -> ReproducedTable:
    """Make Table IV in the paper's set-up and in ours, with paired tests. Raises `ReproductionError`."""
    published = printed("histories-table-4")
    cells: list[Cell] = []
    reading: list[str] = []
    for system, total in TOTALS.items():
        series = system_series(work, system)
        active = played_as_published(work, system, Kernel.BROWNIAN_GPY)
        settings = ReplaySettings(shares=SHARES, total=total, seeds=work.seeds)
        drawn = _drawn(series, system, settings, work.tell)
        played = _played(series, system, settings, work.tell)
        for share in SHARES:
            column = share_title(system, share)
            rows: list[tuple[str, float, Quantity | None, str]] = [
                (
                    "active",
                    fmean(one[share, BINSEG].mape_paper for one in active.values()),
                    published["active", column],
                    _ALL_VARIANTS,
                ),
                ("random", fmean(drawn[share]), published["random", column], _ALL_VARIANTS),
                *(
                    (title, fmean(by[name][share].mape_paper for by in played.values()), None, "")
                    for name, title in _OURS.items()
                ),
            ]
            cells += [
                Cell(row, column, "%", Quantity(value), number, why) for row, value, number, why in rows
            ]
        reading += _tests(system, played)
    return ReproducedTable(
        title="Active against random sampling",
        source=f"{PAPER}, Table IV",
        settings=(
            *settings_of(work),
            ("random", f"mean over {work.seeds} draws; start as the active one"),
            ("tests", "two-sided paired Wilcoxon signed-rank over series, on the paper's error"),
        ),
        cells=tuple(cells),
        reading=tuple(reading),
    )


def _played(
    series: Mapping[str, Measurements], system: str, settings: ReplaySettings, tell: Callable[[str], None]
) -> dict[str, dict[str, dict[float, Score]]]:
    """Our acquisitions on each series: the score by acquisition and share."""
    played: dict[str, dict[str, dict[float, Score]]] = {}
    for variant, truth in series.items():
        tell(f"{system}, our acquisitions, {variant}")
        played[variant] = {name: replay(truth, name, settings) for name in _OURS}
    return played


def _drawn(
    series: Mapping[str, Measurements], system: str, settings: ReplaySettings, tell: Callable[[str], None]
) -> dict[float, list[float]]:
    """The paper's error with the Brownian kernel on revisions drawn at random, by share: one value per series and seed."""
    errors: dict[float, list[float]] = {share: [] for share in SHARES}
    for variant, truth in series.items():
        tell(f"{system}, random sampling, {variant}")
        start = [0, len(truth) // 2, len(truth) - 1]
        for seed in range(settings.seeds):
            others = np.setdiff1d(np.arange(len(truth)), start)
            order = np.concatenate([start, np.random.default_rng(seed).permutation(others)])
            for share, samples in zip(SHARES, settings.samples(truth), strict=True):
                estimated, _ = estimate(truth, Kernel.BROWNIAN_GPY, order[:samples])
                errors[share].append(published_error(np.asarray(truth.values), estimated))
    return errors


def _tests(system: str, played: Mapping[str, Mapping[str, Mapping[float, Score]]]) -> list[str]:
    """What the paired tests say, in words."""
    return [
        f"{system}, {test.share:.0%}: {_OURS[test.first]} against {_OURS[test.second]}: "
        f"{test.difference:+.3f} percentage points over {test.series} series, p = {test.p_value:.3g}."
        for test in compare(played)
    ]
