"""What was learned, in lines of text."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from analytics.influence.accuracy import PredictionQuality
from analytics.influence.stored import LearnedModel
from dashboard.figures.histories_words import revision_text
from dashboard.models import PerformanceModel
from dashboard.selectors.performance_models import HybridSettings
from dashboard.services.performance_models.learned import LearnedCurve


def words_of_models(curves: Sequence[LearnedCurve]) -> list[str]:
    """What was learned, a line for each curve."""
    if not curves:
        return ["no models to learn: none was measured end to end without an analysis of its regions"]
    return [
        f"{one.workload}, {one.metric}: {one.revisions} revisions, {one.configurations} configurations, "
        f"{one.terms} terms ({one.terms_from}), {_words_of_quality(one.quality)}, {one.points} points of terms"
        + (f"; {one.remark}" if one.remark else "")
        for one in curves
    ]


def facts_of_hybrid(model: PerformanceModel, learned: LearnedModel) -> dict[str, Any]:
    """What was learned of a hybrid model, as the command prints it in JSON, with the fields of `PredictionQuality`."""
    return {
        "model_id": model.pk,
        "revision": model.revision.name,
        "workload": model.workload.name,
        "environment": model.environment.name,
        "metric": model.total_metric.quantity,
        "configurations": learned.configurations,
        "terms": len(learned.model.terms),
        "regions": len(learned.model.regions),
        **asdict(learned.quality),
        "tainted": HybridSettings.of(model).tainted,
    }


def words_of_hybrid(model: PerformanceModel, learned: LearnedModel) -> str:
    """The hybrid model that was learned, in a line."""
    tainted = HybridSettings.of(model).tainted
    taints = (
        "options as the analysis tells" if tainted else "every option for every region: it was not analyzed"
    )
    return (
        f"{revision_text(model.revision.name)}, {model.workload.name}, {model.total_metric.quantity}: hybrid model (extension) of {learned.configurations} "
        f"configurations, {len(learned.model.terms)} terms in {len(learned.model.regions)} regions ({taints}), "
        f"{_words_of_quality(learned.quality)}"
    )


def _words_of_quality(found: PredictionQuality) -> str:
    rank = "unknown" if found.rank_correlation is None else f"{found.rank_correlation:.3f}"
    return f"error {percent_text(found.error)}, rank correlation {rank}, regret {percent_text(found.regret)}"


def percent_text(error: float | None) -> str:
    """An error in percent, or that none is known."""
    return "unknown" if error is None else f"{error:.2f} %"
