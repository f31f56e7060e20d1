"""What the selectors of influences hand out: frozen rows, free of Django.

Values are in the metric's own unit (seconds for times).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import floor, log10

from analytics.influence.accuracy import PredictionQuality as PredictionQuality  # noqa: PLC0414 -- likewise
from analytics.influence.terms import Estimate as Estimate  # noqa: PLC0414 -- pages may not import it from there

# The kind of performance model, as rows and addresses say it.
HYBRID = "hybrid"


ALL_DEGREES = (1, 2, 3)
_FEW = 20  # terms that are shown unasked
_STEPS = (1, 2, 3, 5, 7)
_DECADES = 4
_SLACK = 1e-9  # relative: a sum that rounding left just below the threshold still reaches it


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
class ModelKey:
    """What a kept model belongs to: another import, a later write or another metric makes another key."""

    model_id: int
    imported_at: datetime
    data_version: int
    metric_id: int


@dataclass(frozen=True, slots=True)
class ModelIdentity:
    """A performance model; `kind` is `partitioned`, `full_factorial`, `learned` or `hybrid` (over `options`).

    `quantity`, `unit` and `clock` are those of its region metric. `terms_from` tells whose choice the terms of a learned
    one are: `published` or `own`, "" of others.

    The rest is the size of what it was made from, which a list does not know. `whole_grid` tells whether every
    combination of the measured levels was measured; so many options were `varied`. `uncovered_is_zero`: a region takes no time where it was not
    measured, by the convention of feature traces. `is_current` is False where a stored model is of older measurements.
    `is_multiplicative`: effects multiply, and influences add up between two configurations alone.
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
    configurations: int = 0
    repetitions: int = 0
    regions: int = 0
    whole_grid: bool = True
    varied: int = 0
    uncovered_is_zero: bool = False
    is_current: bool = True
    is_multiplicative: bool = False

    @property
    def metric(self) -> str:
        """What tells this model from those of other metrics, as an address says it."""
        return self.quantity

    @property
    def is_of_whole_runs(self) -> bool:
        """Whether it is composed of what whole runs took, for no region was measured: nothing is left to check it against."""
        return not self.regions and not self.is_learned

    @property
    def is_never_negative(self) -> bool:
        """Whether no value can be below zero: of what costs something, as a time does."""
        return self.lower_is_better

    def possible(self, estimate: Estimate) -> Estimate:
        """What is told of a value of the metric: no interval reaches where no value can be."""
        return estimate.never_negative() if self.is_never_negative else estimate

    @property
    def is_learned(self) -> bool:
        """Whether it was learned from end-to-end measurements, and not composed of measured regions."""
        return self.kind == "learned" or self.is_hybrid

    @property
    def is_hybrid(self) -> bool:
        """Whether it is the extension that was learned from counts, with times or without."""
        return self.kind == HYBRID

    @property
    def is_counted(self) -> bool:
        """Whether its values are counts, which have no noise."""
        return self.clock == "count"


@dataclass(frozen=True, slots=True)
class OptionLevels:
    """An option and its levels in words, the reference level first.

    Of a model, `regions` counts those that it reaches; `varied` tells whether the measurements hold more than one level, `named`
    whether a term of the whole model names it, also one that may be zero.
    """

    name: str
    levels: tuple[str, ...]
    description: str
    regions: int = 0
    varied: bool = False
    named: bool = False


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
    """What changing these options together adds beyond what fewer of them add, over `regions` regions.

    Where effects multiply, `factor` tells by how much.
    """

    key: str
    changes: tuple[LevelChange, ...]
    influence: Estimate
    regions: int
    factor: float | None = None

    @property
    def degree(self) -> int:
        """The number of options that take part."""
        return len(self.changes)


@dataclass(frozen=True, slots=True)
class Influences:
    """The influence model relative to `base`; with `target`, exactly the terms of the change base -> target.

    `terms` are sorted by absolute influence, largest first, and with a target sum to `difference`, that of the two
    times. What was measured end to end is None where the configuration was not. `undetermined` counts terms that need a
    subspace which no measured configuration covers. `quality` is that of predictions; a learned model predicted each
    configuration by a model that was made without it. `error_of_mean` is the error of expecting the mean instead, None
    where too few configurations tell it.
    """

    model: ModelIdentity
    options: tuple[OptionLevels, ...]
    base: ChosenConfiguration
    base_time: Estimate
    base_measured: float | None
    target: ChosenConfiguration | None
    target_time: Estimate | None
    target_measured: float | None
    difference: Estimate | None
    terms: tuple[TermRow, ...]
    undetermined: int
    quality: PredictionQuality
    error_of_mean: float | None


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


@dataclass(frozen=True, slots=True)
class TermFilter:
    """What a term must be to be shown.

    At least `threshold` in size (the metric's unit), of one of `degrees` (3 stands for three and more), with
    every word of `text` inside one of its options' names, and significant unless `uncertain` ones are wanted too.
    """

    threshold: float = 0.0
    degrees: tuple[int, ...] = ALL_DEGREES
    text: str = ""
    uncertain: bool = True

    def shown(self, terms: Sequence[TermRow]) -> tuple[TermRow, ...]:
        """Those of `terms` that pass, in their order."""
        words = self.text.lower().split()
        return tuple(
            term
            for term in terms
            if abs(term.influence.value) >= self.threshold * (1 - _SLACK)
            and min(term.degree, ALL_DEGREES[-1]) in self.degrees
            and (self.uncertain or not term.influence.may_be_zero)
            and all(any(word in change.option.lower() for change in term.changes) for word in words)
        )


def thresholds(terms: Sequence[TermRow]) -> tuple[float, ...]:
    """Round thresholds to choose from: 0, then over four decades up to the largest influence."""
    largest = max((abs(term.influence.value) for term in terms), default=0.0)
    if largest == 0.0:
        return (0.0,)
    top = floor(log10(largest))
    steps = [round(step * 10.0**power, 12) for power in range(top - _DECADES, top + 1) for step in _STEPS]
    return (0.0, *(step for step in steps if step <= largest))


def sensible_threshold(terms: Sequence[TermRow]) -> float:
    """The smallest threshold that leaves few enough terms to read."""
    choices = thresholds(terms)
    return next((one for one in choices if len(TermFilter(one).shown(terms)) <= _FEW), choices[-1])
