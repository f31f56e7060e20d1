"""What the selectors of the overview hand out: frozen rows, free of Django."""

from dataclasses import dataclass

from analytics.influence.variance import Explained
from dashboard.selectors.accuracy import AccuracyReport
from dashboard.selectors.model_rows import Influences, ModelIdentity
from dashboard.selectors.systems import MeasuredCounts


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """A machine with operating system and interpreter on which runs were made, and what is known of it."""

    name: str
    details: tuple[tuple[str, str], ...]
    runs: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A system and what was measured of it. `levels` counts the system's configurations, measured or not.

    `invalid` counts runs that somebody marked so; they count nowhere else.
    """

    slug: str
    name: str
    description: str
    options: int
    levels: int
    measured: MeasuredCounts
    invalid: int
    environments: tuple[EnvironmentRow, ...]
    has_model: bool


@dataclass(frozen=True, slots=True)
class Range:
    """The fastest and the slowest of `configurations` measured end to end, each by its median, in the metric's unit.

    `default` is the default configuration's, None where it was not measured so.
    """

    low: float
    high: float
    configurations: int
    default: float | None


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """An influence model in short: its influences relative to the base that the page of influences opens with.

    `range` is None where nothing was measured end to end, `explained` where a term is unknown or no option matters.
    """

    influences: Influences
    report: AccuracyReport
    range: Range | None
    explained: Explained | None

    @property
    def model(self) -> ModelIdentity:
        """What the model was made from."""
        return self.influences.model
