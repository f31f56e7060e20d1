"""Learning the models of all revisions of a system from end-to-end measurements, and the histories of their terms.

All revisions of one curve (workload, environment and metric) share their terms, so that a term has a history.
"""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import Any, ClassVar

import numpy as np
from django.db import transaction

from analytics.influence.errors import LearningError
from analytics.influence.learned import LEARNER_VERSION, learn_linear
from analytics.influence.linear import LinearModel
from analytics.influence.stored import LearnedModel, pack
from analytics.influence.term_choice import DEGREE, MOST_TERMS, ROWS, SEED, choose_terms
from analytics.progress import Progress, no_progress
from dashboard.access import Access, Permission
from dashboard.models import Batch, PerformanceModel, Point, PublishedCoefficient, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.job_columns import JobRequest
from dashboard.selectors.learned_models import learned_of, measured_of, read_terms, written_terms
from dashboard.selectors.performance_models import OWN, PUBLISHED, LearnedSettings, WrittenTerm, as_json
from dashboard.services import data_versions
from dashboard.services.identities import CurveContext
from dashboard.services.jobs.context import Fence, JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.performance_models.curves import (
    Curve,
    LearningRefused,
    curves_of,
    read_curve,
)
from dashboard.services.performance_models.storing import model_of, save_next_version, store_fit
from dashboard.services.performance_models.term_histories import term_points, write_term_points

# Formats of measurements over many configurations without regions: whoever imports one wants their models.
LEARNED_FORMATS = frozenset({"spl-conqueror", "csv"})
# So many models are written in one transaction: others wait for it where the database has one writer.
_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class LearnedCurve:
    """What was learned of one curve; `error` is the median over revisions, in percent, None where none is known."""

    workload: str
    environment: str
    metric: str
    terms: int
    terms_from: str
    revisions: int
    configurations: int
    error: float | None
    points: int
    remark: str


def learn(
    *,
    access: Access,
    metric: str = "",
    terms: str = OWN,
    tell: Progress = no_progress,
    fence: Fence = transaction.atomic,
) -> tuple[LearnedCurve, ...]:
    """Learn the models of every revision of a system, and write the histories of their terms.

    `tell` hears the share done and what comes next. Models are stored some at a time, in transactions that `fence` opens;
    after an interruption learning once more stores the same.

    Of all metrics or of `metric`; over our `own` choice of terms, or over the `published` ones as far as our options
    tell them. Curves whose regions were analysed are left alone. Needs the role editor. Raises
    `Forbidden`, and `LearningRefused` for terms or a metric that the system does not have.
    """
    access.check(Permission.EDIT)
    system = access.system
    space = options_of(system)
    done: list[LearnedCurve] = []
    keys = curves_of(system, metric)
    for key in keys:
        tell(len(done) / len(keys), f"learning {key.metric} of {key.workload}")
        curve = read_curve(system, key, space)
        chosen = _choose_terms(curve, terms)
        levels, sums = read_terms(chosen.levels, space)
        try:
            found = [
                learn_linear(space, levels, curve.configurations, values, sums=sums)
                for values in curve.values.T
            ]
        except LearningError as error:
            raise LearningRefused(f"{key.metric} of {key.workload}: {error}") from None
        done.append(_store(curve, chosen, found, fence))
    return tuple(done)


def _choose_terms(curve: Curve, wanted: str) -> LearnedSettings:
    """The terms of all models of one curve. Raises `LearningRefused`."""
    if wanted not in (OWN, PUBLISHED):
        raise LearningRefused(f"terms {wanted!r}: choose {OWN} or {PUBLISHED}")
    if wanted == PUBLISHED:
        visible = PublishedCoefficient.objects.filter(
            system=curve.system, metric_id=curve.key.metric_id, batch__state=Batch.State.VISIBLE
        )
        known: dict[str, WrittenTerm | None] = {}
        for term, stored in visible.order_by("pk").values_list("term", "levels"):
            known.setdefault(term, stored)
        told = [_as_lists(one) for one in known.values() if one is not None]
        if not told:
            raise LearningRefused(f"no terms were published for {curve.key.metric} of {curve.system.slug!r}")
        # Those that our options do not tell.
        left_out = [term for term, one in known.items() if one is None]
        return LearnedSettings(terms=PUBLISHED, left_out=left_out, levels=told)
    levels = choose_terms(
        curve.space, curve.configurations, curve.values, degree=DEGREE, most=MOST_TERMS, rows=ROWS, seed=SEED
    )
    written = [_as_lists(one) for one in written_terms(levels, curve.space)]
    return LearnedSettings(terms=OWN, levels=written, degree=DEGREE, most=MOST_TERMS, rows=ROWS, seed=SEED)


def _as_lists(term: WrittenTerm) -> dict[str, str | list[str]]:
    return {name: labels if isinstance(labels, str) else list(labels) for name, labels in term.items()}


class LearningRequest(JobRequest):
    """The models of all revisions of the job's system."""

    kind: ClassVar = "learn"


def queue_learning(*, access: Access) -> int:
    """Learn in a job. Needs the role editor. Raises `Forbidden`."""
    return enqueue(access, LearningRequest(), title=f"Learn models of {access.system.name}")


def learn_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that learns; its result counts curves and points. Run again it learns anew, the same."""
    done = learn(access=context.access, tell=context.progress, fence=context.fenced)
    return {"curves": len(done), "points": sum(one.points for one in done)}


def refresh_learned_models(*, system: System, contexts: Collection[MeasurementContext]) -> int:
    """Learn anew, over the same terms, after runs in these contexts were marked invalid or restored.

    Returns how many models moved; a model that lost all of its runs goes away. Call it in their transaction.
    """
    models = PerformanceModel.objects.filter(system=system, kind=PerformanceModel.Kind.LEARNED)
    moved = [model for context in contexts for model in models.filter(**context.as_filter())]
    space = options_of(system)
    for model in moved:
        where = CurveContext(model.workload_id, model.environment_id, model.total_metric_id)
        revision, points = model.revision_id, {}
        measured = measured_of(model, space)
        if len(measured.values):
            save_next_version(model)
            found = learned_of(model, space, measured)
            store_fit(model, pack(found), LEARNER_VERSION)
            points = term_points(space, found.model.terms, found.configurations, model.batch_id)
        else:
            model.delete()
        by_revision = {key: {revision: point} for key, point in points.items()}
        write_term_points(system, where, by_revision, revisions={revision})
    return len(moved)


def _store(
    curve: Curve, chosen: LearnedSettings, found: list[LearnedModel[LinearModel]], fence: Fence
) -> LearnedCurve:
    """Write analyses and fits of one curve, then its points."""
    system, key = curve.system, curve.key
    points: dict[str, dict[int, Point]] = {}
    for revision, batch, one in zip(curve.revisions, curve.batches, found, strict=True):
        for term, point in term_points(curve.space, one.model.terms, one.configurations, batch).items():
            points.setdefault(term, {})[revision] = point
    for start in range(0, len(found), _AT_ONCE):
        # Packed before: so others can write meanwhile, too.
        payloads = [pack(one) for one in found[start : start + _AT_ONCE]]
        with fence():
            _lock(system)
            for column, payload in enumerate(payloads, start):
                store_fit(_model(curve, column, chosen), payload, LEARNER_VERSION)
    with fence():
        _lock(system)
        written = write_term_points(system, key, points, revisions=None)
        data_versions.bump(system=system)
    errors = [one.error for one in found if one.error is not None]
    return LearnedCurve(
        workload=key.workload,
        environment=key.environment,
        metric=key.metric,
        terms=len(chosen.levels),
        terms_from=chosen.terms,
        revisions=len(curve.revisions),
        configurations=len(curve.configurations),
        error=median(errors) if errors else None,
        points=written,
        remark=chosen.remark,
    )


def _lock(system: System) -> None:
    """Wait for whoever else learns of this system or moves its points."""
    System.objects.select_for_update().get(pk=system.pk)


def _model(curve: Curve, column: int, chosen: LearnedSettings) -> PerformanceModel:
    """The model of one revision, made or moved to its next version."""
    key = curve.key
    context = MeasurementContext(curve.revisions[column], key.workload_id, key.environment_id)
    model = model_of(curve.system, context, PerformanceModel.Kind.LEARNED, key.metric_id)
    measured = curve.configurations[np.isfinite(curve.values[:, column])]
    varied = np.flatnonzero(np.ptp(measured, axis=0) > 0)
    model.batch_id = curve.batches[column]
    model.options = [curve.space.names[option] for option in varied.tolist()]
    model.settings = as_json(chosen)
    save_next_version(model)
    return model
