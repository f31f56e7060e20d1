"""What was learned, in lines of text."""

from collections.abc import Sequence

from dashboard.services.performance_models.hybrid import LearnedHybrid
from dashboard.services.performance_models.learned import LearnedCurve


def words_of_models(curves: Sequence[LearnedCurve]) -> list[str]:
    """What was learned, a line for each curve."""
    if not curves:
        return ["no models to learn: none was measured end to end without an analysis of its regions"]
    return [
        f"{one.workload}, {one.metric}: {one.revisions} revisions, {one.configurations} configurations, "
        f"{one.terms} terms ({one.terms_from}), error {_percent(one.error)}, {one.points} points of terms"
        + (f"; {one.remark}" if one.remark else "")
        for one in curves
    ]


def words_of_hybrid(found: LearnedHybrid) -> str:
    """The hybrid model that was learned, in a line."""
    taints = (
        "options as taints tell" if found.tainted else "every option for every region: it was not analyzed"
    )
    return (
        f"{found.revision}, {found.workload}: hybrid model (extension) of {found.configurations} configurations, "
        f"{found.terms} terms in {found.regions} regions ({taints}), error {_percent(found.error)}"
    )


def _percent(error: float | None) -> str:
    return "unknown" if error is None else f"{error:.2f} %"
