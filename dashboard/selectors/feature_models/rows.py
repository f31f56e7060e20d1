"""What is told of a feature model on screen: frozen rows, free of Django."""

from dataclasses import dataclass

from dashboard.selectors.model_rows import ChosenConfiguration


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """A feature of the tree, `depth` steps below the root.

    `kind` tells how it can be chosen: root, mandatory, optional, alternative or number. `values` are those of a
    numeric feature, `option` and `level` what it became, blank where it is always present.
    """

    name: str
    depth: int
    kind: str
    values: tuple[str, ...]
    option: str
    level: str
    output: str


@dataclass(frozen=True, slots=True)
class LocationRow:
    """A source range of a feature; `region` is the key of a region that it lies in, or blank.

    It is valid from `first_revision` on, up to but without `removed_in`; both may be blank.
    """

    feature: str
    file: str
    first_line: int
    last_line: int
    first_revision: str
    removed_in: str
    category: str
    region: str = ""


@dataclass(frozen=True, slots=True)
class FeatureModelDetail:
    """A feature model as its page shows it; `combinations` counts all combinations of levels, `valid` the valid ones.

    `conditions` are what a configuration must satisfy beside its levels, in words.
    """

    system_name: str
    name: str
    path: str
    commit: str
    features: tuple[FeatureRow, ...]
    options: int
    combinations: int
    valid: int
    conditions: tuple[str, ...]
    locations: tuple[LocationRow, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """What a configuration violates, in words, and the nearest valid one, where there is one."""

    conditions: tuple[str, ...]
    nearest: ChosenConfiguration | None
    changes: tuple[tuple[str, str], ...]
    """The options in which the nearest one differs, each with its level there."""
