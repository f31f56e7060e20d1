"""What a bundle says of hybrid models: terms with their coefficients, in the whole program and in each region."""

from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le, MaxLen, MinLen

from dashboard.importers.limits import (
    LARGEST,
    LONGEST,
    LevelLabel,
    OptionName,
    Position,
    RevisionName,
    Value,
    WorkloadName,
)

Count = Annotated[int, Ge(0), Le(LARGEST)]


@dataclass(frozen=True, slots=True)
class TermsRecord:
    """A linear model: terms as {option: label of the level that it selects}, {} for the intercept.

    `covariance` of the coefficients is its lower triangle, row by row.
    """

    terms: tuple[dict[OptionName, LevelLabel], ...]
    coefficients: tuple[Value, ...]
    covariance: tuple[Value, ...]
    degrees_of_freedom: Count


@dataclass(frozen=True, slots=True)
class RegionTermsRecord:
    """The terms of one region, by its key."""

    region: Annotated[str, MinLen(1), MaxLen(LONGEST["region key"])]
    model: TermsRecord


@dataclass(frozen=True, slots=True)
class HybridRecord:
    """A hybrid model, learned from `configurations` over `options` by the rules that `code` names.

    `error` in percent is of `checked` held-back configurations. `current`: nothing was measured since. `tainted`: an
    analysis told which options may matter where.
    """

    batch: Position
    revision: RevisionName
    workload: WorkloadName
    environment: Position
    metric: Position
    code: Annotated[str, MinLen(1), MaxLen(40)]
    seed: Count
    tainted: bool
    current: bool
    options: tuple[OptionName, ...]
    configurations: Count
    checked: Count
    error: Value | None
    whole: TermsRecord
    regions: tuple[RegionTermsRecord, ...]
