"""What the selectors of influences hand out: frozen rows, free of Django.

Values are in the metric's own unit (seconds for times).
"""

from dataclasses import dataclass

from analytics.influence.terms import Estimate

# `Estimate` goes through to pages, which may not import from `analytics.influence`.
__all__ = [
    "HYBRID",
    "ChosenConfiguration",
    "Estimate",
    "Influences",
    "LevelChange",
    "ModelIdentity",
    "ModelRow",
    "OptionLevels",
    "PredictionError",
    "Selection",
    "TermRegion",
    "TermRegions",
    "TermRow",
]

# The kind of performance model, as rows and addresses say it.
HYBRID = "hybrid"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which model is asked for, as an address says it; "" stands for the newest, for the default, or for none.

    `base` and `compared` are configurations: `all`, the name of a measured one, or what differs from the default.
    `model` is `hybrid` for the hybrid one, else the model is any but that, unless there is no other.
    """

    revision: str = ""
    workload: str = ""
    environment: str = ""
    base: str = ""
    compared: str = ""
    metric: str = ""
    model: str = ""

    @property
    def context(self) -> dict[str, str]:
        """What is selected of revision, workload, environment and metric, by name."""
        names = ("revision", "workload", "environment", "metric")
        return {name: value for name in names if (value := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A performance model in a list; `kind` is `partitioned`, `full_factorial`, `learned` or `hybrid` (over `options`).

    `quantity`, `unit` and `clock` are those of its region metric. `terms_from` tells whose choice the terms of a learned
    one are: `published` or `own`, "" of others.
    """

    model_id: int
    system: str
    system_name: str
    revision: str
    workload: str
    environment: str
    kind: str
    options: tuple[str, ...]
    quantity: str
    unit: str
    clock: str
    lower_is_better: bool
    data_version: int
    terms_from: str = ""

    @property
    def metric(self) -> str:
        """What tells this model from those of other metrics, as an address says it."""
        return self.quantity

    @property
    def is_learned(self) -> bool:
        """Whether it was learned from end-to-end measurements, and not composed of measured regions."""
        return self.kind == "learned" or self.is_hybrid

    @property
    def is_hybrid(self) -> bool:
        """Whether it is the extension that was learned from counts and times."""
        return self.kind == HYBRID


@dataclass(frozen=True, slots=True)
class ModelIdentity(ModelRow):
    """A performance model with the size of what it was made from.

    `whole_grid` tells whether every combination of the measured levels was measured. `uncovered_is_zero`: a region takes
    no time where it was not measured, by the convention of feature traces. `is_current` is False where a stored model is
    of older measurements.
    """

    configurations: int = 0
    repetitions: int = 0
    regions: int = 0
    whole_grid: bool = True
    uncovered_is_zero: bool = False
    is_current: bool = True


@dataclass(frozen=True, slots=True)
class OptionLevels:
    """An option and its levels in words, the reference level first.

    `regions` counts those that it reaches; `varied` tells whether the measurements hold more than one level.
    """

    name: str
    levels: tuple[str, ...]
    description: str
    regions: int
    varied: bool


@dataclass(frozen=True, slots=True)
class ChosenConfiguration:
    """One configuration: how an address writes it, its name, and its (option, level) that are not the default."""

    key: str
    name: str
    differences: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LevelChange:
    """One option on its way from a level to another."""

    option: str
    from_level: str
    to_level: str


@dataclass(frozen=True, slots=True)
class TermRow:
    """What changing these options together adds beyond what fewer of them add, over `regions` regions."""

    key: str
    changes: tuple[LevelChange, ...]
    influence: Estimate
    regions: int

    @property
    def degree(self) -> int:
        """The number of options that take part."""
        return len(self.changes)


@dataclass(frozen=True, slots=True)
class PredictionError:
    """How far predictions lie from measured totals: mean absolute error in percent of the truth.

    `left_out` tells that each configuration was predicted by a model learned from all others.
    """

    mape: float
    configurations: int
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Influences:
    """The influence model relative to `base`; with `target`, exactly the terms of the change base -> target.

    `terms` are sorted by absolute influence, largest first, and with a target sum to the difference of the two
    times. What was measured end to end is None where the configuration was not. `undetermined` counts terms that need a subspace which no measured configuration covers.
    """

    model: ModelIdentity
    options: tuple[OptionLevels, ...]
    base: ChosenConfiguration
    base_time: Estimate
    base_measured: float | None
    target: ChosenConfiguration | None
    target_time: Estimate | None
    target_measured: float | None
    terms: tuple[TermRow, ...]
    undetermined: int
    accuracy: PredictionError | None


@dataclass(frozen=True, slots=True)
class TermRegion:
    """What one region adds to a term; `share` is its fraction of the term, None where the term is zero.

    `has_page` tells whether the region was measured or traced, so that a page can show it.
    """

    key: str
    name: str
    package: str
    influence: Estimate
    share: float | None
    has_page: bool = True


@dataclass(frozen=True, slots=True)
class TermRegions:
    """A term and where it arises: regions, largest first, and the program region (None: it adds nothing).

    The regions and the program region together sum to the term's influence.
    """

    model: ModelIdentity
    term: TermRow
    regions: tuple[TermRegion, ...]
    outside: TermRegion | None
