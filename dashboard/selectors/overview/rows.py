"""What the selectors of the overview hand out: frozen rows."""

from dataclasses import dataclass

import numpy as np

from analytics.influence.variance import Explained
from dashboard.selectors.accuracy import AccuracyReport
from dashboard.selectors.end_to_end import EndToEnd
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
class ModelSummary:
    """An influence model in short: its influences relative to the base that the page of influences opens with.

    `measured` are the configurations measured end to end, maybe none, each with its median in the metric's unit.
    `explained` is None where a term is unknown or no option matters.
    """

    influences: Influences
    report: AccuracyReport
    measured: EndToEnd
    explained: Explained | None

    @property
    def model(self) -> ModelIdentity:
        """What the model was made from."""
        return self.influences.model

    @property
    def default_measured(self) -> float | None:
        """The default configuration's median, end to end; None where it was not measured so."""
        levels = np.zeros(self.measured.configurations.shape[1], dtype=np.int8)
        return self.measured.by_levels.get(levels.tobytes())
