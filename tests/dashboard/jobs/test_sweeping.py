"""What nobody needs any more is swept up by a job."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.utils import timezone

from dashboard.access import Principal
from dashboard.job_kinds import KINDS
from dashboard.models import Batch, Job, LoginToken, System, TryCount
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.logins import create_login_token
from dashboard.services.sweeping import sweep_if_needed
from dashboard.services.tries import count_try


@pytest.mark.django_db(transaction=True)
def test_leftovers_are_swept_up_by_one_job(sent: list[int]) -> None:
    """Expired logins and sessions and the batches of dead imports; what lives stays."""
    create_login_token()
    assert sweep_if_needed(principal=Principal.operator()) is None
    past = timezone.now() - timedelta(days=1)
    LoginToken.objects.create(token_digest="0" * 64, user=LoginToken.objects.get().user, expires_at=past)
    Session.objects.create(session_key="old", session_data="", expire_date=past)
    system = System.objects.create(slug="half", name="Half")
    Batch.objects.create(system=system, format="csv", digest="0" * 64, manifest={"writer": "", "created": {}})
    Batch.objects.update(written_at=past)
    count_try("somebody")
    TryCount.objects.update(ends_at=past)
    count_try("somebody else")
    job_id = sweep_if_needed(principal=Principal.operator())
    assert job_id is not None
    assert sweep_if_needed(principal=Principal.operator()) is None
    assert sent == [job_id]
    assert run_job(job_id=job_id, kinds=KINDS) is JobOutcome.DONE
    assert Job.objects.get(pk=job_id).result == {
        "logins": 1,
        "sessions": 1,
        "visits": 0,
        "tries": 1,
        "imports": 1,
        "uploads": 0,
    }
    assert (LoginToken.objects.count(), Session.objects.count(), Batch.objects.count()) == (1, 0, 0)
    assert sweep_if_needed(principal=Principal.operator()) is None
