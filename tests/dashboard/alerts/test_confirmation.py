"""What a search finds is measured a second time before it is told: by real runs of a subject in a git repository."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core import mail
from django.db.models import F

from dashboard.access import Access, Principal, access_to
from dashboard.models import Alert, AlertRule, HistoryFit, Job, Membership, Point, Run, Series
from dashboard.selectors.history_list import findings
from dashboard.selectors.history_list.findings import found_changes, named_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.services.alerts.deliveries import deliver_if_due
from dashboard.services.alerts.rules import RuleWords, write_rule
from dashboard.services.measuring import MeasuringRequest, plans, start_measuring
from dashboard.services.subjects import register_subject
from dashboard.services.triage import TriageWords, triage_changes
from tests.dashboard.alerts.conftest import refit, work
from tests.dashboard.kept import Rows, all_rows, put_back
from tests.dashboard.measuring.stepper import STEP, commit_of, hold_times_steady, write_stepper
from tests.people import Person

pytestmark = [
    pytest.mark.once,
    pytest.mark.database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("machine", "sent"),
]
MEASURE = MeasuringRequest.kind


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Stepper as it was written: of it each test has a copy."""
    return write_stepper(tmp_path_factory.mktemp("stepper") / "written")


@pytest.fixture
def folder(repository: Path) -> Iterator[Path]:
    """The folder of the subject, at the same place in each test."""
    yield Path(shutil.copytree(repository, repository.with_name("stepper")))
    shutil.rmtree(repository.with_name("stepper"), ignore_errors=True)


@pytest.fixture(scope="module")
def kept_runs() -> list[Rows]:
    """The rows of Stepper with runs around its step; empty until somebody asks for them."""
    return []


def registered(folder: Path, operator: Principal, monkeypatch: pytest.MonkeyPatch) -> Access:
    """Stepper, of which nothing was measured yet."""
    monkeypatch.setattr(plans, "RUNS_AGAIN", 6)
    # Ids come again in an emptied database.
    findings._findings.cache_clear()
    return access_to(operator, register_subject(principal=operator, folder=folder))


def tell_alice(access: Access, alice: Person) -> None:
    """Write a rule that tells alice."""
    alice.user.email = "alice@example.org"
    alice.user.save()
    Membership.objects.create(system=access.system, user=alice.user, role=Membership.Role.EDITOR)
    words = RuleWords(name="slower", people=("alice",))
    write_rule(access=access, words=words, opened_at="https://perf.example.org/")


def measure(access: Access, folder: Path, first: int, last: int) -> None:
    """Measure the commits from one to another; nothing is fitted yet."""
    commits = tuple(commit_of(folder, number) for number in range(first, last))
    request = MeasuringRequest(revisions=commits, repetitions=1, profile=False, counts=False)
    start_measuring(access=access, request=request)
    work()
    # Told by what is as sure on a busy machine: the second measurement alone judges real times. So one run is enough.
    Series.objects.filter(metric__clock="wall").delete()
    for number in range(first, last):
        points = Point.objects.filter(series__system=access.system, revision__name=commit_of(folder, number))
        level = 0.1 if number >= STEP else 0.007
        points.update(median=level * (1 + 0.001 * (number % 2)), spread=0.001 * level)
    assert not HistoryFit.objects.exists()


@pytest.fixture
def runs(
    transactional_db: None,
    folder: Path,
    operator: Principal,
    kept_runs: list[Rows],
    monkeypatch: pytest.MonkeyPatch,
) -> Access:
    """Stepper with runs of two commits before the step and of two from it on, made once; before any other row."""
    if kept_runs:
        put_back(kept_runs[0])
        return registered(folder, operator, monkeypatch)
    access = registered(folder, operator, monkeypatch)
    measure(access, folder, STEP - 2, STEP + 2)
    kept_runs.append(all_rows())
    return access


@pytest.fixture
def stepper(runs: Access, alice: Person) -> Access:
    """Stepper with a rule that tells alice, and then with the histories of these runs, in which it became slower."""
    tell_alice(runs, alice)
    refit(runs)
    return runs


def looked(access: Access) -> Alert:
    """Look for changes alone: the measurement that is asked for waits."""
    work(besides=MEASURE)
    access.system.refresh_from_db()
    return Alert.objects.get()


def ended(access: Access) -> Alert:
    """Run what waits, then what is due."""
    work()
    deliver_if_due(principal=access.principal)
    work()
    return Alert.objects.get()


def seem_slower(access: Access, folder: Path, first: int, last: int) -> None:
    """As if the machine had been slow while the later commits were measured."""
    names = [commit_of(folder, number) for number in range(first, last)]
    points = Point.objects.filter(series__system=access.system, revision__name__in=names)
    points.update(median=F("median") * 1.8)
    refit(access)


def test_a_change_is_told_once_it_is_confirmed(stepper: Access) -> None:
    alert = looked(stepper)
    assert (alert.state, len(mail.outbox)) == (Alert.State.MEASURING, 0)
    assert alert.job is not None
    assert "again" in alert.job.title
    deliver_if_due(principal=stepper.principal)
    assert not Job.objects.filter(kind="send alerts").exists()
    alert = ended(stepper)
    assert (alert.state, alert.is_confirmed) == (Alert.State.TOLD, True)
    (message,) = mail.outbox
    assert "not confirmed" not in message.subject
    assert "Confirmed by a second measurement of both revisions:" in message.body
    assert "at first" in message.body
    assert "(6 and 6 runs in turns)" in message.body
    assert Run.objects.filter(batch__source=f"job {alert.job_id}").count() == 12
    work()
    deliver_if_due(principal=stepper.principal)
    work()
    assert len(mail.outbox) == 1


def test_a_change_that_is_refuted_is_told_to_nobody(
    folder: Path, operator: Principal, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    access = registered(folder, operator, monkeypatch)
    tell_alice(access, alice)
    hold_times_steady(monkeypatch, folder)
    measure(access, folder, STEP, STEP + 5)
    refit(access)
    work()
    seem_slower(access, folder, STEP + 3, STEP + 5)
    looked(access)
    alert = ended(access)
    assert (alert.state, alert.is_confirmed, mail.outbox) == (Alert.State.WITHHELD, False, [])
    assert alert.outcome.startswith("Told to nobody: a second measurement of both revisions refutes it:")


def test_a_rule_may_ask_for_no_second_measurement(stepper: Access) -> None:
    AlertRule.objects.update(measures_again=False)
    work()
    (message,) = mail.outbox
    assert message.subject.endswith("(not confirmed)")
    assert "Not confirmed: the rule asks for no second measurement." in message.body
    assert Job.objects.filter(kind=MEASURE).count() == 1


def test_what_cannot_be_measured_is_told_at_once(stepper: Access) -> None:
    stepper.system.subject.delete()
    work()
    (message,) = mail.outbox
    assert "Not confirmed: No subject is registered on this machine" in message.body


def test_a_measurement_that_fails_is_told(stepper: Access, folder: Path) -> None:
    looked(stepper)
    shutil.rmtree(folder)
    work(fails=MEASURE)
    alert = ended(stepper)
    assert alert.outcome.startswith("Not confirmed: the second measurement failed (")
    assert len(mail.outbox) == 1


def test_a_measurement_that_takes_too_long_is_cancelled_and_told(
    stepper: Access, settings: LazySettings
) -> None:
    settings.ALERT_CONFIRM_MINUTES = 0
    looked(stepper)
    deliver_if_due(principal=stepper.principal)
    work(besides=MEASURE)
    alert = Alert.objects.select_related("job").get()
    assert alert.outcome.startswith("Not confirmed: the second measurement took longer than 0")
    assert alert.job is not None
    assert alert.job.state == Job.State.CANCELLED
    assert len(mail.outbox) == 1


@pytest.mark.parametrize("gone", ["cancelled", "deleted"])
def test_a_measurement_that_is_gone_is_told(stepper: Access, gone: str) -> None:
    alert = looked(stepper)
    if gone == "deleted":
        Job.objects.filter(kind=MEASURE, state=Job.State.QUEUED).delete()
    else:
        Job.objects.filter(kind=MEASURE, state=Job.State.QUEUED).update(state=Job.State.CANCELLED)
    alert = ended(stepper)
    assert alert.outcome == f"Not confirmed: the second measurement was {gone}."
    assert len(mail.outbox) == 1


def test_what_somebody_spoke_of_meanwhile_is_told_to_nobody(stepper: Access) -> None:
    looked(stepper)
    (finding,) = found_changes(stepper.system, HistoryQuery(state="all")).told
    changes = named_changes(stepper.system, HistoryQuery(state="all"), finding.key, beside=False)
    triage_changes(access=stepper, changes=changes, words=TriageWords(state="expected"))
    Job.objects.filter(kind=MEASURE, state=Job.State.QUEUED).update(state=Job.State.CANCELLED)
    assert "spoke of it meanwhile" in ended(stepper).outcome
    assert not mail.outbox


def test_two_rules_share_one_measurement(runs: Access, alice: Person) -> None:
    tell_alice(runs, alice)
    words = RuleWords(name="all", people=("alice",), smallest_percent=1.0)
    write_rule(access=runs, words=words, opened_at="https://perf.example.org/")
    refit(runs)
    work(besides=MEASURE)
    assert len(set(Alert.objects.values_list("job", flat=True))) == 1
    work()
    deliver_if_due(principal=runs.principal)
    work()
    assert set(Alert.objects.values_list("state", "is_confirmed")) == {(Alert.State.TOLD, True)}
    assert len(mail.outbox) == 1
