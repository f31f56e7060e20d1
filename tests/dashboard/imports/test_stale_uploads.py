"""Uploads that nobody came back for."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from dashboard.access import Principal
from dashboard.job_kinds import KINDS
from dashboard.services.imports.jobs import start_import, unwanted_uploads
from dashboard.services.imports.uploads import KEPT_SECONDS, receive_upload
from dashboard.services.jobs.queueing import request_cancel
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.sweeping import sweep_if_needed
from tests.people import Person

TABLE = b"version,fast,time_ms\n1.0,on,3\n1.0,off,8\n"
# The heartbeat looks at the job from another connection: it must be committed.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _spool(settings: LazySettings, tmp_path: Path) -> None:
    """Uploads of a test lie in its own folder."""
    settings.VAR = tmp_path


@pytest.fixture
def nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages go nowhere: tests run the jobs themselves."""
    monkeypatch.setattr("dashboard.celery.app.send_task", lambda *_args, **_named: None)


@pytest.mark.parametrize("again", [True, False])
def test_the_file_of_a_cancelled_import_goes_with_the_next_sweep(
    alice: Person, nobody_works: None, *, again: bool
) -> None:
    """Whoever cancelled it, and although no worker began; not where another import of it waits."""
    upload = receive_upload(
        principal=alice.principal, name="t.csv", parts=[TABLE], format_name="csv", system_name="Toy"
    )
    job_id = start_import(principal=alice.principal, token=upload.token, given={})
    assert unwanted_uploads() == []
    request_cancel(principal=alice.principal, job_id=job_id)
    if again:
        start_import(principal=alice.principal, token=upload.token, given={})
    assert unwanted_uploads() == ([] if again else [upload.token])
    sweeping = sweep_if_needed(principal=Principal.operator())
    assert (sweeping is None) == again
    if sweeping is not None:
        run_job(job_id=sweeping, kinds=KINDS)
    assert upload.path.exists() == again


def test_an_upload_that_nobody_imports_is_swept_away_after_a_day(
    alice: Person, nobody_works: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = receive_upload(
        principal=alice.principal, name="t.csv", parts=[TABLE], format_name="csv", system_name="Toy"
    )
    assert unwanted_uploads() == []
    assert sweep_if_needed(principal=Principal.operator()) is None
    monkeypatch.setattr("dashboard.services.imports.jobs.KEPT_SECONDS", -1)
    assert unwanted_uploads() == [upload.token]
    job_id = sweep_if_needed(principal=Principal.operator())
    assert job_id is not None
    assert run_job(job_id=job_id, kinds=KINDS) == JobOutcome.DONE
    assert not upload.path.exists()
    assert KEPT_SECONDS == 86_400
