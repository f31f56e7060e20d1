"""Evaluations of approaches as rows, and as the JSON that is stored of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter

from analytics.evaluation import ApproachEvaluation, ApproachSettings

_SETTINGS = TypeAdapter(ApproachSettings)
_EVALUATIONS = TypeAdapter(ApproachEvaluation)
# In the payload beside the fields of the evaluation.
_LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class EvaluationView:
    """A stored evaluation: where it was measured, with which settings, and its rows.

    `is_current` tells whether nothing of the system has changed since; `left_out` counts configurations whose value is
    not above 0.
    """

    evaluation_id: int
    system: str
    revision: str
    workload: str
    environment: str
    quantity: str
    unit: str
    clock: str
    better: str
    settings: ApproachSettings
    evaluation: ApproachEvaluation
    left_out: int
    is_current: bool
    created_at: datetime

    @property
    def title(self) -> str:
        """Where it was measured, and what."""
        return context_title(self.revision, self.workload, self.clock, self.quantity)


def stored_evaluation(evaluation: ApproachEvaluation, *, left_out: int) -> dict[str, Any]:
    """The payload of an evaluation."""
    return {**asdict(evaluation), _LEFT_OUT: left_out}


def read_settings(stored: Mapping[str, Any]) -> ApproachSettings:
    """Settings from their fields, as they are stored and hashed."""
    return _SETTINGS.validate_python(stored)


def read_evaluation(stored: Mapping[str, Any]) -> tuple[ApproachEvaluation, int]:
    """The evaluation and how many configurations it left out, as `stored_evaluation` wrote them."""
    return _EVALUATIONS.validate_python(stored), stored[_LEFT_OUT]


def context_title(revision: str, workload: str, clock: str, quantity: str) -> str:
    """Where something was measured, and what: `1.0, regular: CPU time`."""
    named = "" if clock == "none" else f"{clock.replace('cpu', 'CPU')} "
    return f"{revision}, {workload}: {named}{quantity}"
