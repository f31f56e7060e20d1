"""The analyses and counts of one system as records. For the selector of whole systems."""

from collections import defaultdict
from collections.abc import Collection
from operator import attrgetter

from analytics.whitebox.dependencies import Site
from dashboard.importers.whitebox_records import CountedRunRecord, CountsRecord, WhiteBoxRecord
from dashboard.models import CountedRun, CountSites, WhiteBoxAnalysis
from dashboard.selectors.export.runs import Places
from dashboard.selectors.packed_counts import unpack_counts, unpack_sites


def tracings(places: Places) -> tuple[WhiteBoxRecord, ...]:
    """The analyses of these batches that have traced anything, by batch."""
    found = WhiteBoxAnalysis.objects.filter(batch_id__in=list(places.batches))
    records = [
        WhiteBoxRecord(places.batches[one.batch_id], one.revision.name, one.workload.name, one.result)
        for one in found.select_related("revision", "workload")
    ]
    return tuple(sorted(records, key=attrgetter("batch")))


def counts(places: Places) -> tuple[CountsRecord, ...]:
    """What these batches counted, by batch and revision; sites and runs in an order of their own content."""
    batches = list(places.batches)
    tables = {
        (one.batch_id, one.revision_id): unpack_sites(one.sites)
        for one in CountSites.objects.filter(batch_id__in=batches)
    }
    by_place: dict[tuple[int, str], list[tuple[CountedRun, dict[Site, int]]]] = defaultdict(list)
    rows = CountedRun.objects.filter(batch_id__in=batches).select_related("revision", "workload")
    for one in rows:
        table = tables[one.batch_id, one.revision_id]
        positions, values = unpack_counts(one.counts)
        said = zip((table[at] for at in positions.tolist()), values.tolist(), strict=True)
        by_place[places.batches[one.batch_id], one.revision.name].append((one, dict(said)))
    return tuple(_record(*place, by_place[place], places) for place in sorted(by_place))


def environments(batches: Collection[int]) -> set[int]:
    """The environments that these batches counted in."""
    found = CountedRun.objects.filter(batch_id__in=batches)
    return set(found.values_list("environment_id", flat=True).distinct())


def _record(
    batch: int, revision: str, rows: list[tuple[CountedRun, dict[Site, int]]], places: Places
) -> CountsRecord:
    sites = sorted({site for _, said in rows for site in said})
    position = {site: at for at, site in enumerate(sites)}
    runs = [
        CountedRunRecord(
            configuration=places.configurations[one.configuration_id],
            workload=one.workload.name,
            environment=places.environments[one.environment_id],
            counts=tuple(sorted((position[site], count) for site, count in said.items())),
            cpu_seconds=one.cpu_seconds,
        )
        for one, said in rows
    ]
    runs.sort(key=attrgetter("configuration", "workload", "environment"))
    return CountsRecord(batch, revision, tuple(sites), tuple(runs))  # type: ignore[arg-type]  # the probe's words
