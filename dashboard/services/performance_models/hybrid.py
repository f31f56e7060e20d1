"""Learning the hybrid model of a revision from its counted and timed runs, and storing it."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db import transaction

from analytics.influence.errors import InfluenceError
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.learned import learn_hybrid as learn_model
from analytics.influence.located import LocatedModel
from analytics.influence.stored import LearnedModel, pack_located
from dashboard.access import NotFound, Permission, Principal, require
from dashboard.models import Metric, ModelFit, PerformanceModel, System
from dashboard.selectors.hybrid_inputs import CountedPlace, HybridInput, counted_places, hybrid_input
from dashboard.selectors.learned_models import settings_digest
from dashboard.services.jobs.context import Fence, JobContext
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.metrics import seconds
from dashboard.services.performance_models.curves import LearningRefused

KIND = "learn hybrid"
_SEED = 0
# Of a revision, a workload and an environment, as in `CountedPlace`.
PlaceIds: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class LearnedHybrid:
    """What was learned: of which place, from so many configurations; `error` in percent, None where none is known."""

    model_id: int
    revision: str
    workload: str
    environment: str
    configurations: int
    terms: int
    regions: int
    error: float | None
    tainted: bool


def learn_hybrid(
    *,
    principal: Principal,
    slug: str,
    revision: str = "",
    place_ids: PlaceIds | None = None,
    fence: Fence = transaction.atomic,
) -> LearnedHybrid:
    """Learn and store the hybrid model of one place.

    Of those of `revision`, blank for any, and with `place_ids`, if given, it is the one with most counted configurations.
    Needs the role editor. Raises `LearningRefused`, `NotFound` and `Forbidden`.
    """
    system = require(principal, slug, Permission.EDIT)
    metric = seconds(Metric.Clock.CPU)
    place = _place(system, metric, revision, place_ids)
    known = _known(system, place, metric)
    try:
        given = hybrid_input(system=system, place=place, metric_id=metric.pk)
        found = learn_model(given.runs, given.candidates, _SEED)
    except (InfluenceError, NotFound) as error:
        raise LearningRefused(f"{place.title}: {error}") from None
    with fence():
        # First of all: two that learn the same must not both make the analysis.
        now = System.objects.select_for_update().get(pk=system.pk)
        analysis = _known(system, place, metric)
        # A first model has no version of its own to go by.
        is_current = (
            analysis.data_version == known.data_version
            if known.pk
            else now.data_version == system.data_version
        )
        _store(analysis, place, given, found, is_current=is_current)
    return LearnedHybrid(
        model_id=analysis.pk,
        revision=place.revision,
        workload=place.workload,
        environment=place.environment,
        configurations=found.configurations,
        terms=len(found.model.terms),
        regions=len(found.model.regions),
        error=found.error,
        tainted=given.candidates is not None,
    )


def queue_hybrid(*, principal: Principal, slug: str, place_ids: PlaceIds) -> JobId:
    """Learn the hybrid model of a place in a job. Needs the role editor. Raises `LearningRefused`, `NotFound` and `Forbidden`."""
    system = require(principal, slug, Permission.EDIT)
    place = _place(system, seconds(Metric.Clock.CPU), "", place_ids)
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Learn the hybrid model of {system.name} {place.revision}",
        parameters={"slug": slug, "place": place.ids},
        system=system,
    )


def learn_hybrid_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that learns it; run again it learns the same."""
    found = learn_hybrid(
        principal=context.principal,
        slug=context.parameters["slug"],
        place_ids=tuple(context.parameters["place"]),
        fence=context.fenced,
    )
    return {"analysis": found.model_id, "configurations": found.configurations, "error": found.error}


def _place(system: System, metric: Metric, revision: str, ids: PlaceIds | None) -> CountedPlace:
    places = counted_places(system, metric.pk)
    fitting = [one for one in places if revision in ("", one.revision) and ids in (None, one.ids)]
    if not fitting:
        of = f"revision {revision} of {system.slug!r}" if revision else repr(system.slug)
        raise LearningRefused(f"{of} has no two configurations with counts and times: measure with --counts")
    return fitting[0]


def _known(system: System, place: CountedPlace, metric: Metric) -> PerformanceModel:
    """The analysis of the place, or a new one."""
    return PerformanceModel.objects.filter(
        kind=PerformanceModel.Kind.HYBRID,
        revision_id=place.revision_id,
        workload_id=place.workload_id,
        environment_id=place.environment_id,
        total_metric=metric,
    ).first() or PerformanceModel(
        system=system,
        revision_id=place.revision_id,
        workload_id=place.workload_id,
        environment_id=place.environment_id,
        kind=PerformanceModel.Kind.HYBRID,
        region_metric=metric,
        total_metric=metric,
        aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
        aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
    )


def _store(
    analysis: PerformanceModel,
    place: CountedPlace,
    given: HybridInput,
    found: LearnedModel[LocatedModel],
    *,
    is_current: bool,
) -> None:
    """Keep the newest model of a place; `is_current` where no run came in since its data were read."""
    varied = given.runs.configurations.max(axis=0) > given.runs.configurations.min(axis=0)
    analysis.batch_id = place.batch_id
    names = given.runs.space.names
    analysis.options = [name for name, varies in zip(names, varied.tolist(), strict=True) if varies]
    analysis.settings = {
        "seed": _SEED,
        "tainted": given.candidates is not None,
        "configurations": found.configurations,
    }
    # Moves always: pages keep models by it.
    analysis.data_version += 1
    analysis.save()
    ModelFit.objects.filter(model=analysis).delete()
    ModelFit.objects.create(
        model=analysis,
        data_version=analysis.data_version if is_current else analysis.data_version - 1,
        settings_digest=settings_digest(analysis.settings),
        method_version=HYBRID_VERSION,
        payload=pack_located(found),
    )
