"""What the selectors of the overview hand out: frozen rows, free of Django."""

from dataclasses import dataclass

from analytics.influence.variance import Explained
from dashboard.selectors.model_rows import ChosenConfiguration, Estimate, ModelIdentity, TermRow
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
    """An influence model in short, relative to `base`, which takes `base_time`: the default where that is known.

    `terms` are all that are determined, largest first. `error` is the mean absolute error in percent of the truth
    over `checked` configurations measured end to end, `corrected_error` likewise after removing the profiler's
    overhead; None where `error_reason` says why there is none. `left_out` tells that each configuration was predicted
    from all others.
    """

    model: ModelIdentity
    base: ChosenConfiguration
    base_time: Estimate
    range: Range | None
    terms: tuple[TermRow, ...]
    explained: Explained | None
    error: float | None
    corrected_error: float | None
    corrected_sd: float | None
    error_reason: str
    checked: int
    distinct_subspaces: int
    uncovered_subspaces: int
    left_out: bool = False
