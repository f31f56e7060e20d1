"""Evidence against an analysis: counts of two runs that differ, and times that scatter within a subspace."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.formulas import parse, words
from analytics.configurations.options import OptionSpace
from analytics.whitebox.result import DependencyEvidence
from dashboard.access import NotFound
from dashboard.models import PerformanceModel, System
from dashboard.selectors.histories.series import words as levels_in_words
from dashboard.selectors.loaded_models import load_selected
from dashboard.selectors.model_rows import Selection

# What a count of each kind is of, in words.
_COUNTED = {
    "call": "entries",
    "if": "times true",
    "else": "times false",
    "turn": "turns",
    "case": "matches",
    "except": "catches",
}
# Beyond this coefficient of variation the paper takes a subspace for not understood.
LIMIT = 1.0


@dataclass(frozen=True, slots=True)
class WideSubspace:
    """A subspace of a region whose runs scatter: their mean in the metric's unit, and deviation by mean."""

    region: str
    words: str
    mean: float
    variation: float
    runs: int


@dataclass(frozen=True, slots=True)
class Spread:
    """The subspaces with a coefficient of variation above `LIMIT`, those that take longest first, of all `checked`."""

    unit: str
    checked: int
    wide: tuple[WideSubspace, ...]


def evidence_in_words(one: DependencyEvidence, space: OptionSpace) -> str:
    """What was counted where: "line 27: 12 turns with A, 14 with A + C"."""
    several = [option.name for option in space.options if len(option.levels) > 2]
    first, second = (levels_in_words(space.differing(levels), several) for levels in one.levels)
    before, after = one.counts
    return f"line {one.line}: {before} {_COUNTED[one.kind]} with {first}, {after} with {second}"


def subspace_spread(*, system: System, revision: str) -> Spread | None:
    """The check on the measured times of a revision; None where no model has the analysis' partitions.

    A subspace is checked if it holds at least two runs and took any time.
    """
    try:
        selected = load_selected(system, Selection(revision=revision))
    except NotFound:
        return None
    if selected.loaded.row.kind != PerformanceModel.Kind.PARTITIONED:
        return None
    times = selected.loaded.times
    checked, wide = 0, []
    for position, (region, partition) in enumerate(zip(times.regions, times.partitions, strict=True)):
        assigned = partition.assign(times.configurations)
        for index, formula in enumerate(partition.formulas):
            inside = assigned == index
            values = times.values[position, inside][times.ran[inside]]
            if len(values) < 2 or values.mean() <= 0:
                continue
            checked += 1
            variation = float(np.std(values, ddof=1) / values.mean())
            if variation > LIMIT:
                said = words(parse(formula), times.space)
                wide.append(WideSubspace(region, said, float(values.mean()), variation, len(values)))
    unit = selected.loaded.row.unit
    return Spread(unit, checked, tuple(sorted(wide, key=lambda one: -one.mean)))
