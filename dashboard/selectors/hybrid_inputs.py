"""What hybrid models of a system are learned from: places with counts and times; and those that were learned."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef

from analytics.influence.hybrid import Candidates, CountedSample
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.times import FloatArray
from analytics.whitebox.region_dependencies import candidate_options
from dashboard.models import Batch, CountedRun, Measurement, Metric, PerformanceModel, System
from dashboard.selectors.counts import counted_runs
from dashboard.selectors.end_to_end import end_to_end, end_to_end_runs
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.model_settings import hybrid_settings
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.analyses import newest_analysis


@dataclass(frozen=True, slots=True)
class CountedContext:
    """A context in which so many configurations were both counted and measured end to end; `batch_id` is the newest."""

    context: MeasurementContext
    revision: str
    workload: str
    environment: str
    configurations: int
    batch_id: int

    @property
    def title(self) -> str:
        """The context in words."""
        return f"{self.revision}, {self.workload}, {self.environment}"


def counted_contexts(system: System, metric_id: int) -> tuple[CountedContext, ...]:
    """Where more than one configuration has counts and end-to-end values of a metric, those with most first. One query."""
    timed = Measurement.objects.filter(
        metric_id=metric_id,
        run__in=end_to_end_runs(system),
        run__configuration_id=OuterRef("configuration_id"),
        run__revision_id=OuterRef("revision_id"),
        run__workload_id=OuterRef("workload_id"),
        run__environment_id=OuterRef("environment_id"),
    )
    rows = (
        CountedRun.objects.filter(Exists(timed), batch__system=system, batch__state=Batch.State.VISIBLE)
        .order_by()
        .values_list(
            "revision_id",
            "workload_id",
            "environment_id",
            "revision__name",
            "workload__name",
            "environment__name",
        )
        .annotate(configurations=Count("configuration_id", distinct=True), newest=Max("batch_id"))
        .filter(configurations__gt=1)
    )
    found = [CountedContext(MeasurementContext(*row[:3]), *row[3:]) for row in rows]
    return tuple(sorted(found, key=lambda one: (-one.configurations, -one.batch_id)))


def contexts_to_learn(system: System) -> tuple[CountedContext, ...]:
    """The contexts with counted and timed configurations, most first. Two queries."""
    metric = Metric.objects.filter(quantity="time", unit="s", clock=Metric.Clock.CPU).first()
    return () if metric is None else counted_contexts(system, metric.pk)


def hybrid_input(
    *, system: System, counted_in: CountedContext, metric_id: int
) -> tuple[CountedSample, Candidates | None]:
    """The runs of a context and the options that taint each region, None where its revision was not analyzed.

    Raises `NotFound`, and `HybridError` where it is too little.

    Counts that two runs of one configuration do not agree on are left out.
    """
    space = options_of(system)
    counted = counted_runs(
        system=system,
        revision=counted_in.revision,
        workload=counted_in.workload,
        environment_id=counted_in.context.environment_id,
    )
    runs = end_to_end_runs(system).filter(**counted_in.context.as_filter())
    timed = end_to_end(runs, metric_id, space).by_levels
    seconds = np.array([timed.get(row.tobytes(), np.nan) for row in counted.configurations])
    rows, sites = np.flatnonzero(seconds > 0), np.flatnonzero(~counted.nondeterministic)
    newest = newest_analysis(system, counted_in.revision)
    return (
        CountedSample(
            space=space,
            configurations=counted.configurations[rows],
            counts=counted.counts[np.ix_(rows, sites)],
            regions=tuple(counted.sites[at][0] for at in sites.tolist()),
            plain=seconds[rows],
            counted=_counted_seconds(counted.cpu_seconds[rows], metric_id),
        ),
        None if newest is None else candidate_options(newest.result, space),
    )


def _counted_seconds(found: FloatArray, metric_id: int) -> FloatArray | None:
    """The times of the counting runs, which were taken by one clock; None where one is not known."""
    by_that_clock = Metric.objects.filter(pk=metric_id, clock=Metric.Clock.CPU).exists()
    return found if by_that_clock and (found > 0).all() else None


@dataclass(frozen=True, slots=True)
class HybridRow:
    """A hybrid model: of which context, from so many configurations; `is_current` by its measurements."""

    revision: str
    workload: str
    environment: str
    configurations: int
    is_current: bool


def hybrid_models(system: System) -> tuple[HybridRow, ...]:
    """The models that are there, newest first. One query."""
    fits = (
        PerformanceModel.objects.filter(
            system=system,
            kind=PerformanceModel.Kind.HYBRID,
            batch__state=Batch.State.VISIBLE,
            fits__method_version=HYBRID_VERSION,
        )
        .order_by("-fits__pk")
        .values_list(
            "revision__name",
            "workload__name",
            "environment__name",
            "settings",
            "data_version",
            "fits__data_version",
        )
    )
    return tuple(
        HybridRow(
            revision, workload, environment, hybrid_settings(settings).configurations, version == of_fit
        )
        for revision, workload, environment, settings, version, of_fit in fits
    )
