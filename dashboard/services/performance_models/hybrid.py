"""Learning the hybrid model of a revision from its counted and timed runs, and storing it."""

from dataclasses import astuple
from typing import Any, ClassVar

import numpy as np
from django.db import transaction

from analytics.influence.errors import InfluenceError
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.learned import learn_hybrid as learn_model
from analytics.influence.stored import LearnedModel, pack
from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import PerformanceModel, System
from dashboard.selectors.end_to_end import MeasuredContext, MeasurementContext
from dashboard.selectors.hybrid_inputs import counted_contexts, hybrid_input
from dashboard.selectors.job_columns import JobRequest
from dashboard.selectors.performance_models import HybridSettings
from dashboard.services.jobs.context import Fence, JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.metrics import WORK, counted
from dashboard.services.performance_models.storing import model_of, save_next_version, store_fit

_SEED = 0


class HybridRequest(JobRequest):
    """The context (its ids) whose hybrid model is learned, of times, or of work: of counts alone."""

    kind: ClassVar = "learn hybrid"

    place: tuple[int, int, int]
    metric: str = "time"


def learn_hybrid(
    *,
    access: Access,
    revision: str = "",
    context: MeasurementContext | None = None,
    metric: str = "",
    fence: Fence = transaction.atomic,
) -> tuple[PerformanceModel, LearnedModel]:
    """Learn and store the hybrid model of one context; returns its row, and what was learned.

    Of those of `revision`, blank for any, or of `context`, if given, and of `metric`, time or work, it is the one with most
    counted configurations; where no metric is given, of times if any was timed, else of work.
    Needs the role editor. Raises `Refused` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    system = access.system
    counted_in = _counted_in(system, revision, context, metric)
    before = model_of(system, counted_in.context, PerformanceModel.Kind.HYBRID, counted_in.metric_id)
    try:
        runs, candidates = hybrid_input(system=system, counted_in=counted_in)
        learned = learn_model(runs, candidates, _SEED)
    except (InfluenceError, NotFound) as error:
        raise Refused(f"{counted_in.title}: {error}") from None
    varied = np.ptp(runs.configurations, axis=0) > 0
    settings = HybridSettings(
        seed=_SEED, tainted=candidates is not None, configurations=learned.configurations
    )
    with fence():
        # First of all: two that learn the same must not both make the model.
        now = System.objects.select_for_update().get(pk=system.pk)
        model = model_of(system, counted_in.context, PerformanceModel.Kind.HYBRID, counted_in.metric_id)
        # A first model has no version of its own to go by.
        is_current = (
            model.data_version == before.data_version
            if before.pk
            else now.data_version == system.data_version
        )
        model.batch_id = counted_in.batch_id
        model.options = np.array(runs.space.names)[varied].tolist()
        model.settings = settings.as_json()
        save_next_version(model)
        store_fit(model, pack(learned), HYBRID_VERSION, is_current=is_current)
    return model, learned


def queue_hybrid(*, access: Access, context: MeasurementContext, metric: str = "time") -> int:
    """Learn the hybrid model of a context, of times or of work, in a job. Needs the role editor. Raises `Refused` and `Forbidden`."""
    access.check(Permission.EDIT)
    system = access.system
    counted_in = _counted_in(system, "", context, metric)
    return enqueue(
        access,
        HybridRequest(place=astuple(context), metric=metric),
        title=f"Learn the hybrid model of {'work of ' if metric == WORK else ''}{system.name} {counted_in.revision}",
    )


def learn_hybrid_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that learns it; run again it learns the same."""
    request = HybridRequest.of(context.job)
    model, learned = learn_hybrid(
        access=context.access,
        context=MeasurementContext(*request.place),
        metric=request.metric,
        fence=context.fenced,
    )
    return {"analysis": model.pk, "configurations": learned.configurations, "error": learned.quality.error}


def _counted_in(
    system: System, revision: str, context: MeasurementContext | None, metric: str
) -> MeasuredContext:
    """The counted context that is asked for. Raises `Refused`."""
    # Where counts came by an import alone, nobody has made it.
    counted(WORK)
    for one in counted_contexts(system):
        if revision in ("", one.revision) and context in (None, one.context) and metric in ("", one.quantity):
            return one
    of = f"revision {revision} of {system.slug!r}" if revision else repr(system.slug)
    wanted = "counts: analyze it, or measure" if metric == WORK else "counts and times: measure"
    raise Refused(f"{of} has no two configurations with {wanted} with --counts")
