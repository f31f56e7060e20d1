"""The page of one job: all that is kept of its log, for who may see the system, and the ways to it."""

from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from dashboard.access import Access, NotFound, access_to
from dashboard.models import Job, JobLogLine, System
from dashboard.pages.lens import Lens
from dashboard.pages.measure import page, parts
from dashboard.selectors.jobs import job_of_system
from dashboard.selectors.measuring.status import list_batches
from tests.dashboard.measuring.stored import add_batch
from tests.dashboard.pages.test_pages import text
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]
_COMMIT = "0123456789abcdef0123456789abcdef01234567"


def _ended(system: System | None, **fields: Any) -> Job:
    """A job that failed after two lines."""
    values = {"kind": "measure", "title": f"Measure {_COMMIT}", "state": "failed", "message": "a run failed"}
    job = Job.objects.create(system=system, finished_at=timezone.now(), **values | fields)
    for line in ("preparing", f"it broke at {_COMMIT}"):
        JobLogLine.objects.create(job=job, text=line)
    return job


@pytest.fixture
def access(vera: Person, system: System) -> Access:
    """Of a viewer."""
    return access_to(vera.principal, system.slug)


def test_the_log_of_a_job_that_ended_is_shown_with_its_last_line_first(
    access: Access, system: System
) -> None:
    """With why it failed; commits by their beginnings, in the log too: the terminal has it as it was said."""
    job = _ended(system, error=f"Traceback\nValueError: no {_COMMIT}")
    shown = text(page.layout(access, str(job.pk), Lens()))
    assert shown.index("it broke") < shown.index("preparing")
    assert "ValueError: no 0123456789" in shown
    assert "a run failed" in shown
    assert _COMMIT not in shown
    assert "Measure 01234567" in shown
    assert "it broke at 0123456789" in shown


def test_a_part_of_a_job_and_one_without_a_log_have_a_page(access: Access, system: System) -> None:
    whole = Job.objects.create(system=system, kind="fit histories", title="Fit", state="done")
    part = _ended(system, parent=whole, title="Fit: 1 to 9")
    assert "it broke" in text(page.layout(access, str(part.pk), Lens()))
    shown = text(page.layout(access, str(whole.pk), Lens()))
    assert "It logged nothing." in shown
    assert "1 failed" in shown


def test_a_job_of_another_system_is_as_one_that_is_not_there(access: Access, system: System) -> None:
    other = System.objects.create(slug="other", name="Other", visible=True)
    jobs = [_ended(other).pk, _ended(None).pk, 10**9]
    for key in (*map(str, jobs), "nine", "9" * 40):
        with pytest.raises(NotFound, match="there is no job"):
            page.layout(access, key, Lens())


def test_what_failed_and_what_came_in_lead_to_their_jobs(access: Access, system: System) -> None:
    """Also a batch of tracking; none where it was measured elsewhere."""
    tracked, _ = add_batch(system), add_batch(system)
    job = _ended(system, kind="track", checkpoint={"batch": tracked.pk})
    assert [(one.job, one.state) for one in list_batches(access=access)] == [(None, ""), (job.pk, "failed")]
    failed, came_in = parts.show(access, None)
    for shown in (text(failed), text(came_in)):
        assert shown.count(f"/app/s/small/measure/{job.pk}") == 1


def test_a_long_log_takes_as_many_queries_as_a_short_one(
    access: Access, system: System, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    job = _ended(system)
    JobLogLine.objects.bulk_create(JobLogLine(job=job, text=str(number)) for number in range(3000))
    with django_assert_num_queries(3):
        found = job_of_system(access=access, job_id=job.pk, lines=5000)
    assert [line.text for line in (*found.lines[:1], *found.lines[-1:])] == ["2999", "preparing"]
    shown = text(page.layout(access, str(job.pk), Lens()))
    assert "The last 1 000 lines, the last first" in shown
    assert "All that are kept: " in shown
    assert "  2999" in shown
    assert "  2000" in shown
    assert "  1999" not in shown
