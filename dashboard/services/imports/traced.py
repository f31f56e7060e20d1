"""Writing the analyses and counts of a bundle."""

from collections.abc import Callable, Sequence

from django.db import transaction

from dashboard.importers.records import SystemRecords
from dashboard.models import CountedRun, CountSites, System, WhiteBoxAnalysis
from dashboard.selectors.packed_counts import pack_counts, pack_sites
from dashboard.services.imports.reference import Places

_CHUNK = 1_000


def write_traced(
    system: System, records: SystemRecords, places: Places, batches: Sequence[int], beat: Callable[[], None]
) -> None:
    """Write them beneath their batches, in chunks; `beat` is called in the transaction of each."""
    for tracing in records.tracings:
        with transaction.atomic():
            beat()
            WhiteBoxAnalysis.objects.create(
                system=system,
                batch_id=batches[tracing.batch],
                revision_id=places.revisions[tracing.revision],
                workload_id=places.workloads[tracing.workload],
                result=tracing.found,
            )
    for one in records.counts:
        at = {"batch_id": batches[one.batch], "revision_id": places.revisions[one.revision]}
        with transaction.atomic():
            beat()
            CountSites.objects.create(sites=pack_sites(one.sites), **at)
        for start in range(0, len(one.runs), _CHUNK):
            with transaction.atomic():
                beat()
                CountedRun.objects.bulk_create(
                    CountedRun(
                        configuration_id=places.configurations[run.configuration],
                        workload_id=places.workloads[run.workload],
                        environment_id=places.environments[run.environment],
                        counts=pack_counts(dict(run.counts)),
                        cpu_seconds=run.cpu_seconds,
                        **at,
                    )
                    for run in one.runs[start : start + _CHUNK]
                )
