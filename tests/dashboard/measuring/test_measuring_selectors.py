"""Where a system stands with measuring, as each role sees it; its batches, its active jobs, a small selection."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from dashboard.access import NotFound, Principal, access_to, role_refusal
from dashboard.models import Batch, Configuration, Job, JobLogLine, Subject, System
from dashboard.pages.measure import delete
from dashboard.pages.measure.jobs import active_cards
from dashboard.selectors.jobs import active_jobs_of, job_detail
from dashboard.selectors.measuring.status import largest_options, list_batches, run_counts, subject_of
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, measure_everything, settle
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _register(system: System) -> Subject:
    definition = {
        "description": "A small program.",
        "options": {"B": ["off", "on"], "A": ["off", "on"]},
        "workloads": ["regular"],
        "order": "releases",
        "timeout_seconds": 60.0,
        "can_profile": True,
    }
    return Subject.objects.create(
        system=system, name="Small", folder="somewhere", digest="0" * 64, definition=definition
    )


def _job(system: System, *, state: str = "queued", title: str = "", **fields: object) -> Job:
    lease = {"lease_expires_at": timezone.now() + timedelta(hours=1)} if state == "running" else {}
    title = title or f"Measure, {state}"
    return Job.objects.create(kind="measure", title=title, system=system, state=state, **lease, **fields)


def test_everybody_sees_the_same_and_may_do_what_the_role_allows(
    alice: Person, bob: Person, vera: Person, system: System
) -> None:
    """Why something may not be done is said."""
    _register(system)
    seen = {one.user.username: access_to(one.principal, "small") for one in (alice, bob, vera)}
    assert "role editor" in role_refusal(seen["vera"])
    assert role_refusal(seen["bob"]) == role_refusal(seen["alice"]) == ""
    assert "This needs the role admin." not in str(delete.panel(seen["alice"]))
    for name in ("bob", "vera"):
        assert "This needs the role admin." in str(delete.panel(seen[name]))
    assert subject_of(access=seen["alice"]) == subject_of(access=seen["vera"])


def test_a_subject_is_shown_without_where_it_lies(vera: Person, system: System) -> None:
    """Options with the reference first, workloads, revisions in their order."""
    add_revisions(system, ["2.0", "1.0"])
    _register(system)
    subject = subject_of(access=access_to(vera.principal, "small"))
    assert subject is not None
    assert [(option.name, option.levels) for option in subject.options] == [
        ("A", ("off", "on")),
        ("B", ("off", "on")),
    ]
    assert (subject.revisions, subject.workloads) == (("2.0", "1.0"), ("regular",))
    assert "somewhere" not in str(subject)


def test_whether_a_subject_counts_is_not_known_where_it_was_registered_before_that_was_noted(
    vera: Person, system: System
) -> None:
    registered = _register(system)
    for said in (None, False, True):
        registered.definition |= {} if said is None else {"counts": said}
        registered.save()
        subject = subject_of(access=access_to(vera.principal, "small"))
        assert subject is not None
        assert subject.counts is said


def test_executions_are_counted_once(vera: Person, system: System) -> None:
    """A profiled one is stored as two runs. What failed counts unless it was set aside."""
    batch = add_batch(system)
    add_run(batch, Configuration.objects.get(name="c0"), value=1.0, region_value=1.0)
    add_run(batch, Configuration.objects.get(name="c1"), status="failed")
    add_run(batch, Configuration.objects.get(name="c2"), status="failed", invalid_reason="noise")
    add_run(
        add_batch(system, format="comprex"), Configuration.objects.get(name="c3"), value=1.0, region_value=1.0
    )
    add_run(add_batch(system, state=Batch.State.WRITING), Configuration.objects.get(name="c3"), value=1.0)
    access = access_to(vera.principal, "small")
    assert run_counts(access=access) == {"runs": 4, "failed": 1, "invalid": 1}
    assert subject_of(access=access) is None


def test_batches_tell_what_came_in(vera: Person, system: System) -> None:
    """The newest first; what is still written is not shown. A job is told by the batch that it remembers."""
    measured = add_batch(system, source="job 7", manifest={"title": "Measure Small: 2 configurations"})
    _job(system, state="running", checkpoint={"batch": measured.pk})
    add_run(measured, Configuration.objects.get(name="c0"), value=1.0, region_value=1.0)
    add_run(measured, Configuration.objects.get(name="c1"), status="timeout")
    imported = add_batch(system, format="comprex", source="lucene.zip")
    add_run(imported, Configuration.objects.get(name="c1"), value=1.0, invalid_reason="noise")
    add_batch(system, state=Batch.State.WRITING)
    newest, oldest = list_batches(access=access_to(vera.principal, "small"))
    assert (newest.batch.format, newest.batch.source, newest.runs, newest.invalid) == (
        "comprex",
        "lucene.zip",
        1,
        1,
    )
    assert (oldest.batch.source, oldest.runs, oldest.failed, oldest.invalid) == ("job 7", 2, 1, 0)
    assert (oldest.title, oldest.state) == ("Measure Small: 2 configurations", "running")
    assert (newest.title, newest.state) == ("", "")


def test_a_batch_that_was_profiled_only_tells_its_runs(vera: Person, system: System) -> None:
    """A plain and a profiled run of one execution are one run; a profiled one alone was a run, too."""
    batch = add_batch(system, source="job 7")
    plain = add_run(batch, Configuration.objects.get(name="c0"), value=1.0, region_value=1.0)
    (row,) = list_batches(access=access_to(vera.principal, "small"))
    assert (row.runs, row.only_profiled) == (1, 0)
    plain.delete()
    (row,) = list_batches(access=access_to(vera.principal, "small"))
    assert (row.runs, row.only_profiled) == (0, 1)


def test_active_jobs_come_with_the_end_of_their_logs(vera: Person, system: System) -> None:
    """Running ones first; those that ended, and those of other systems, not at all."""
    waiting = _job(system)
    running = _job(system, state="running")
    _job(system, state="done")
    other = System.objects.create(slug="other", name="Other", visible=True)
    _job(other, state="running")
    for number in range(12):
        JobLogLine.objects.create(job=running, text=f"line {number}")
    first, second = active_jobs_of(access=access_to(vera.principal, "small"), lines=3)
    assert (first.id, second.id) == (running.pk, waiting.pk)
    assert [line.text for line in first.lines] == ["line 9", "line 10", "line 11"]
    assert second.lines == ()


def test_parts_stand_in_the_job_that_they_are_of(vera: Person, system: System) -> None:
    """Not as jobs of their own: neither in the list nor beside it."""
    whole = _job(system, state="running", title="Fit Small")
    for number, state in enumerate(("done", "running", "queued"), start=1):
        _job(system, state=state, title=f"Fit Small: part {number} of 3", parent=whole)
    (shown,) = active_jobs_of(access=access_to(vera.principal, "small"))
    assert [(part.title, part.state) for part in shown.parts] == [
        ("Fit Small: part 1 of 3", "done"),
        ("Fit Small: part 2 of 3", "running"),
        ("Fit Small: part 3 of 3", "queued"),
    ]
    assert [part.pk for part in job_detail(principal=vera.principal, job_id=whole.pk).parts] == [
        part.pk for part in shown.parts
    ]
    words = str(active_cards([shown], ""))
    assert "1 done, 1 running, 1 waiting" in words
    assert "part 2 of 3: running" in words
    assert "part 1 of 3" not in words


def test_a_job_that_waits_long_is_active_whatever_came_after_it(vera: Person, system: System) -> None:
    paused = _job(system, state="paused")
    Job.objects.bulk_create(
        Job(kind="measure", title="Measure Small", system=system, state="done") for _ in range(250)
    )
    assert [one.id for one in active_jobs_of(access=access_to(vera.principal, "small"))] == [paused.pk]


def test_the_options_that_matter_most_are_worth_measuring_again(vera: Person, system: System) -> None:
    """As the model tells; without one the subject's first; without a subject none."""
    assert largest_options(access=access_to(vera.principal, "small")) == ()
    _register(system)
    assert largest_options(access=access_to(vera.principal, "small")) == ("A", "B")
    batch = measure_everything(system, add_revisions(system, ["1.0"]))
    for repetition in (3, 4, 5):
        only_b = Configuration.objects.get(name="c2")
        add_run(batch, only_b, value=90.0, region_value=90.0, repetition=repetition)
    settle([batch])
    assert largest_options(access=access_to(vera.principal, "small")) == ("B", "A")


@pytest.mark.parametrize("read", [subject_of, run_counts, list_batches, active_jobs_of, largest_options])
def test_strangers_learn_nothing(charlie: Person, system: System, read: Callable[..., object]) -> None:
    with pytest.raises(NotFound):
        read(access=access_to(charlie.principal, "small"))


def test_the_number_of_queries_does_not_grow(
    operator: Principal, system: System, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """With little or with much of everything."""
    _register(system)
    access = access_to(operator, "small")
    for count in (1, 5):
        add_revisions(system, [f"{count}.{minor}" for minor in range(count)])
        for number in range(count):
            batch = add_batch(system)
            add_run(batch, Configuration.objects.get(name="c0"), value=1.0)
            JobLogLine.objects.create(job=_job(system, state="running"), text=f"line {number}")
        with django_assert_num_queries(4):
            subject_of(access=access)
        with django_assert_num_queries(1):
            run_counts(access=access)
        with django_assert_num_queries(2):
            list_batches(access=access)
        with django_assert_num_queries(3):
            active_jobs_of(access=access)
        system.orders.all().delete()
