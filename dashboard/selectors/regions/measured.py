"""The measured regions of the selected model: all of them, and one with everything that its page shows."""

from collections.abc import Iterator
from itertools import compress

import numpy as np
from django.db.models import Count

from analytics.configurations.formulas import BoolArray
from analytics.configurations.partitions import Partition
from analytics.influence.errors import UnknownRegionError
from analytics.influence.models import LocalTerms
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import TermTable
from analytics.whitebox.region_dependencies import RegionDependencies
from dashboard.access import NotFound
from dashboard.models import PerformanceModel, Region, RegionVersion, System
from dashboard.selectors.loaded_models import (
    SelectedModel,
    chosen_of,
    identity,
    load_selected,
    model_at,
    terms,
)
from dashboard.selectors.model_rows import ModelIdentity, Selection, TermRow
from dashboard.selectors.performance_models import get_model
from dashboard.selectors.regions.options import reaching_options
from dashboard.selectors.regions.rows import RegionDetail, RegionList, RegionRow
from dashboard.selectors.regions.sources import source_of, versions_of
from dashboard.selectors.regions.subspaces import subspaces_measured, subspaces_of
from dashboard.selectors.whitebox.analyses import dependent_regions_of, region_analysis


def regions(*, system: System, selection: Selection) -> RegionList:
    """All regions, those that take most at the selected base first. Raises `NotFound`."""
    selected = load_selected(system, selection)
    times = selected.loaded.times
    total = model_at(selected, selected.base).terms.estimates()[0]
    files, bodies = _versions(system, selected.loaded.row.revision)
    names = {
        key: (name, package)
        for key, name, package in Region.objects.filter(system=system).values_list("key", "name", "package")
    }
    reached = reaching_options(selected.key)
    dependent = dependent_regions_of(system=system, revision=selected.loaded.row.revision)
    partitioned = selected.loaded.row.kind == PerformanceModel.Kind.PARTITIONED
    rows = []
    for local, member, values in _members(selected):
        position = int(local.subspaces.regions[member])
        key = times.regions[position]
        table = selected.composed.table(local, member)
        rows.append(
            RegionRow(
                key=key,
                name=names[key][0],
                package=names[key][1],
                file=files.get(key, ""),
                is_program=key == times.program_region,
                time=values[0],
                share=values[0] / total.value if total.value else None,
                target_time=values[1] if selected.target is not None else None,
                largest=_largest(table, _significant(table, reached[position])),
                options=tuple(compress(times.space.names, reached[position])),
                subspaces=local.subspaces.partition.n_subspaces,
                versions=bodies.get(key, 0),
                **_known(dependent.get(key), local.subspaces.partition if partitioned else None),
            )
        )
    return RegionList(
        model=identity(selected.loaded),
        base=chosen_of(selected.loaded, selected.base),
        base_time=total,
        target=None if selected.target is None else chosen_of(selected.loaded, selected.target),
        regions=tuple(sorted(rows, key=lambda row: -row.time)),
    )


def _known(traced: RegionDependencies | None, imported: Partition | None) -> dict[str, tuple[str, ...]]:
    """What an analysis tells of a region, else what its partition does."""
    if traced is not None:
        formulas = tuple(text for part in traced.partitions for text in part)
        return {"reached": traced.options, "partition": formulas}
    if imported is None or not imported.options:
        return {}
    names = tuple(imported.space.names[at] for at in imported.options)
    return {"reached": names, "partition": imported.formulas}


def region(*, system: System, selection: Selection, key: str) -> RegionDetail:
    """One region: its terms, its subspaces with every repetition, its versions and its source. Raises `NotFound`."""
    selected = load_selected(system, selection)
    table = _local_model(selected, key)
    known = Region.objects.filter(system=system, key=key).first()
    if known is None:
        raise NotFound(f"{system.slug!r} has no region {key!r}")
    values = table.estimates()
    rows = np.flatnonzero((table.degrees > 0) & table.determined & (table.coefficients != 0))
    total = float(selected.model.terms.coefficients[0])
    model = get_model(selected.loaded.row.model_id)
    versions = versions_of(known, system)
    options = _options(selected, key)
    return RegionDetail(
        model=identity(selected.loaded),
        base=chosen_of(selected.loaded, selected.base),
        target=None if selected.target is None else chosen_of(selected.loaded, selected.target),
        key=key,
        name=known.name,
        package=known.package,
        is_program=known.is_program,
        time=values[0],
        share=values[0].value / total if total else None,
        terms=terms(table, [1] * len(rows), values, rows),
        options=options,
        subspaces=subspaces_of(selected, table, key, options),
        versions=versions,
        source=source_of(known, model, versions, selected),
        traced=None
        if known.is_program
        else region_analysis(system=system, region=key, revision=model.revision.name),
    )


def subspace_times(
    *, system: System, selection: Selection, key: str
) -> tuple[ModelIdentity, dict[str, float | None]]:
    """What the model takes for each subspace of a region, by formula, and nothing else of it. Raises `NotFound`.

    The time is None where no measured configuration lies inside.
    """
    selected = load_selected(system, selection)
    _local_model(selected, key)
    partition, times, _ = subspaces_measured(selected, key, _options(selected, key))
    return identity(selected.loaded), dict(zip(partition.formulas, times, strict=True))


def _local_model(selected: SelectedModel, key: str) -> TermTable:
    """The terms of a region. Raises `NotFound`."""
    try:
        return selected.composed.local_model(key)
    except UnknownRegionError as error:
        raise NotFound(f"{error}: it was not measured in revision {selected.loaded.row.revision}") from None


def _options(selected: SelectedModel, key: str) -> tuple[str, ...]:
    """The options that change a region's time."""
    times = selected.loaded.times
    return tuple(compress(times.space.names, reaching_options(selected.key)[times.regions.index(key)]))


def _versions(system: System, revision: str) -> tuple[dict[str, str], dict[str, int]]:
    """The file of each region in a revision, and how many bodies it has over all revisions; by key. Two queries."""
    versions = RegionVersion.objects.filter(region__system=system)
    files = versions.filter(revision__name=revision).values_list("region__key", "file")
    bodies = versions.values_list("region__key").annotate(Count("body_digest", distinct=True))
    return dict(files), dict(bodies)


def _members(selected: SelectedModel) -> Iterator[tuple[LocalTerms, int, list[float]]]:
    """Every region's local terms and row, with its values at the base and at the target."""
    ends = [selected.base] if selected.target is None else [selected.base, selected.target]
    for local in selected.composed.local:
        group = local.subspaces
        values = group.values[:, group.partition.assign(np.stack(ends))]
        for member, own in enumerate(values.tolist()):
            yield local, member, own


def _largest(table: TermTable, significant: BoolArray) -> TermRow | None:
    """The largest of the significant terms; the largest of all where none is."""
    sizes = np.where(table.degrees > 0, np.abs(np.nan_to_num(table.coefficients)), 0.0)
    row = int((sizes * significant if (sizes * significant).any() else sizes).argmax())
    if sizes[row] == 0.0:
        return None
    one = table.where(np.arange(len(table)) == row)
    return terms(one, [1], one.estimates(), np.array([0]))[0]


def _significant(table: TermTable, reached: BoolArray) -> BoolArray:
    """Which terms are significant: by their interval, and over options that reach the region at all.

    Of the many terms of an exhaustive analysis, some intervals leave out zero by chance.
    """
    outside = ((table.levels != UNTOUCHED) & ~reached).any(axis=1)
    return np.asarray(table.significant & ~outside)
