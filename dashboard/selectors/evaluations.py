"""Stored evaluations of approaches: what a system's models were judged on, and what came of it."""

from django.db.models import QuerySet
from django.db.models.fields.json import KeyTransform

from dashboard.access import Access, NotFound
from dashboard.models import Job, ModelEvaluation, System
from dashboard.selectors.evaluation_rows import (
    EvaluationView,
    context_title,
    read_evaluation,
    read_settings,
)
from dashboard.selectors.jobs import active_jobs_of

# The kind of job that evaluates approaches; jobs are stored with this word.
JOB_KIND = "compare"


def evaluation_titles(system: System) -> dict[int, str]:
    """The titles of a system's evaluations by id, the newest first; their rows are not read. One query.

    Context, samples and test sets: `1.0, regular: CPU time; 50, 200 at random; 10 test sets of 32`.
    """
    titles: dict[int, str] = {}
    for row in _rows(system).defer("payload").annotate(test=KeyTransform("test", "payload")):
        context = context_title(row.revision.name, row.workload.name, row.metric.clock, row.metric.quantity)
        settings = read_settings(row.settings)
        sizes = settings.sizes
        drawn = "usual samples" if sizes is None else f"{', '.join(map(str, sizes))} at random"
        titles[row.pk] = f"{context}; {drawn}; {settings.seeds} test sets of {row.test}"
    return titles


def chosen_evaluation(system: System, wanted: str) -> EvaluationView | None:
    """The evaluation with the id `wanted`, or the newest one; None without any."""
    own = _rows(system).filter(pk=int(wanted)).first() if wanted.isdecimal() else None
    row = own or _rows(system).first()
    return None if row is None else _view(row, system)


def find_evaluation(system: System, evaluation_id: int) -> EvaluationView:
    """One evaluation of a system. Raises `NotFound`."""
    if (row := _rows(system).filter(pk=evaluation_id).first()) is None:
        raise NotFound(f"{system.slug!r} has no evaluation {evaluation_id}: it was made anew, or deleted")
    return _view(row, system)


def newest_evaluation(system: System) -> str:
    """What tells the newest evaluation of a system from any later one; "" without any. One query."""
    row = ModelEvaluation.objects.filter(system=system).values_list("pk", "created_at").first()
    return "" if row is None else f"{row[0]} {row[1].isoformat()}"


def active_evaluations(access: Access) -> tuple[Job, ...]:
    """The jobs that evaluate approaches on a system now, or wait to."""
    jobs = active_jobs_of(access=access)
    return tuple(job for job in jobs if job.kind == JOB_KIND)


def _rows(system: System) -> QuerySet[ModelEvaluation]:
    return ModelEvaluation.objects.filter(system=system).select_related(
        "revision", "workload", "environment", "metric"
    )


def _view(row: ModelEvaluation, system: System) -> EvaluationView:
    evaluation, left_out = read_evaluation(row.payload)
    return EvaluationView(
        evaluation_id=row.pk,
        system=system.name,
        revision=row.revision.name,
        workload=row.workload.name,
        environment=row.environment.name,
        quantity=row.metric.quantity,
        unit=row.metric.unit,
        clock=row.metric.clock,
        better=row.metric.better,
        settings=read_settings(row.settings),
        evaluation=evaluation,
        left_out=left_out,
        is_current=row.data_version == system.data_version,
        created_at=row.created_at,
    )
