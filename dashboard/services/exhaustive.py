"""Analyses of measured revisions for which no partition is known: the measured configurations themselves tell."""

import math

from dashboard.models import (
    Analysis,
    Batch,
    Configuration,
    Environment,
    Level,
    Metric,
    Revision,
    Run,
    System,
    Workload,
)
from dashboard.services.metrics import seconds

# Combinations of levels beyond which nobody measures enough of them for a model of this kind.
MOST_COMBINATIONS = 4096


def refresh_exhaustive_analyses(*, system: System, batch: Batch) -> int:
    """Make or widen the analysis of every revision, workload and environment of a batch; returns how many there are.

    An analysis says which options vary among the measured configurations: each combination of their levels counts
    as one subspace of every region. One configuration alone, or options with more than 4096 combinations, make none.
    """
    places = (
        Run.objects.filter(batch=batch, status=Run.Status.OK)
        .values_list("revision_id", "workload_id", "environment_id")
        .distinct()
    )
    return sum(_refresh(system, batch, *place) for place in places)


def varied_options(system: System, configurations: list[Configuration]) -> list[str]:
    """The options that do not have one level in all configurations, by position."""
    names = system.options.values_list("name", flat=True)
    return [
        name
        for name in names
        if len({configuration.assignments.get(name) for configuration in configurations}) > 1
    ]


def _refresh(system: System, batch: Batch, revision_id: int, workload_id: int, environment_id: int) -> bool:
    runs = Run.objects.filter(
        revision_id=revision_id,
        workload_id=workload_id,
        environment_id=environment_id,
        status=Run.Status.OK,
        invalid_reason="",
        batch__state=Batch.State.VISIBLE,
    )
    configurations = list(Configuration.objects.filter(pk__in=runs.values("configuration_id")))
    options = varied_options(system, configurations)
    counts: dict[str, int] = dict.fromkeys(options, 0)
    for name in Level.objects.filter(option__system=system, option__name__in=options).values_list(
        "option__name", flat=True
    ):
        counts[name] += 1
    if not options or math.prod(counts.values()) > MOST_COMBINATIONS:
        return False
    metric = seconds(Metric.Clock.CPU)
    place = {
        "revision": Revision.objects.get(pk=revision_id),
        "workload": Workload.objects.get(pk=workload_id),
        "environment": Environment.objects.get(pk=environment_id),
    }
    known = Analysis.objects.filter(system=system, kind=Analysis.Kind.EXHAUSTIVE, **place).first()
    analysis = known or Analysis(system=system, kind=Analysis.Kind.EXHAUSTIVE, batch=batch, **place)
    analysis.region_metric = analysis.total_metric = metric
    analysis.aggregate_repetitions = analysis.aggregate_configurations = Analysis.Aggregator.MEDIAN
    analysis.options = options
    analysis.data_version += 1
    analysis.save()
    return True
