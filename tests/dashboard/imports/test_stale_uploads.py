"""Uploads that nobody came back for."""

import pytest

from dashboard.services.imports.uploads import KEPT_SECONDS, receive_upload, stale_uploads
from dashboard.services.job_kinds import KINDS
from dashboard.services.jobs.running import Outcome, run_job
from dashboard.services.sweeping import sweep_if_needed
from tests.people import Person

TABLE = b"version,fast,time_ms\n1.0,on,3\n1.0,off,8\n"
# The heartbeat looks at the job from another connection: it must be committed.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages go nowhere: tests run the jobs themselves."""
    monkeypatch.setattr("dashboard.celery.app.send_task", lambda *_args, **_named: None)


def test_an_upload_that_nobody_imports_is_swept_away_after_a_day(
    alice: Person, nobody_works: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = receive_upload(
        principal=alice.principal, name="t.csv", parts=[TABLE], format_name="csv", system_name="Toy"
    )
    assert stale_uploads() == []
    assert sweep_if_needed() is None
    monkeypatch.setattr("dashboard.services.imports.uploads.KEPT_SECONDS", -1)
    assert stale_uploads() == [upload.token]
    job_id = sweep_if_needed()
    assert job_id is not None
    assert run_job(job_id=job_id, kinds=KINDS) == Outcome.DONE
    assert not upload.path.exists()
    assert KEPT_SECONDS == 86_400
