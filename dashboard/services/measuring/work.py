"""What a count of each region weighs: learned once of a system, from profiles and counts of the same configurations."""

from collections import Counter
from math import fsum

from django.db.models import Sum

from analytics.work import CountWeights, learned_weights
from dashboard.models import Batch, CountedRun, Measurement, Metric, RegionMeasurement, Run
from dashboard.selectors.batch_manifests import count_weights, save_manifest
from dashboard.selectors.counts import counts_by_region, site_tables
from dashboard.services.metrics import WORK, counted
from dashboard.services.points import keys_of, update_points
from probe.selftime import INTERVAL_SECONDS

_CELL = ("revision_id", "configuration_id", "workload_id", "environment_id")


def learn_weights(batch: Batch, *, is_sent: bool = False) -> None:
    """Learn the weights from a batch with profiles and counts, if its system has none; values of work move with them.

    Call it in the transaction that ends the batch's job. A machine of others that sent the batch knew no weights that there are.
    """
    if known := count_weights(batch.system):
        if is_sent:
            _weigh_anew(batch, CountWeights(known))
        return
    samples: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    profiled = batch.runs.filter(kind=Run.Kind.PROFILED, status=Run.Status.OK, invalid_reason="")
    calls = Counter(profiled.values_list(*_CELL))
    tables = site_tables([batch.pk])
    for one in CountedRun.objects.filter(batch=batch):
        if not (
            profiles := calls[one.revision_id, one.configuration_id, one.workload_id, one.environment_id]
        ):
            continue
        for region, count in counts_by_region(one, tables).items():
            counts[region] += count * profiles
    seen = RegionMeasurement.objects.filter(run__in=profiled).values_list("region__key")
    for region, seconds in seen.annotate(seconds=Sum("value")):
        samples[region] += seconds / INTERVAL_SECONDS
    if weights := learned_weights(samples, counts):
        save_manifest(batch, count_weights=weights)
        _weigh_anew(batch, CountWeights(weights))


def _weigh_anew(batch: Batch, weights: CountWeights) -> None:
    """Write the work of all counted runs of the batch's system with these weights."""
    measured: dict[tuple[int, ...], Measurement] = {}
    metric: Metric = counted(WORK)
    own = Measurement.objects.filter(run__batch__system=batch.system, metric=metric)
    for one in own.select_related("run"):
        measured[one.run.batch_id, *(getattr(one.run, name) for name in _CELL)] = one
    tables = site_tables({key[0] for key in measured})
    for run in CountedRun.objects.filter(batch__system=batch.system):
        key = (run.batch_id, *(getattr(run, name) for name in _CELL))
        if key in measured:
            measured[key].value = fsum(weights.work(counts_by_region(run, tables)).values())
    Measurement.objects.bulk_update(measured.values(), ["value"], batch_size=500)
    update_points(system=batch.system, keys=keys_of(own))
