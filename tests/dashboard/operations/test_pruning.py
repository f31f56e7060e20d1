"""Pruning takes away what is old and what no result rests on; a preview says the same numbers and changes nothing."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from dashboard.access import Forbidden, Principal, Refused
from dashboard.models import (
    AuditEntry,
    Batch,
    Configuration,
    Environment,
    Job,
    JobLogLine,
    Report,
    Revision,
    Run,
    System,
    Workload,
)
from dashboard.services.pruning import preview_pruning, prune
from tests.people import Person

_OLD = timezone.now() - timedelta(days=100)


def _job(state: str, **fields: object) -> Job:
    job = Job.objects.create(kind="fit", title="Fit", state=state, by_operator=True, **fields)
    JobLogLine.objects.bulk_create(JobLogLine(job=job, text=str(number)) for number in range(3))
    return job


@pytest.fixture
def _kept_and_old(system: System) -> None:
    """Of each kind one that goes and one that stays."""
    parent = _job("done", finished_at=_OLD)
    _job("done", finished_at=_OLD, parent=parent)
    young = _job("failed", finished_at=timezone.now())
    _job("done", finished_at=_OLD, parent=young)
    _job("paused")
    for number, created_at in enumerate((_OLD, timezone.now())):
        batch = Batch.objects.create(system=system, format="x", digest=str(number), state=Batch.State.VISIBLE)
        Batch.objects.filter(pk=batch.pk).update(created_at=created_at)
        for repetition, reason in enumerate(("", "a backup ran")):
            Run.objects.create(
                batch=batch,
                revision=Revision.objects.get(),
                configuration=Configuration.objects.all()[0],
                workload=Workload.objects.get(),
                environment=Environment.objects.get(),
                repetition=repetition,
                kind="plain",
                status="failed",
                output_tail="Traceback",
                invalid_reason=reason,
            )
    Report.objects.create(
        system=system, title="R", view="x", payload={"n": 1}, data_version=1, software_version="1"
    )


@pytest.mark.usefixtures("_kept_and_old")
def test_what_goes_is_what_the_preview_says(operator: Principal) -> None:
    """And nothing else: runs that count, jobs themselves and reports stay; the trail says what went."""
    before = (Job.objects.count(), Run.objects.count(), Report.objects.get().payload)
    told = preview_pruning(principal=operator, days=90, invalid_runs=True)
    # Lines: of the old job, its part, and the part of the young one.
    assert list(told.values()) == [9, 1, 2, 1]
    assert before == (Job.objects.count(), Run.objects.count(), Report.objects.get().payload)
    assert prune(principal=operator, days=90, invalid_runs=True) == told
    assert (Job.objects.count(), Run.objects.count()) == (before[0] - 1, before[1] - 1)
    assert Report.objects.get().payload == before[2]
    assert Run.objects.filter(output_tail="Traceback").count() == 2
    assert not Run.objects.filter(invalid_reason="").exclude(status="failed").exists()
    assert set(prune(principal=operator, days=90, invalid_runs=True).values()) == {0}
    first = AuditEntry.objects.filter(action="prune").order_by("pk")[0]
    assert first.details == {"days": 90, **told}


@pytest.mark.usefixtures("_kept_and_old")
def test_the_command_changes_nothing_unless_told_to() -> None:
    out = StringIO()
    call_command("prune", "--days", "30", stdout=out, stderr=StringIO())
    assert "9  lines of logs of jobs" in out.getvalue()
    assert "invalid" not in out.getvalue()
    assert JobLogLine.objects.count() == 15
    call_command("prune", "--days", "30", "--yes", stdout=out, stderr=StringIO())
    assert JobLogLine.objects.count() == 6
    assert Run.objects.exclude(invalid_reason="").count() == 2


def test_only_the_operator_prunes_and_never_the_last_week(operator: Principal, alice: Person) -> None:
    for act in (preview_pruning, prune):
        with pytest.raises(Refused, match="at least 7"):
            act(principal=operator, days=6)
        with pytest.raises(Forbidden, match="by a command on the server"):
            act(principal=alice.principal, days=90)
    with pytest.raises(CommandError, match="at least 7"):
        call_command("prune", "--days", "1", "--yes")
