"""Comparing approaches on what was measured of a system, and storing what comes of it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.samplings import sampling_called
from analytics.evaluation.approaches import ApproachSettings, Report, evaluate_approaches
from analytics.influence.errors import InfluenceError
from analytics.influence.learners import learner_called
from dashboard.access import Permission, Principal, require
from dashboard.models import ModelEvaluation, System
from dashboard.selectors.approaches import JOB_KIND
from dashboard.selectors.approaches.rows import comparison_as_json, settings_as_json, settings_from_json
from dashboard.selectors.learned_models import settings_digest
from dashboard.selectors.measured_systems import MeasuredPlace, PlaceIds, find_place, load_measured
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue

KIND = JOB_KIND


class EvaluationRefused(ValueError):
    """What was asked for cannot be compared."""


@dataclass(frozen=True, slots=True)
class ApproachRequest:
    """What to compare: a metric and a revision by name or a place by ids, and the settings.

    Where there is a choice it is the place with most configurations.
    """

    metric: str = ""
    revision: str = ""
    settings: ApproachSettings = field(default_factory=ApproachSettings)
    place: PlaceIds | None = None

    @classmethod
    def of(cls, *, place: PlaceIds, sizes: tuple[int, ...] | None, seeds: int) -> "ApproachRequest":
        """The usual samplings and learners over so many seeds; `sizes` as in `ApproachSettings`."""
        return cls(settings=ApproachSettings(sizes=sizes, seeds=seeds), place=place)


def start_evaluation(*, principal: Principal, slug: str, request: ApproachRequest) -> JobId:
    """Queue a comparison. Needs the role editor. Raises `EvaluationRefused`, `NotFound` and `Forbidden`."""
    system = require(principal, slug, Permission.EDIT)
    _check(request)
    place = _place(principal, slug, request)
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Compare approaches on {system.name} {place.revision}",
        parameters={
            "slug": slug,
            "place": place.ids,
            "settings": settings_as_json(request.settings),
        },
        system=system,
    )


def evaluate_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that compares; run again it compares anew, with the same rows but for the times taken."""
    asked = context.parameters
    request = ApproachRequest(settings=settings_from_json(asked["settings"]), place=tuple(asked["place"]))
    comparison = _compare(context.principal, asked["slug"], request, context.progress, context.fenced)
    return {"comparison": comparison}


def evaluate(
    *,
    principal: Principal,
    slug: str,
    request: ApproachRequest,
    report: Report = lambda _share, _words: None,
) -> int:
    """Compare and store at once; the id of the comparison, which takes the place of one with the same settings.

    Needs the role editor. Raises `EvaluationRefused`, `NotFound` and `Forbidden`.
    """
    _check(request)
    return _compare(principal, slug, request, report, transaction.atomic)


def _check(request: ApproachRequest) -> None:
    """Raise `EvaluationRefused` for names that nothing has, before anything is read."""
    try:
        for name in request.settings.samplings_of(1):
            sampling_called(name)
        for name in request.settings.learners:
            learner_called(name)
    except (ConfigurationError, InfluenceError) as error:
        raise EvaluationRefused(str(error)) from error


def _place(principal: Principal, slug: str, request: ApproachRequest) -> MeasuredPlace:
    return find_place(
        principal=principal, slug=slug, metric=request.metric, revision=request.revision, ids=request.place
    )


def _compare(
    principal: Principal,
    slug: str,
    request: ApproachRequest,
    report: Report,
    writing: Callable[[], AbstractContextManager[None]],
) -> int:
    report(0.0, "reading what was measured")
    require(principal, slug, Permission.EDIT)
    place = _place(principal, slug, request)
    measured = load_measured(principal=principal, slug=slug, place=place)
    try:
        found = evaluate_approaches(measured.system, request.settings, measured.given, report)
    except (ConfigurationError, InfluenceError) as error:
        raise EvaluationRefused(str(error)) from error
    settings = settings_as_json(request.settings)
    with writing():
        row, _ = ModelEvaluation.objects.update_or_create(
            revision_id=place.revision_id,
            workload_id=place.workload_id,
            environment_id=place.environment_id,
            metric_id=place.metric_id,
            settings_digest=settings_digest(settings),
            defaults={
                "system": System.objects.get(slug=slug),
                "settings": settings,
                "data_version": measured.data_version,
                "payload": comparison_as_json(found, left_out=measured.left_out),
            },
        )
    return row.pk
