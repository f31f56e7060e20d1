"""Comparisons of approaches as rows, and as the JSON that is stored of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from analytics.configurations.samplings import sampling_title
from analytics.evaluation.approaches import ApproachEvaluation, ApproachRow, ApproachSettings
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
    settings: ApproachSettings
    comparison: ApproachEvaluation
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
        return place_title(self.revision, self.workload, self.clock, self.quantity)


@dataclass(frozen=True, slots=True)
class ComparisonName:
    """What a stored comparison is called by: where it was measured, its settings, and the size of a test set."""

    comparison_id: int
    place: str
    settings: ApproachSettings
    test: int

    @property
    def title(self) -> str:
        """The place, the samples and the test sets: `1.0, regular: CPU time; 50, 200 at random; 10 test sets of 32`."""
        sizes = self.settings.sizes
        drawn = "usual samples" if sizes is None else f"{', '.join(map(str, sizes))} at random"
        return f"{self.place}; {drawn}; {self.settings.seeds} test sets of {self.test}"


def place_title(revision: str, workload: str, clock: str, quantity: str) -> str:
    """Where something was measured, and what: `1.0, regular: CPU time`."""
    named = "" if clock == "none" else f"{clock.replace('cpu', 'CPU')} "
    return f"{revision}, {workload}: {named}{quantity}"


def learner_title(name: str) -> str:
    """A learner in words."""
    return LEARNERS[name].title if name in LEARNERS else _GIVEN.get(name, name)


def settings_as_json(settings: ApproachSettings) -> dict[str, Any]:
    """The settings as they are stored and hashed."""
    return asdict(settings)


def settings_from_json(stored: Mapping[str, Any]) -> ApproachSettings:
    """Settings as `settings_as_json` wrote them."""
    return ApproachSettings(
        samplings=tuple(stored["samplings"]),
        sizes=None if stored["sizes"] is None else tuple(stored["sizes"]),
        learners=tuple(stored["learners"]),
        seeds=stored["seeds"],
        test=stored["test"],
        thresholds=tuple(stored["thresholds"]),
    )


def comparison_as_json(comparison: ApproachEvaluation, *, left_out: int) -> dict[str, Any]:
    """The payload of a stored comparison."""
    return {**asdict(comparison), "left_out": left_out}


def comparison_from_json(stored: Mapping[str, Any]) -> ApproachEvaluation:
    """A comparison as `comparison_as_json` wrote it."""
    own = {
        key: value for key, value in stored.items() if key not in ("rows", "thresholds", "left_out", "fixed")
    }
    return ApproachEvaluation(
        rows=tuple(_row(row) for row in stored["rows"]),
        thresholds=tuple(stored["thresholds"]),
        fixed=tuple((option, level) for option, level in stored.get("fixed", ())),
        **own,
    )


def _row(stored: Mapping[str, Any]) -> ApproachRow:
    own = {key: value for key, value in stored.items() if key not in ("errors", "terms")}
    terms = tuple((threshold, count) for threshold, count in stored["terms"])
    return ApproachRow(errors=tuple(stored["errors"]), terms=terms, **own)
