"""The measured regions of the selected model: all of them, and one with everything that its page shows."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import compress

import numpy as np
from django.db.models import Count

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.formulas import Formula, Literal, parse, words
from analytics.configurations.operations import Operation, atoms
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.errors import UnknownRegionError
from analytics.influence.models import InfluenceModel, LocalTerms
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import Estimate, TermTable
from analytics.influence.times import FloatArray
from dashboard.access import NotFound
from dashboard.models import PerformanceModel, Region, RegionVersion, System
from dashboard.selectors.loaded_models import (
    SelectedModel,
    chosen_of,
    load_selected,
    model_at,
    reaching_options,
    terms,
)
from dashboard.selectors.model_rows import ModelKey, Selection, TermRow
from dashboard.selectors.performance_models import get_model
from dashboard.selectors.regions.rows import RegionDetail, RegionList, RegionRow, Repetition, SubspaceRow
from dashboard.selectors.regions.sources import source_of, versions_of
from dashboard.selectors.whitebox.analyses import newest_detail, region_analysis
from dashboard.selectors.whitebox.rows import RegionAnalysis


def regions(*, system: System, selection: Selection) -> RegionList:
    """All regions, those that take most at the selected base first. Raises `NotFound`."""
    selected = load_selected(system, selection)
    times = selected.loaded.times
    total = model_at(selected, selected.base).terms.estimates()[0]
    versions = RegionVersion.objects.filter(region__system=system)
    of_revision = versions.filter(revision__name=selected.loaded.row.revision)
    files = dict(of_revision.values_list("region__key", "file"))
    bodies = dict(versions.values_list("region__key").annotate(Count("body_digest", distinct=True)))
    names = {one["key"]: one for one in system.regions.values("key", "name", "package")}
    reached, largest = reaching_options(selected.key), _largest_terms(selected.key, selected.composed)
    rows = []
    at_base = [one for group in selected.composed.local for one in group.subspaces.estimates(selected.base)]
    known, own = _known(system, selected), zip(_members(selected), largest, at_base, strict=True)
    for (local, member, values, between), term, taken in own:
        key = times.regions[position := int(local.subspaces.regions[member])]
        options, partitions = known.get(key, ((), ()))
        rows.append(
            RegionRow(
                **names[key],
                file=files.get(key, ""),
                is_program=key == times.program_region,
                time=values[0],
                share=values[0] / total.value if total.value else None,
                target_time=values[1] if selected.target is not None else None,
                largest=term,
                options=tuple(compress(times.space.names, reached[position])),
                subspaces=local.subspaces.partition.n_subspaces,
                versions=bodies.get(key, 0),
                reached=options,
                partitions=partitions,
                between=between,
                taken=selected.loaded.row.possible(taken),
            )
        )
    return RegionList(
        model=selected.loaded.row,
        base=chosen_of(selected.loaded, selected.base),
        base_time=total,
        target=None if selected.target is None else chosen_of(selected.loaded, selected.target),
        regions=tuple(sorted(rows, key=lambda row: -row.time)),
    )


def _known(
    system: System, selected: SelectedModel
) -> dict[str, tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]]:
    """The options that get to the decisions of a region and its subspaces: by an analysis, else as imported."""
    found: dict[str, tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]] = {}
    if selected.loaded.row.kind == PerformanceModel.Kind.PARTITIONED:
        for group in (local.subspaces for local in selected.composed.local):
            own = group.partition
            names = tuple(own.space.names[at] for at in own.options)
            keys = (selected.loaded.times.regions[at] for at in group.regions)
            found.update(dict.fromkeys(keys, (names, (own.formulas,))) if names else {})
    if (analysis := newest_detail(system, selected.loaded.row.revision)) is not None:
        found.update((one.key, (one.options, one.partitions)) for one in analysis.regions)
    return found


def region(*, system: System, selection: Selection, key: str) -> RegionDetail:
    """One region: its terms, its subspaces with every repetition, its versions and its source. Raises `NotFound`."""
    selected = load_selected(system, selection)
    try:
        table = selected.composed.local_model(key)
    except UnknownRegionError as error:
        raise NotFound(f"{error}: it was not measured in revision {selected.loaded.row.revision}") from None
    known = Region.objects.filter(system=system, key=key).first()
    if known is None:
        raise NotFound(f"{system.slug!r} has no region {key!r}")
    values = table.estimates()
    rows = np.flatnonzero((table.degrees > 0) & table.determined & (table.coefficients != 0))
    total = float(selected.model.terms.coefficients[0])
    model = get_model(selected.loaded.row.model_id)
    versions = versions_of(known, system)
    times = selected.loaded.times
    options = tuple(compress(times.space.names, reaching_options(selected.key)[times.regions.index(key)]))
    traced = None
    if not known.is_program:
        traced = region_analysis(system=system, region=key, revision=model.revision.name)
    return RegionDetail(
        model=selected.loaded.row,
        base=chosen_of(selected.loaded, selected.base),
        key=key,
        name=known.name,
        is_program=known.is_program,
        time=selected.loaded.row.possible(values[0]),
        share=values[0].value / total if total else None,
        terms=terms(table, [1] * len(rows), values, rows),
        options=options,
        subspaces=subspaces_of(selected, table, key, options),
        versions=versions,
        source=source_of(known, model, versions, selected),
        traced=traced,
        formula_times=_formula_times(selected, key, traced),
    )


def _members(selected: SelectedModel) -> Iterator[tuple[LocalTerms, int, list[float], Estimate | None]]:
    """Every region's local terms and row, with its values at the base and at the target, and the difference of these."""
    ends = [selected.base] if selected.target is None else [selected.base, selected.target]
    for local in selected.composed.local:
        group = local.subspaces
        values = group.values[:, group.partition.assign(np.stack(ends))]
        differences: Sequence[Estimate | None] = [None] * len(values)
        if selected.target is not None:
            differences = group.differences(selected.base, selected.target)
        for member, (own, difference) in enumerate(zip(values.tolist(), differences, strict=True)):
            yield local, member, own, difference


@lru_cache(maxsize=16)
def _largest_terms(key: ModelKey, model: InfluenceModel) -> tuple[TermRow | None, ...]:
    """The largest of the significant terms of each region, in the order of `_members`; None where none is significant.

    `model` is one of those that are kept under the key. Terms are significant by their interval, and over options that reach
    the region at all: of the many terms of an exhaustive analysis, some intervals leave out zero by chance.
    """
    found: list[TermRow | None] = []
    for local in model.local:
        for member, reached in enumerate(reaching_options(key)[local.subspaces.regions]):
            table = model.table(local, member)
            significant = table.significant & ~((table.levels != UNTOUCHED) & ~reached).any(axis=1)
            sizes = np.where(
                significant & (table.degrees > 0), np.abs(np.nan_to_num(table.coefficients)), 0.0
            )
            row = int(sizes.argmax())
            one = table.where(np.arange(len(table)) == row)
            found.append(terms(one, [1], one.estimates(), np.array([0]))[0] if sizes[row] else None)
    return tuple(found)


def _subspaces_measured(
    selected: SelectedModel, key: str, options: tuple[str, ...]
) -> tuple[Partition, list[float | None], list[IntArray]]:
    """The partition of a region; of an exhaustive analysis the one over `options`, which change its time.

    With it, for each subspace: what the model takes for it, None where nothing was measured, and the rows of the
    measured configurations inside.
    """
    times = selected.loaded.times
    position = times.regions.index(key)
    if selected.loaded.row.kind == PerformanceModel.Kind.PARTITIONED:
        local, member = selected.composed.local_of(key)
        partition, values = local.subspaces.partition, local.subspaces.values[member].tolist()
    else:
        partition, values = Partition.exhaustive(times.space, options), []
    assigned = partition.assign(times.configurations)
    inside = [np.flatnonzero(assigned == index) for index in range(partition.n_subspaces)]
    return (
        partition,
        [None if np.isnan(one) else one for one in values] or _medians(selected, position, inside),
        inside,
    )


def _medians(selected: SelectedModel, position: int, inside: Sequence[IntArray]) -> list[float | None]:
    """The median over the configurations of each subspace of the medians of their repetitions; None without any."""
    times = selected.loaded.times
    each = [[np.median(times.values[position, row][times.ran[row]]) for row in rows] for rows in inside]
    return [float(np.median(one)) if one else None for one in each]


def _formula_times(selected: SelectedModel, key: str, traced: RegionAnalysis | None) -> dict[str, float]:
    """What was measured in each subspace of the partitions that an analysis told: of partitions other than the model's own."""
    if traced is None or selected.loaded.row.kind == PerformanceModel.Kind.PARTITIONED:
        return {}
    times = selected.loaded.times
    position = times.regions.index(key)
    found: dict[str, float] = {}
    for formulas in traced.partitions:
        try:
            partition = Partition.from_formulas(times.space, formulas)
        except ConfigurationError:
            # Options have other levels than when it was analyzed.
            continue
        assigned = partition.assign(times.configurations)
        inside = [np.flatnonzero(assigned == index) for index in range(partition.n_subspaces)]
        medians = zip(formulas, _medians(selected, position, inside), strict=True)
        found.update((formula, value) for formula, value in medians if value is not None)
    return found


def subspaces_of(
    selected: SelectedModel, table: TermTable, key: str, options: tuple[str, ...]
) -> tuple[SubspaceRow, ...]:
    """The same with every repetition and in words, the largest time first; `table` are the region's terms."""
    times = selected.loaded.times
    position = times.regions.index(key)
    weights = np.abs(np.nan_to_num(table.coefficients)) @ (table.levels != UNTOUCHED)
    partition, values, inside = _subspaces_measured(selected, key, options)
    offset = times.offset if key == times.program_region else 0.0
    of_base = int(partition.assign(selected.base[np.newaxis])[0])
    rows = [
        SubspaceRow(
            words=_words(formula, times.space, weights),
            formula=formula,
            time=value,
            repetitions=tuple(
                Repetition(
                    selected.loaded.names[row] or f"configuration {row + 1}",
                    int(run),
                    float(times.values[position, row, run]) + offset,
                )
                for row in members.tolist()
                for run in np.flatnonzero(times.ran[row])
            ),
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
    if (
        isinstance(formula, Operation)
        and formula.operator == "&"
        and all(isinstance(part, Literal) or part.operator == "!" for part in formula.parts)
    ):

        def weight(part: Formula) -> float:
            return -max((float(weights[space.position(one.option)]) for one in atoms(part)), default=0.0)

        formula = Operation("&", tuple(sorted(formula.parts, key=weight)))
    return words(formula, space)
