"""What models are learned from: the end-to-end values of all revisions of a workload, an environment and a metric."""

from dataclasses import dataclass
from statistics import median

import numpy as np
from django.db.models import Count

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from dashboard.models import Measurement, PerformanceModel, System
from dashboard.selectors.end_to_end import end_to_end_runs


class LearningRefused(ValueError):
    """What was asked for cannot be learned."""


@dataclass(frozen=True, slots=True)
class CurveContext:
    """The ids of a workload, an environment and a metric: over all revisions they have one set of terms."""

    workload_id: int
    environment_id: int
    metric_id: int


@dataclass(frozen=True, slots=True)
class CurveKey(CurveContext):
    """The same with their names."""

    workload: str
    environment: str
    metric: str


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """Values (n, n_revisions) of configurations (n, n_options), NaN where one was not measured.

    `revisions` are ids; `batches` the newest batch of each revision's runs.
    """

    key: CurveKey
    configurations: IntArray
    values: FloatArray
    revisions: tuple[int, ...]
    batches: tuple[int, ...]


def curves_of(system: System, metric: str = "") -> tuple[CurveKey, ...]:
    """The curves of a system that models can be learned of, by name. Raises `LearningRefused`.

    More than one configuration was measured end to end, and no analysis of regions or of all combinations is there.
    """
    analysed = set(
        PerformanceModel.objects.filter(system=system)
        .exclude(kind__in=PerformanceModel.LEARNED_KINDS)
        .values_list("workload_id", "environment_id")
    )
    rows = (
        Measurement.objects.filter(run__in=end_to_end_runs(system))
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
        raise LearningRefused(f"{system.slug!r} has no metric {metric!r}; it has {known}")
    return tuple(sorted(wanted, key=lambda key: (key.workload, key.environment, key.metric_id)))


def read_curve(system: System, key: CurveKey, space: OptionSpace) -> Curve:
    """The values of one curve: the median of each configuration's measurements at each revision."""
    rows = Measurement.objects.filter(
        run__in=end_to_end_runs(system).filter(
            workload_id=key.workload_id, environment_id=key.environment_id
        ),
        metric_id=key.metric_id,
    ).values_list("run__revision_id", "run__configuration_id", "run__batch_id", "value")
    found: dict[tuple[int, int], list[float]] = {}
    batches: dict[int, int] = {}
    for revision, configuration, batch, value in rows:
        found.setdefault((revision, configuration), []).append(value)
        batches[revision] = max(batch, batches.get(revision, 0))
    assigned = dict(
        system.configurations.filter(pk__in={configuration for _, configuration in found}).values_list(
            "pk", "assignments"
        )
    )
    # By content, not by id: a system and its imported copy give the same sums to the last digit.
    ordered = sorted(assigned, key=lambda configuration: sorted(assigned[configuration].items()))
    row_of = {configuration: row for row, configuration in enumerate(ordered)}
    revisions = tuple(sorted(batches))
    column_of = {revision: column for column, revision in enumerate(revisions)}
    values = np.full((len(ordered), len(revisions)), np.nan)
    for (revision, configuration), own in found.items():
        values[row_of[configuration], column_of[revision]] = median(own)
    return Curve(
        key=key,
        configurations=space.encode(assigned[configuration] for configuration in ordered),
        values=values,
        revisions=revisions,
        batches=tuple(batches[revision] for revision in revisions),
    )
