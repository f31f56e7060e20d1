"""A system whose histories are level until a test lets them step, a rule, and servers on this machine that take messages."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.db.models import F

from dashboard.access import Access, Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import AlertRule, Job, Point, Series, System
from dashboard.services import data_versions
from dashboard.services.alerts.rules import RuleWords, write_rule
from dashboard.services.histories.fits import fit_system
from dashboard.services.jobs.running import run_job
from tests.dashboard.histories.stepping import add_stepping
from tests.people import Person
from tests.sinks import Sink, sinking

REVISIONS = 36
OPENED = "https://perf.example.org/"


@pytest.fixture
def level(system: System, operator: Principal, sent: list[int]) -> Access:
    """Two configurations, measured at 36 revisions and fitted: nothing changes."""
    return add_stepping(system, operator, REVISIONS, lambda _: 1.0, lambda _: 1.0)


def step(access: Access, at: int, share: float = 1.3, **only: Any) -> None:
    """As if all series, or only some, were that much slower from a revision on; the histories are fitted anew."""
    names = [f"r{number}" for number in range(at, REVISIONS)]
    Point.objects.filter(series__system=access.system, revision__name__in=names, **only).update(
        median=F("median") * share
    )
    refit(access)


def refit(access: Access) -> None:
    ids = list(Series.objects.filter(system=access.system).values_list("pk", flat=True))
    data_versions.bump(system=access.system, series=ids)
    access.system.refresh_from_db()
    fit_system(access=access)


def work(besides: str = "", fails: str = "") -> list[dict[str, Any]]:
    """Run every job that waits, `besides` one kind; what each of them said. One kind `fails`."""
    results = []
    while job := Job.objects.filter(state=Job.State.QUEUED).exclude(kind=besides).order_by("pk").first():
        run_job(job_id=job.pk, kinds=KINDS)
        job.refresh_from_db()
        assert job.state == (Job.State.FAILED if job.kind == fails else Job.State.DONE), job.error
        results.append(job.result)
    return results


@pytest.fixture
def made(level: Access, alice: Person, bob: Person) -> Callable[..., AlertRule]:
    """Makes a rule that tells alice, unless told otherwise; she and bob have an address."""
    for person in (alice, bob):
        person.user.email = f"{person.user.username}@example.org"
        person.user.save()

    def make(**words: Any) -> AlertRule:
        given: dict[str, Any] = {"name": "slower", "people": ("alice",)} | words
        access = access_to(alice.principal, level.slug)
        return write_rule(access=access, words=RuleWords(**given), opened_at=OPENED)

    return make


@pytest.fixture(autouse=True)
def _mail_server(settings: LazySettings) -> None:
    """Django's tests keep what is sent in `mail.outbox`."""
    settings.EMAIL_URL = "smtp://kept.example.org"


@pytest.fixture
def sink() -> Iterator[Sink]:
    """A web server on this machine."""
    with sinking() as found:
        yield found
