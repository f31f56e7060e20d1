"""What hybrid models of a system are learned from: places with counts and times; and those that were learned."""

from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from analytics.influence.hybrid import Candidates, CountedSample
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.times import FloatArray
from analytics.whitebox.region_dependencies import candidate_options
from dashboard.models import Batch, CountedRun, Measurement, Metric, PerformanceModel, Run, System
from dashboard.selectors.counts import counted_runs
from dashboard.selectors.end_to_end import end_to_end, end_to_end_runs
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.analyses import newest_analysis


@dataclass(frozen=True, slots=True)
class CountedPlace:
    """Where so many configurations were both counted and measured end to end: ids and names; `batch_id` is the newest."""

    revision_id: int
    workload_id: int
    environment_id: int
    revision: str
    workload: str
    environment: str
    configurations: int
    batch_id: int

    @property
    def ids(self) -> tuple[int, int, int]:
        """What tells the place from the others: the ids of revision, workload and environment."""
        return self.revision_id, self.workload_id, self.environment_id

    @property
    def title(self) -> str:
        """The place in words."""
        return f"{self.revision}, {self.workload}, {self.environment}"


@dataclass(frozen=True, slots=True, eq=False)
class HybridInput:
    """The runs of a place, and the options that taint each region: None where its revision was not analyzed."""

    runs: CountedSample
    candidates: Candidates | None


def counted_places(system: System, metric_id: int) -> tuple[CountedPlace, ...]:
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
    found = [CountedPlace(*row) for row in rows]
    return tuple(sorted(found, key=lambda one: (-one.configurations, -one.batch_id)))


def places_to_learn(system: System) -> tuple[CountedPlace, ...]:
    """The places with counted and timed configurations, most first. Two queries."""
    metric = Metric.objects.filter(quantity="time", unit="s", clock=Metric.Clock.CPU).first()
    return () if metric is None else counted_places(system, metric.pk)


def hybrid_input(*, system: System, place: CountedPlace, metric_id: int) -> HybridInput:
    """What a hybrid model of a place is learned from. Raises `NotFound`, and `HybridError` where it is too little.

    Counts that two runs of one configuration do not agree on are left out.
    """
    space = options_of(system)
    counted = counted_runs(
        system=system,
        revision=place.revision,
        workload=place.workload,
        environment_id=place.environment_id,
    )
    timed = end_to_end(_runs(system, place), metric_id, space).by_levels
    seconds = np.array([timed.get(row.tobytes(), np.nan) for row in counted.configurations])
    rows, sites = np.flatnonzero(seconds > 0), np.flatnonzero(~counted.nondeterministic)
    newest = newest_analysis(system, place.revision)
    return HybridInput(
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


def _runs(system: System, place: CountedPlace) -> QuerySet[Run]:
    return end_to_end_runs(system).filter(
        revision_id=place.revision_id, workload_id=place.workload_id, environment_id=place.environment_id
    )


@dataclass(frozen=True, slots=True)
class HybridRow:
    """A hybrid model: of which place, from so many configurations; `is_current` by its measurements."""

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
        HybridRow(revision, workload, environment, settings["configurations"], version == of_fit)
        for revision, workload, environment, settings, version, of_fit in fits
    )
