"""Comparisons of approaches as rows, and as the JSON that is stored of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from analytics.configurations.samplings import SAMPLINGS
from analytics.influence.evaluation import ApproachRow, Comparison, ComparisonSettings
from analytics.influence.learners import LEARNERS

_GIVEN = {"composed": "composed of regions", "composed-corrected": "composed of regions, corrected"}


@dataclass(frozen=True, slots=True)
class RowView:
    """One approach with its sampling and its learner in words; `learner` is blank where the sampling has no error."""

    row: ApproachRow
    sampling: str
    learner: str

    @property
    def key(self) -> str:
        """What tells it from the others."""
        return f"{self.row.sampling} {self.row.learner}"


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A stored comparison: where it was measured, with which settings, and its rows.

    `is_current` tells whether nothing of the system has changed since; `left_out` counts configurations whose value is
    not above 0.
    """

    comparison_id: int
    system: str
    revision: str
    workload: str
    environment: str
    quantity: str
    unit: str
    clock: str
    better: str
    settings: ComparisonSettings
    comparison: Comparison
    left_out: int
    is_current: bool
    created_at: datetime

    @property
    def rows(self) -> tuple[RowView, ...]:
        """The approaches in words."""
        return tuple(
            RowView(row, sampling_title(row.sampling), learner_title(row.learner))
            for row in self.comparison.rows
        )

    @property
    def title(self) -> str:
        """Where it was measured, and what."""
        clock = "" if self.clock == "none" else f"{self.clock.replace('cpu', 'CPU')} "
        return f"{self.revision}, {self.workload}: {clock}{self.quantity}"


def sampling_title(name: str) -> str:
    """A sampling in words: "50 at random", "pair-wise"."""
    if name in SAMPLINGS:
        return SAMPLINGS[name].title
    kind, _, number = name.rpartition("-")
    return {"random": f"{number} at random", "t-wise": f"{number}-wise"}.get(kind, name)


def learner_title(name: str) -> str:
    """A learner in words."""
    return LEARNERS[name].title if name in LEARNERS else _GIVEN.get(name, name)


def settings_as_json(settings: ComparisonSettings) -> dict[str, Any]:
    """The settings as they are stored and hashed."""
    return asdict(settings)


def settings_from_json(stored: Mapping[str, Any]) -> ComparisonSettings:
    """Settings as `settings_as_json` wrote them."""
    return ComparisonSettings(
        samplings=tuple(stored["samplings"]),
        sizes=None if stored["sizes"] is None else tuple(stored["sizes"]),
        learners=tuple(stored["learners"]),
        seeds=stored["seeds"],
        test=stored["test"],
        thresholds=tuple(stored["thresholds"]),
    )


def comparison_as_json(comparison: Comparison, *, left_out: int) -> dict[str, Any]:
    """The payload of a stored comparison."""
    return {**asdict(comparison), "left_out": left_out}


def comparison_from_json(stored: Mapping[str, Any]) -> Comparison:
    """A comparison as `comparison_as_json` wrote it."""
    own = {key: value for key, value in stored.items() if key not in ("rows", "thresholds", "left_out")}
    return Comparison(
        rows=tuple(_row(row) for row in stored["rows"]), thresholds=tuple(stored["thresholds"]), **own
    )


def _row(stored: Mapping[str, Any]) -> ApproachRow:
    own = {key: value for key, value in stored.items() if key not in ("errors", "terms")}
    terms = tuple((threshold, count) for threshold, count in stored["terms"])
    return ApproachRow(errors=tuple(stored["errors"]), terms=terms, **own)
