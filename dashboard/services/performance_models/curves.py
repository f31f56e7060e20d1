"""What models are learned from: the end-to-end values of all revisions of a workload, an environment and a metric."""

import math
from dataclasses import dataclass
from statistics import median

import numpy as np
from django.db.models import Count

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from dashboard.access import Refused
from dashboard.models import PerformanceModel, System
from dashboard.selectors.end_to_end import end_to_end_measurements
from dashboard.services.identities import CurveContext


@dataclass(frozen=True, slots=True)
class CurveKey(CurveContext):
    """What models are learned of, with its names."""

    workload: str
    environment: str
    metric: str


def curves_of(system: System, metric: str = "") -> tuple[CurveKey, ...]:
    """The curves of a system that models can be learned of, by name. Raises `Refused`.

    More than one configuration was measured end to end, and no analysis of regions or of all combinations is there.
    """
    analysed = set(
        PerformanceModel.objects.filter(system=system)
        .exclude(kind__in=PerformanceModel.LEARNED_KINDS)
        .values_list("workload_id", "environment_id")
    )
    rows = (
        end_to_end_measurements(system)
        .values_list(
            "run__workload_id",
            "run__environment_id",
            "metric_id",
            "run__workload__name",
            "run__environment__name",
            "metric__quantity",
        )
        .annotate(configurations=Count("run__configuration_id", distinct=True))
        .filter(configurations__gt=1)
        .order_by()
    )
    found = [CurveKey(*row[:-1]) for row in rows if (row[0], row[1]) not in analysed]
    wanted = [key for key in found if metric in ("", key.metric)]
    if metric and not wanted:
        known = ", ".join(sorted({key.metric for key in found})) or "none that a model can be learned of"
        raise Refused(f"{system.slug!r} has no metric {metric!r}; it has {known}")
    return tuple(sorted(wanted, key=lambda key: (key.workload, key.environment, key.metric_id)))


def read_values(
    system: System, where: CurveContext
) -> tuple[dict[int, dict[int, list[float]]], dict[int, int], dict[int, dict[str, str]]]:
    """The valid end-to-end values by revision and configuration (ids), in the order of their runs.

    Beside them the newest batch of each revision, and what each configuration assigns.
    """
    rows = (
        end_to_end_measurements(system)
        .filter(
            run__workload_id=where.workload_id,
            run__environment_id=where.environment_id,
            metric_id=where.metric_id,
        )
        .order_by("run_id")
    )
    values: dict[int, dict[int, list[float]]] = {}
    batches: dict[int, int] = {}
    for revision, configuration, batch, value in rows.values_list(
        "run__revision_id", "run__configuration_id", "run__batch_id", "value"
    ):
        values.setdefault(revision, {}).setdefault(configuration, []).append(value)
        batches[revision] = max(batch, batches.get(revision, 0))
    measured = {configuration for own in values.values() for configuration in own}
    assigned = dict(system.configurations.filter(pk__in=measured).values_list("pk", "assignments"))
    return values, batches, assigned


def read_curve(
    system: System, key: CurveKey, space: OptionSpace
) -> tuple[IntArray, FloatArray, dict[int, int]]:
    """Configurations (n, n_options) of a curve, their values (n, n_revisions), and the newest batch of each revision.

    A value is the median of a configuration's measurements at a revision, NaN where there are none. Revisions and batches
    are ids, in the order of the columns.
    """
    found, batches, assigned = read_values(system, key)
    # By content, not by id: a system and its imported copy give the same sums to the last digit.
    ordered = sorted(assigned, key=lambda configuration: sorted(assigned[configuration].items()))
    revisions = dict(sorted(batches.items()))
    values = [
        [median(found[revision].get(configuration, [math.nan])) for revision in revisions]
        for configuration in ordered
    ]
    return space.encode(assigned[configuration] for configuration in ordered), np.array(values), revisions
