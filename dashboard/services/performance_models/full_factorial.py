"""Full-factorial models: of measured revisions whose partitions are not known, over all combinations of levels."""

import math
from collections.abc import Collection

from django.db.models import Count, Min

from dashboard.models import Batch, Configuration, Level, Measurement, Metric, PerformanceModel, Run, System
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.performance_models import measured_kind, valid_runs
from dashboard.services.metrics import seconds
from dashboard.services.performance_models.storing import model_of, save_next_version
from dashboard.services.region_rows import program_region

# Combinations of levels beyond which nobody measures enough of them for a model of this kind.
MOST_COMBINATIONS = 4096
# Formats of files that hold measurements of configurations, and nothing that a model could be made of otherwise.
FACTORIAL_FORMATS = frozenset({"csv"})


def refresh_factorial_models(*, system: System, batch: Batch) -> int:
    """Make the models of all contexts of a batch, or widen them; returns how many there are.

    A model says which options vary among the measured configurations: each combination of their levels counts as
    one subspace of every region. One configuration alone, or options with more than 4096 combinations, make none.
    """
    return refresh_factorial_models_in(
        system=system,
        contexts=MeasurementContext.of_runs(Run.objects.filter(batch=batch, status=Run.Status.OK)),
    )


def refresh_factorial_models_in(*, system: System, contexts: Collection[MeasurementContext]) -> int:
    """Likewise for these contexts, after runs there were stored, marked invalid or restored.

    A model whose valid runs do not make one any more goes away.
    """
    return sum(_refresh(system, context) for context in contexts)


def make_factorial_models(*, system: System, batch: Batch) -> None:
    """Make the models of an imported batch: one for each context and metric in which it compares configurations.

    They are over the options that vary in the batch, if these have at most 4096 combinations.
    """
    measured = Measurement.objects.filter(run__batch=batch, run__status=Run.Status.OK)
    of_batch = Configuration.objects.filter(pk__in=measured.values("run__configuration_id"))
    options = varied_options(system, list(of_batch))
    if not options or _combinations(system, options) > MOST_COMBINATIONS:
        return
    context = ("run__revision_id", "run__workload_id", "run__environment_id")
    rows = (
        measured.values_list(*context, "metric_id")
        .annotate(n=Count("run__configuration_id", distinct=True), first=Min("pk"))
        .filter(n__gt=1)
        .order_by(*context, "first")
    )
    for revision, workload, environment, metric, _, _ in rows:
        where = MeasurementContext(revision, workload, environment)
        model = model_of(system, where, PerformanceModel.Kind.FULL_FACTORIAL, metric, batch.pk)
        model.options = options
        model.save()


def varied_options(system: System, configurations: list[Configuration]) -> list[str]:
    """The options that do not have one level in all configurations, by position."""
    names = system.options.values_list("name", flat=True)
    return [
        name
        for name in names
        if len({configuration.assignments.get(name) for configuration in configurations}) > 1
    ]


def _refresh(system: System, context: MeasurementContext) -> bool:
    kind = PerformanceModel.Kind.FULL_FACTORIAL
    # An imported one may be over another metric.
    known = PerformanceModel.objects.filter(system=system, kind=kind, **context.as_filter()).first()
    model = known or model_of(system, context, kind, seconds(Metric.Clock.CPU).pk)
    of_runs = measured_kind(model)
    runs = valid_runs(model, of_runs)
    configurations = list(Configuration.objects.filter(pk__in=runs.values("configuration_id")))
    options = varied_options(system, configurations)
    if not options or _combinations(system, options) > MOST_COMBINATIONS:
        if known is not None:
            known.delete()
        return False
    if known is None:
        model.batch = Batch.objects.filter(runs__in=runs).latest("pk")
    if of_runs == Run.Kind.PLAIN:
        # Nothing was profiled: the program as a whole is the one region.
        program_region(system)
    model.options = options
    save_next_version(model)
    return True


def _combinations(system: System, options: Collection[str]) -> int:
    counts = dict.fromkeys(options, 0)
    for name in Level.objects.filter(option__system=system, option__name__in=options).values_list(
        "option__name", flat=True
    ):
        counts[name] += 1
    return math.prod(counts.values())
