"""The versions of a region over the revisions, its source with the time of its lines, and how the time is shared out."""

from collections import defaultdict

import numpy as np
from django.db.models import Max

from analytics.configurations.options import IntArray
from dashboard.models import Batch, PerformanceModel, Region, RegionMeasurement, RegionVersion, Run, System
from dashboard.selectors.batch_manifests import manifest_of, unseen
from dashboard.selectors.configurations import options_of
from dashboard.selectors.feature_models.locations import in_file, locations_of
from dashboard.selectors.loaded_models import SelectedModel, chosen_of
from dashboard.selectors.model_rows import ChosenConfiguration
from dashboard.selectors.performance_models import valid_runs
from dashboard.selectors.regions.rows import RegionSource, SourceLine, VersionRow
from dashboard.selectors.systems import visible_runs

# So many runs, the newest: what they spend is what a change would be seen in.
_PROFILES = 20


def versions_of(region: Region, system: System) -> tuple[VersionRow, ...]:
    """The region in each revision that has it, in the order of revisions. Two queries."""
    rows = (
        RegionVersion.objects.filter(region=region, revision__system=system)
        .annotate(at=Max("revision__positions__position"))
        .select_related("revision")
        .order_by("at", "revision_id")
    )
    hidden = unseen(RegionVersion)
    versions: list[VersionRow] = []
    before = ""
    for row in rows:
        if row.pk in hidden:
            continue
        versions.append(
            VersionRow(
                revision=row.revision.name,
                file=row.file,
                first_line=row.first_line,
                last_line=row.last_line,
                changed=bool(before) and row.body_digest != before,
                has_source=row.source_id is not None,
            )
        )
        before = row.body_digest
    return tuple(versions)


def text_of(system: System, key: str, revision: str) -> tuple[VersionRow, tuple[str, ...]] | None:
    """Where a region stands in a revision, and its lines; None where no source of it is stored. One query."""
    row = (
        RegionVersion.objects.filter(
            region__system=system, region__key=key, revision__name=revision, source__isnull=False
        )
        .select_related("source")
        .first()
    )
    if row is None or row.source is None or row.pk in unseen(RegionVersion):
        return None
    version = VersionRow(revision, row.file, row.first_line, row.last_line, changed=False, has_source=True)
    return version, tuple(row.source.text.splitlines())


def source_of(
    region: Region, model: PerformanceModel, versions: tuple[VersionRow, ...], selected: SelectedModel
) -> RegionSource | None:
    """The region's source in the revision of the analysis, None where the data hold none. Seven queries at most."""
    version = next((one for one in versions if one.revision == model.revision.name), None)
    if version is None or not version.has_source:
        return None
    stored = RegionVersion.objects.select_related("source").get(region=region, revision=model.revision)
    text = stored.source.text if stored.source else ""
    times, configuration = _line_times(region, model, selected)
    places = [one for one in locations_of(model.system, version.revision) if in_file(one, version.file)]
    lines = tuple(
        SourceLine(
            number,
            line,
            times.get(number),
            tuple(dict.fromkeys(one.feature for one in places if one.first_line <= number <= one.last_line)),
        )
        for number, line in enumerate(text.splitlines(), start=version.first_line)
    )
    # As the data's source wrote it, for the package that the region is in.
    package = region.package.partition(".")[0]
    batches = Batch.objects.filter(system=model.system, state=Batch.State.VISIBLE)
    licence = next(filter(None, (manifest_of(batch).licences.get(package) for batch in batches)), "")
    return RegionSource(version=version, lines=lines, configuration=configuration, licence=licence)


def _line_times(
    region: Region, model: PerformanceModel, selected: SelectedModel
) -> tuple[dict[int, float], ChosenConfiguration]:
    """What each line takes of one configuration's time in the region, and that configuration.

    The time is the one that the model takes for it; it is shared out by what its runs spent in each line. Medians of lines would
    not sum to it. The configuration is the base where the region takes time there, else the one in which it takes longest.
    """
    runs = valid_runs(model, Run.Kind.PROFILED)
    seen: dict[int, list[tuple[float, dict[int, float]]]] = {}
    assignments: dict[int, dict[str, str]] = {}
    for configuration, assigned, value, lines in RegionMeasurement.objects.filter(
        run__in=runs, region=region, metric_id=model.region_metric_id, lines__isnull=False
    ).values_list("run__configuration_id", "run__configuration__assignments", "value", "lines"):
        seen.setdefault(configuration, []).append((value, lines or {}))
        assignments[configuration] = assigned
    if not seen:
        return {}, chosen_of(selected.loaded, selected.base)
    space = options_of(model.system)
    levels = dict(zip(seen, space.encode(assignments[one] for one in seen), strict=True))
    taken = {one: _time_at(region.key, levels[one], selected) for one in seen}
    at_base = [one for one in seen if taken[one] and (levels[one] == selected.base).all()]
    shown = at_base[0] if at_base else max(seen, key=taken.__getitem__)
    spent: defaultdict[int, float] = defaultdict(float)
    for _, lines in seen[shown]:
        for number, seconds in lines.items():
            spent[number] += seconds
    whole = sum(value for value, _ in seen[shown])
    factor = taken[shown] / whole if whole else 0.0
    return {number: seconds * factor for number, seconds in spent.items()}, chosen_of(
        selected.loaded, levels[shown]
    )


def _time_at(key: str, levels: IntArray, selected: SelectedModel) -> float:
    """What the model takes for the runs of one configuration in a region, those in which it was not seen with no time."""
    times = selected.loaded.times
    row = int(np.flatnonzero((times.configurations == levels).all(axis=1))[0])
    values = times.values[times.regions.index(key), row][times.ran[row]]
    return float((np.median if times.aggregate_repetitions == "median" else np.mean)(values))


def time_shares(*, system: System, workload: str) -> dict[tuple[str, str], float]:
    """The share of the time in each function, by file and qualified name; empty where nothing was profiled. Three queries.

    Time outside of all functions is a part of the whole.
    """
    profiled = visible_runs(system).filter(
        kind=Run.Kind.PROFILED, status=Run.Status.OK, invalid_reason="", workload__name=workload
    )
    runs = list(profiled.order_by("-pk").values_list("pk", flat=True)[:_PROFILES])
    spent: defaultdict[int, float] = defaultdict(float)
    for region, value in RegionMeasurement.objects.filter(run__in=runs).values_list("region_id", "value"):
        spent[region] += value
    total = sum(spent.values())
    versions = RegionVersion.objects.filter(region__in=spent).order_by("pk")
    places = {
        pk: (file, name) for pk, file, name in versions.values_list("region_id", "file", "region__name")
    }
    return {place: spent[pk] / total for pk, place in places.items()} if total else {}
