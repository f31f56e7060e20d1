"""The subspaces of a region: what the model takes for each, and what was measured there."""

import numpy as np

from analytics.configurations.formulas import And, Formula, Literal, Not, literals, parse, words
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray
from dashboard.models import PerformanceModel
from dashboard.selectors.loaded_models import SelectedModel
from dashboard.selectors.regions.rows import Repetition, SubspaceRow


def subspaces_measured(
    selected: SelectedModel, key: str, options: tuple[str, ...]
) -> tuple[Partition, list[float | None], list[IntArray]]:
    """The partition of a region; of an exhaustive analysis the one over `options`, which change its time.

    With it, for each subspace: what the model takes for it, None where nothing was measured, and the rows of the
    measured configurations inside.
    """
    times = selected.loaded.times
    position = times.regions.index(key)
    if selected.loaded.row.kind == PerformanceModel.Kind.PARTITIONED:
        partition = times.partitions[position]
        local, member = selected.composed.local_of(key)
        group = local.subspaces
        assigned, values = group.assigned, group.values[member].tolist()
        inside = [np.flatnonzero(assigned == index) for index in range(len(values))]
    else:
        partition = Partition.exhaustive(times.space, options)
        assigned = partition.assign(times.configurations)
        inside = [np.flatnonzero(assigned == index) for index in range(partition.n_subspaces)]
        values = [_centre(selected, position, members) for members in inside]
    return partition, [None if np.isnan(value) else float(value) for value in values], inside


def subspaces_of(
    selected: SelectedModel, table: TermTable, key: str, options: tuple[str, ...]
) -> tuple[SubspaceRow, ...]:
    """The same with every repetition and in words, the largest time first; `table` are the region's terms."""
    times = selected.loaded.times
    position = times.regions.index(key)
    weights = np.abs(np.nan_to_num(table.coefficients)) @ (table.levels != UNTOUCHED)
    partition, values, inside = subspaces_measured(selected, key, options)
    of_base = int(partition.assign(selected.base[np.newaxis])[0])
    rows = [
        SubspaceRow(
            words=_words(formula, times.space, weights),
            formula=formula,
            time=value,
            repetitions=_repetitions(selected, position, members),
            configurations=len(members),
            holds_base=index == of_base,
        )
        for index, (formula, value, members) in enumerate(
            zip(partition.formulas, values, inside, strict=True)
        )
    ]
    return tuple(sorted(rows, key=lambda row: -(row.time if row.time is not None else -1.0)))


def _words(text: str, space: OptionSpace, weights: FloatArray) -> str:
    """A formula in words; where it is a plain conjunction, the options that matter most come first."""
    formula = parse(text)
    if isinstance(formula, And) and all(isinstance(part, Literal | Not) for part in formula.parts):

        def weight(part: Formula) -> float:
            return -max((float(weights[space.position(one.option)]) for one in literals(part)), default=0.0)

        formula = And(tuple(sorted(formula.parts, key=weight)))
    return words(formula, space)


def _centre(selected: SelectedModel, position: int, members: IntArray) -> float:
    """The median over configurations of the medians of their repetitions; NaN without any."""
    each = [
        float(np.median(selected.loaded.times.values[position, row][selected.loaded.times.ran[row]]))
        for row in members
    ]
    return float(np.median(each)) if each else float("nan")


def _repetitions(selected: SelectedModel, position: int, members: IntArray) -> tuple[Repetition, ...]:
    times, names = selected.loaded.times, selected.loaded.names
    offset = times.offset if times.regions[position] == times.program_region else 0.0
    return tuple(
        Repetition(
            names[row] or f"configuration {row + 1}",
            int(run),
            float(times.values[position, row, run]) + offset,
        )
        for row in members.tolist()
        for run in np.flatnonzero(times.ran[row])
    )
