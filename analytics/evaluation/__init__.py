"""Evaluations that cannot flatter themselves: equal budgets, disjoint test sets, several seeds, every row told."""

from analytics.evaluation.errors import EvaluationImpossibleError
from analytics.evaluation.measured import Costs, Measured, Profiled
from analytics.evaluation.rows import Duel, Evaluation, Row
from analytics.evaluation.running import EvaluationSettings, run_evaluation
from analytics.evaluation.soundness import Judged, Soundness, soundness

__all__ = [
    "Costs",
    "Duel",
    "Evaluation",
    "EvaluationImpossibleError",
    "EvaluationSettings",
    "Judged",
    "Measured",
    "Profiled",
    "Row",
    "Soundness",
    "run_evaluation",
    "soundness",
]
