"""The configurations that tell a step: those that have some of its options away from a base, and no others."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.identities import changed_levels, selector_of
from analytics.configurations.options import IntArray, OptionSpace
from analytics.step_parts import Changed, term_weights
from dashboard.access import NotFound
from dashboard.models import Series, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.histories.rows import SeriesRow

# With more options away from the base only interactions of so many of them are looked at.
_FEW_OPTIONS, _HIGHEST_DEGREE = 6, 3


@dataclass(frozen=True, slots=True, eq=False)
class StepConfigurations:
    """The configurations that tell a step: `weights` sum them to the series, `cells` are those of its `whole` and of parts of it.

    `cells` maps the options that one has away from the `base` to its identity; `levels` are the labels of `whole`.
    """

    whole: Changed
    weights: Mapping[Changed, float]
    cells: Mapping[Changed, str]
    levels: Mapping[str, str]
    words: Mapping[str, str]
    base: Mapping[str, str]

    def label(self, term: Changed) -> str:
        """A term in words; without any option it is what all share, or what the only one does."""
        common = "every configuration" if self.whole else "this configuration"
        return " × ".join(self.words[name] for name in sorted(term)) or common

    def selection(self, changed: Changed) -> str:
        """One configuration as selections write it."""
        return (
            selector_of({**self.base, **{name: self.levels[name] for name in sorted(changed)}}) or "default"
        )

    def untold(self, terms: Collection[Changed]) -> tuple[str, ...]:
        """The terms, in words, of up to two options and of all options, that are not among `terms`."""
        return tuple(dict.fromkeys(self.label(one) for one in self.needed if one not in terms))

    @property
    def needed(self) -> tuple[Changed, ...]:
        """The configurations that tell all terms of up to two options, of few options all, and the weighted ones."""
        degree = len(self.whole) if len(self.whole) <= _HIGHEST_DEGREE else 2
        names = sorted(self.whole)
        subsets = chain.from_iterable(combinations(names, size) for size in range(degree + 1))
        return tuple(dict.fromkeys([*map(frozenset, subsets), *self.weights]))


def step_configurations(system: System, series: SeriesRow) -> StepConfigurations:
    """The configurations that tell the steps of a series of a configuration or a term. Two queries.

    Of a configuration the base has every switch off that it has on; where no such base was measured it is the reference.
    Raises `NotFound` for a series of another kind.
    """
    space = options_of(system)
    rows = dict(system.configurations.values_list("identity", "assignments"))
    levels = dict(zip(rows, space.encode(rows.values()), strict=True)) if rows else {}
    if series.kind == Series.SubjectKind.TERM:
        try:
            whole = changed_levels(space, space.reference, series.subject)
        except ConfigurationError as error:
            raise NotFound(f"{series.label}: {error}") from None
        return _between(space, space.reference, whole, levels, is_term=True)
    if series.kind != Series.SubjectKind.CONFIGURATION or series.subject not in levels:
        raise NotFound(f"{series.label} is no configuration and no term: only their steps are split")
    whole = levels[series.subject]
    off = np.array(
        [
            one.levels.index(False) if set(map(repr, one.levels)) == {"True", "False"} else 0
            for one in space.options
        ],
        dtype=np.int8,
    )
    found = _between(space, off, whole, levels)
    return found if frozenset() in found.cells else _between(space, space.reference, whole, levels)


def _between(
    space: OptionSpace,
    base: IntArray,
    whole: IntArray,
    levels: Mapping[str, IntArray],
    *,
    is_term: bool = False,
) -> StepConfigurations:
    def changed(row: IntArray) -> Changed:
        return frozenset(space.names[at] for at in np.flatnonzero(row != base))

    every = changed(whole)
    most = len(every) if len(every) <= _FEW_OPTIONS else _HIGHEST_DEGREE
    cells = {changed(row): one for one, row in levels.items() if ((row == base) | (row == whole)).all()}
    cells = {one: row for one, row in cells.items() if len(one) <= most or one == every}
    words, written = {}, {}
    for at in np.flatnonzero(whole != base):
        option, level = space.options[at], int(whole[at])
        written[option.name] = option.labels[level]
        is_switch = len(option.levels) == 2 and option.levels[level] in (True, 1)
        words[option.name] = option.name if is_switch else f"{option.name} = {option.text(level)}"
    held = {
        option.name: option.labels[int(base[at])] for at, option in enumerate(space.options) if base[at] != 0
    }
    weights = term_weights(every) if is_term else {every: 1.0}
    return StepConfigurations(every, weights, cells, written, words, held)
