"""Learning the models of all revisions of a system from end-to-end measurements, and the histories of their terms.

All revisions of one curve (workload, environment and metric) share their terms, so that a term has a history.
"""

from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from django.db import transaction

from analytics.configurations.options import OptionSpace
from analytics.influence.errors import LearningError
from analytics.influence.learned import LEARNER_VERSION, learn_linear
from analytics.influence.linear import LinearModel
from analytics.influence.stored import LearnedModel, pack
from analytics.progress import Progress, no_progress
from dashboard.access import Permission, Principal, require
from dashboard.models import ModelFit, PerformanceModel, System
from dashboard.selectors.learned_models import OWN, learned_of, measured_of, settings_digest
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.option_spaces import options_of
from dashboard.services import data_versions
from dashboard.services.histories.term_series import Curves, TermPoint, term_points, write_term_points
from dashboard.services.jobs.context import Fence, JobContext
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.performance_models.curves import Curve, LearningRefused, curves_of, read_curve
from dashboard.services.performance_models.terms import ChosenTerms, choose

KIND = "learn"
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
    principal: Principal,
    slug: str,
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
    `NotFound`, `Forbidden`, and `LearningRefused` for terms or a metric that the system does not have.
    """
    system = require(principal, slug, Permission.EDIT)
    space = options_of(system)
    done: list[LearnedCurve] = []
    keys = curves_of(system, metric)
    for key in keys:
        tell(len(done) / len(keys), f"learning {key.metric} of {key.workload}")
        curve = read_curve(system, key, space)
        chosen = choose(system, curve, space, terms)
        found = _fits(space, curve, chosen)
        done.append(_store(system, space, curve, chosen, found, fence))
    return tuple(done)


def _fits(space: OptionSpace, curve: Curve, chosen: ChosenTerms) -> list[LearnedModel[LinearModel]]:
    """The model of each revision. Raises `LearningRefused`."""
    try:
        return [
            learn_linear(space, chosen.terms.levels, curve.configurations, values, sums=chosen.terms.sums)
            for values in curve.values.T
        ]
    except LearningError as error:
        raise LearningRefused(f"{curve.key.metric} of {curve.key.workload}: {error}") from None


def queue_learning(*, principal: Principal, slug: str) -> JobId:
    """Learn in a job. Needs the role editor. Raises `NotFound` and `Forbidden`."""
    system = require(principal, slug, Permission.EDIT)
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Learn models of {system.name}",
        parameters={"slug": slug},
        system=system,
    )


def learn_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that learns; its result counts curves and points. Run again it learns anew, the same."""
    done = learn(
        principal=context.principal,
        slug=context.parameters["slug"],
        tell=context.progress,
        fence=context.fenced,
    )
    return {"curves": len(done), "points": sum(one.points for one in done)}


def refresh_learned_at(*, system: System, places: Collection[MeasurementContext]) -> int:
    """Learn anew, over the same terms, after runs at these places were marked invalid or restored.

    Returns how many models moved; an analysis that lost all of its runs goes away. Call it in their transaction.
    """
    moved = 0
    space: OptionSpace | None = None
    for place in places:
        for analysis in PerformanceModel.objects.filter(
            system=system,
            kind=PerformanceModel.Kind.LEARNED,
            revision_id=place.revision_id,
            workload_id=place.workload_id,
            environment_id=place.environment_id,
        ):
            space = space or options_of(system)
            _refresh(system, analysis, space)
            moved += 1
    return moved


def _refresh(system: System, analysis: PerformanceModel, space: OptionSpace) -> None:
    where = Curves(analysis.workload_id, analysis.environment_id, analysis.total_metric_id)
    measured = measured_of(analysis, space)
    if not len(measured.values):
        write_term_points(system, where, {}, revisions={analysis.revision_id})
        analysis.delete()
        return
    analysis.data_version += 1
    analysis.save(update_fields=["data_version"])
    found = learned_of(analysis, space, measured)
    _store_fit(analysis, pack(found))
    points = _points(space, found, analysis.batch_id)
    write_term_points(
        system,
        where,
        {key: {analysis.revision_id: point} for key, point in points.items()},
        revisions={analysis.revision_id},
    )


def _store(  # noqa: PLR0917 - what belongs to a curve, and how it is written
    system: System,
    space: OptionSpace,
    curve: Curve,
    chosen: ChosenTerms,
    found: list[LearnedModel[LinearModel]],
    fence: Fence,
) -> LearnedCurve:
    """Write analyses and fits of one curve, then its points."""
    key = curve.key
    points: dict[str, dict[int, TermPoint]] = {}
    for revision, batch, one in zip(curve.revisions, curve.batches, found, strict=True):
        for term, point in _points(space, one, batch).items():
            points.setdefault(term, {})[revision] = point
    for start in range(0, len(found), _AT_ONCE):
        # Packed before: so others can write meanwhile, too.
        payloads = [pack(one) for one in found[start : start + _AT_ONCE]]
        with fence():
            _lock(system)
            for column, payload in enumerate(payloads, start):
                _store_fit(_analysis(system, curve, column, space, chosen), payload)
    where = Curves(key.workload_id, key.environment_id, key.metric_id)
    with fence():
        _lock(system)
        written = write_term_points(system, where, points, revisions=None)
        data_versions.bump(system=system)
    errors = [one.error for one in found if one.error is not None]
    return LearnedCurve(
        workload=key.workload,
        environment=key.environment,
        metric=key.metric,
        terms=chosen.terms.sums.shape[1],
        terms_from=chosen.source,
        revisions=len(curve.revisions),
        configurations=len(curve.configurations),
        error=median(errors) if errors else None,
        points=written,
        remark=chosen.remark,
    )


def _lock(system: System) -> None:
    """Wait for whoever else learns of this system or moves its points."""
    System.objects.select_for_update().get(pk=system.pk)


def _analysis(
    system: System, curve: Curve, column: int, space: OptionSpace, chosen: ChosenTerms
) -> PerformanceModel:
    """The analysis of one revision, made or moved on."""
    key = curve.key
    analysis = PerformanceModel.objects.filter(
        kind=PerformanceModel.Kind.LEARNED,
        revision_id=curve.revisions[column],
        workload_id=key.workload_id,
        environment_id=key.environment_id,
        total_metric_id=key.metric_id,
    ).first() or PerformanceModel(
        system=system,
        revision_id=curve.revisions[column],
        workload_id=key.workload_id,
        environment_id=key.environment_id,
        kind=PerformanceModel.Kind.LEARNED,
        region_metric_id=key.metric_id,
        total_metric_id=key.metric_id,
        aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
        aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
    )
    measured = curve.configurations[np.isfinite(curve.values[:, column])]
    varied = np.flatnonzero(np.ptp(measured, axis=0) > 0)
    analysis.batch_id = curve.batches[column]
    analysis.options = [space.names[option] for option in varied.tolist()]
    analysis.settings = chosen.settings
    analysis.data_version += 1
    analysis.save()
    return analysis


def _store_fit(analysis: PerformanceModel, payload: bytes) -> None:
    """Keep the newest fit of an analysis."""
    ModelFit.objects.filter(model=analysis).delete()
    ModelFit.objects.create(
        model=analysis,
        data_version=analysis.data_version,
        settings_digest=settings_digest(analysis.settings),
        method_version=LEARNER_VERSION,
        payload=payload,
    )


def _points(space: OptionSpace, found: LearnedModel[LinearModel], batch_id: int) -> dict[str, TermPoint]:
    """The terms of one revision's model that have a history."""
    return term_points(space, found.model.terms, found.configurations, batch_id)
