"""The decision log of a tracking job: what it measured, choice by choice, why, and why it stopped.

It is kept in the manifest of the job's batch, under the keys that this module reads and writes alone.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Exists, OuterRef

from dashboard.access import NotFound
from dashboard.models import Batch, Job, Revision, Run, Series, System

_KIND = "track"
_STEPS, _STOPPED = "trail", "stopped"
# So many jobs: their logs fill a page.
_SHOWN = 5
MEASURED = "measured"


@dataclass(frozen=True, slots=True)
class TrackingStep:
    """One choice of a tracking job: the revision, why it was chosen, the expected gain and the outcome.

    `gain` is how far the mean error of the history should fall, as a share of the level; None for the first ones and for
    checks. `equal` counts further revisions with the same code. `outcome` is measured, failed, not built, or "same build"
    where the build made what that of a measured revision had made.
    """

    revision: str
    reason: str
    gain: float | None
    equal: int
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class TrackingLog:
    """A tracking job: its choices, the latest first, and in words why it stopped; "" while it has not.

    `messages` are those of the revisions, by name. `job_id` is None where its job ran elsewhere, or is deleted.
    """

    steps: tuple[TrackingStep, ...]
    stopped: str
    job_id: int | None
    messages: Mapping[str, str]


def empty_log() -> dict[str, Any]:
    """What the manifest of a tracking batch holds at first."""
    return {_STEPS: []}


def steps_of(manifest: Mapping[str, Any]) -> list[TrackingStep]:
    """The choices in a batch's manifest, the earliest first."""
    return [TrackingStep(**step) for step in manifest.get(_STEPS, ())]


def append_step(manifest: dict[str, Any], step: TrackingStep) -> None:
    """Add a choice to a batch's manifest."""
    manifest.setdefault(_STEPS, []).append(asdict(step))


def note_end(manifest: dict[str, Any], stopped: str) -> None:
    """Note in a batch's manifest why the job stopped."""
    manifest[_STOPPED] = stopped


def tracking_logs(*, system: System, series_id: int) -> tuple[TrackingLog, ...]:
    """The newest tracking jobs that measured for a history, the latest first; only configurations are tracked.

    Constant number of queries. Raises `NotFound`.
    """
    series = Series.objects.filter(system=system, pk=series_id).first()
    if series is None:
        raise NotFound(f"there is no series {series_id} in {system.slug!r}")
    if series.subject_kind != Series.SubjectKind.CONFIGURATION:
        return ()
    measured = Run.objects.filter(
        batch=OuterRef("pk"),
        configuration__identity=series.subject,
        workload_id=series.workload_id,
        environment_id=series.environment_id,
    )
    found = Batch.objects.filter(Exists(measured), system=system, format=_KIND, state=Batch.State.VISIBLE)
    logs = {batch.pk: (steps_of(batch.manifest), batch.manifest) for batch in found.order_by("-pk")[:_SHOWN]}
    names = {step.revision for steps, _ in logs.values() for step in steps}
    messages = dict(Revision.objects.filter(system=system, name__in=names).values_list("name", "message"))
    # By the batch that the job remembers: numbers of jobs mean nothing in a batch that was measured elsewhere.
    jobs = Job.objects.filter(system=system, kind=_KIND, checkpoint__batch__in=list(logs))
    job_of = {checkpoint["batch"]: pk for pk, checkpoint in jobs.values_list("pk", "checkpoint")}
    return tuple(
        TrackingLog(tuple(reversed(steps)), manifest.get(_STOPPED, ""), job_of.get(pk), messages)
        for pk, (steps, manifest) in logs.items()
    )
