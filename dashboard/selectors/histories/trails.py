"""Why a tracking job measured what it measured, choice by choice."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from dashboard.access import NotFound, Principal, require
from dashboard.models import Batch, Job, Revision, Run, Series

_KIND = "track"
_CONFIGURATION = Series.SubjectKind.CONFIGURATION
# So many jobs: their trails fill a page.
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class TrailRow:
    """One choice of a tracking job; `number` counts from 1 in its job.

    `gain` is how far the mean error of the history should fall, as a share of its level, None for the first choices.
    `equal` counts further revisions with the same code. `outcome` is measured, failed, not built, or
    "same build" where the build made what that of a measured revision had made.
    """

    number: int
    revision: str
    message: str
    reason: str
    gain: float | None
    equal: int
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Tracking:
    """A tracking job: its choices, the latest first, and in words why it stopped; "" while it has not.

    `job_id` is None where its job ran elsewhere, or is deleted.
    """

    rows: tuple[TrailRow, ...]
    stopped: str
    job_id: int | None


def trackings(*, principal: Principal, slug: str, series_id: int) -> tuple[Tracking, ...]:
    """The newest tracking jobs that measured for a history, the latest first; only configurations are tracked.

    Constant number of queries. Raises `NotFound`.
    """
    system = require(principal, slug)
    series = Series.objects.filter(system=system, pk=series_id).first()
    if series is None:
        raise NotFound(f"there is no series {series_id} in {slug!r}")
    measured = Run.objects.filter(
        batch=OuterRef("pk"),
        configuration__identity=series.subject,
        workload_id=series.workload_id,
        environment_id=series.environment_id,
    )
    found = Batch.objects.filter(Exists(measured), system=system, format=_KIND, state=Batch.State.VISIBLE)
    batches = list(found.order_by("-pk")[:_SHOWN]) if series.subject_kind == _CONFIGURATION else []
    names = {step["revision"] for batch in batches for step in batch.manifest.get("trail", ())}
    messages = dict(Revision.objects.filter(system=system, name__in=names).values_list("name", "message"))
    # By the batch that the job remembers: numbers of jobs mean nothing in a batch that was measured elsewhere.
    jobs = Job.objects.filter(
        system=system, kind=_KIND, checkpoint__batch__in=[batch.pk for batch in batches]
    )
    job_of = {checkpoint["batch"]: pk for pk, checkpoint in jobs.values_list("pk", "checkpoint")}
    return tuple(_tracking(batch, messages, job_of.get(batch.pk)) for batch in batches)


def _tracking(batch: Batch, messages: Mapping[str, str], job_id: int | None) -> Tracking:
    rows = [
        TrailRow(
            number=number,
            revision=step["revision"],
            message=messages.get(step["revision"], ""),
            reason=step["reason"],
            gain=step["gain"],
            equal=step["equal"],
            seconds=step["seconds"],
            outcome=step["outcome"],
        )
        for number, step in enumerate(batch.manifest.get("trail", []), start=1)
    ]
    return Tracking(tuple(reversed(rows)), batch.manifest.get("stopped", ""), job_id)
