"""Table III and Figure 5 of the paper on histories: errors of five kernels, and the change points they keep."""

from collections.abc import Mapping
from math import isnan

from studies.papers.histories import (
    BINSEG,
    PAPER,
    SEARCHES,
    SHARES,
    TOTALS,
    Scores,
    paper_errors,
    played_as_published,
    played_our_way,
    settings_of,
    share_title,
)
from studies.papers.published_sampling import KERNELS
from studies.papers.tables import Cell, Quantity, ReproducedTable, Reproduction, printed
from studies.replay.scoring import mean_score

_ALL_VARIANTS = "printed for all variants, of which half are at hand"
_FIGURE_ONLY = "published as a figure, without numbers"
_AS_PUBLISHED = (
    "The rows “as published” run the authors' procedure and stand beside their own curves of the same series. Both start "
    "alike; later one choice of another revision leads to other ones, so single series part and means stay near. The "
    "optimiser of another release of GPy is enough for that."
)
_OUR_WAY = (
    "The rows “our set-up” take the same number of measurements, with positions scaled to the history, logarithms and "
    "bounded noise. There the five kernels come close to one another."
)
_ALONE = (
    "The figure shows no numbers, so ours stand alone. The same search and penalty are applied to the measured and to "
    "the estimated history."
)


def errors(work: Reproduction) -> ReproducedTable:
    """Make Table III: both definitions of the error, in the paper's set-up and in ours. Raises `ReproductionError`."""
    published = printed("histories-table-3")
    cells: list[Cell] = []
    for system in TOTALS:
        own = paper_errors(work, system)
        for kernel, name in KERNELS.items():
            theirs = played_as_published(work, system, kernel)
            ours = played_our_way(work, system, kernel)
            for share in SHARES:
                column = share_title(system, share)
                rows = (
                    (f"{name}, as printed", None, published[kernel, column].value, _ALL_VARIANTS),
                    (f"{name}, as published", _mean(theirs, share, "mape_paper"), own.get((name, share)), ""),
                    (f"{name}, as published, by the truth", _mean(theirs, share, "mape"), None, ""),
                    (f"{name}, our set-up", _mean(ours, share, "mape_paper"), None, ""),
                    (f"{name}, our set-up, by the truth", _mean(ours, share, "mape"), None, ""),
                )
                cells += [
                    Cell(row, column, "%", value, None if number is None else Quantity(number), remark)
                    for row, value, number, remark in rows
                ]
    return ReproducedTable(
        title="Errors of five kernels",
        source=(
            f"{PAPER}, Table III (rows “as printed”); rows “as published”: the authors' learning curves of the same "
            "series, means over them"
        ),
        settings=settings_of(work),
        cells=tuple(cells),
        reading=(_AS_PUBLISHED, _OUR_WAY),
    )


def changes(work: Reproduction) -> ReproducedTable:
    """Make Figure 5: F1 of change points within five revisions, by both searches. Raises `ReproductionError`."""
    cells = []
    for system in TOTALS:
        for kernel, name in KERNELS.items():
            for share in SHARES:
                for search in SEARCHES:
                    for title, played in (
                        ("as published", played_as_published(work, system, kernel)),
                        ("our set-up", played_our_way(work, system, kernel)),
                    ):
                        found = _mean(played, share, "f1", search)
                        row = f"{name}, {search}, {title}"
                        cells.append(Cell(row, share_title(system, share), "", found, None, _FIGURE_ONLY))
    return ReproducedTable(
        title="Change points that estimates keep",
        source=f"{PAPER}, Figure 5",
        settings=(
            *settings_of(work),
            ("F1", "of change points within 5 revisions, each matched once; mean over series that have any"),
            (
                "searches",
                "ruptures' binary segmentation and bottom-up, penalty 3 log n, changes of at least 2 %",
            ),
        ),
        cells=tuple(cells),
        reading=(_ALONE,),
    )


def _mean(played: Mapping[str, Scores], share: float, figure: str, search: str = BINSEG) -> Quantity | None:
    """The mean of a figure over series, those left out where it is NaN: neither estimate nor truth has a change."""
    value = getattr(mean_score([one[share, search] for one in played.values()]), figure)
    return None if isnan(value) else Quantity(value)
