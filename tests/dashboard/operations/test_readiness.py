"""`/healthz` and `/readyz`: what works is told in a word, what does not as well, and nothing else."""

import json
import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from dashboard.models import Worker
from dashboard.services import readiness as parts
from dashboard.services.jobs import presence
from dashboard.services.jobs.presence import SILENCE, WorkerPresence
from dashboard.services.serving.start import prepare_broker
from tests.dashboard.jobs.processes import wait_until

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _looked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "_found", None)


@pytest.fixture
def _all_is_well(settings: LazySettings) -> None:
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        prepare_broker()
    now = timezone.now()
    for queue in ("default", "measure"):
        Worker.objects.create(name="m:1:2", queue=queue, host="here", started_at=now, seen_at=now)


def _ready(client: Client) -> tuple[int, dict[str, object]]:
    answer = client.get("/readyz")
    assert answer["Cache-Control"] == "no-store"
    return answer.status_code, json.loads(answer.content)


@pytest.mark.usefixtures("_all_is_well")
def test_all_is_well(client: Client) -> None:
    """And whoever asks again within two seconds costs the database nothing."""
    well = {"ready": True, "database": "ok", "tables": "ok", "broker": "ok", "workers": "ok"}
    assert _ready(client) == (200, well)
    with connection.execute_wrapper(_no_query):
        assert _ready(client) == (200, well)
        assert client.get("/healthz").content == b"ok\n"


def _no_query(*_: object) -> None:
    raise OperationalError("connection to server at db.example.org, user perfatlas failed")


@pytest.mark.usefixtures("_all_is_well")
def test_a_database_that_does_not_answer_is_told_without_its_words(client: Client) -> None:
    """Neither its host nor its account; the web server lives on."""
    with connection.execute_wrapper(_no_query):
        status, said = _ready(client)
        assert client.get("/healthz").status_code == 200
    assert (status, said["ready"], said["database"]) == (503, False, "does not answer")
    assert "perfatlas" not in json.dumps(said)


@pytest.mark.usefixtures("_all_is_well")
def test_tables_of_another_version_are_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = MigrationRecorder(connection)
    recorder.record_unapplied("dashboard", "0021_revisions_of_hosts")
    status, said = _ready(client)
    assert (status, said["tables"]) == (503, "of an earlier version: 1 migrations are not applied")
    recorder.record_applied("dashboard", "0021_revisions_of_hosts")
    recorder.record_applied("dashboard", "9999_later")
    monkeypatch.setattr(parts, "_found", None)
    assert _ready(client)[1]["tables"] == "of a newer version"


@pytest.mark.usefixtures("_all_is_well")
def test_a_queue_without_a_worker_is_told(client: Client) -> None:
    """One that was silent for a minute counts no more."""
    Worker.objects.filter(queue="measure").update(seen_at=timezone.now() - SILENCE - timedelta(seconds=1))
    assert _ready(client) == (
        503,
        {
            "ready": False,
            "database": "ok",
            "tables": "ok",
            "broker": "ok",
            "workers": "none of queue measure was seen lately",
        },
    )


@pytest.mark.usefixtures("_all_is_well")
def test_a_broker_that_is_not_there_is_told_soon(client: Client, settings: LazySettings) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"socket_connect_timeout": 1.0}
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    assert _ready(client)[1]["broker"] == "does not answer"


def test_who_waits_too_long_hears_that_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look that hangs holds up one thread, not all."""
    monkeypatch.setattr(parts, "_PATIENCE_SECONDS", 0.05)
    with parts._looking:
        assert parts.readiness() == {"database": "does not answer"}


@pytest.fixture
def _quick_beats(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(presence, "BEAT_SECONDS", 0.05)
    yield
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("presence")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_quick_beats")
def test_a_worker_is_seen_while_it_lives_and_gone_when_it_ended() -> None:
    """Also where the database fails in between; rows of yesterday's dead are taken away."""
    long_ago = timezone.now() - timedelta(days=2)
    Worker.objects.create(name="dead", queue="default", host="x", started_at=long_ago, seen_at=long_ago)
    here = WorkerPresence(["default", "measure"])
    here.begin()
    wait_until(lambda: presence.seen_lately() == {"default": 1, "measure": 1}, "seen")
    first = Worker.objects.get(queue="default")
    assert first.name != "dead"
    wait_until(lambda: Worker.objects.get(queue="default").seen_at > first.seen_at, "seen again")
    assert Worker.objects.get(queue="default").started_at == first.started_at
    here.end()
    assert not Worker.objects.exists()
