"""Importing in the browser: from the form to the system."""

import re
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from dashboard.access import NotFound, Refused
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Membership, Run, System
from dashboard.services.imports.jobs import start_import
from dashboard.services.imports.uploads import (
    drop_upload,
    find_upload,
    receive_upload,
)
from dashboard.services.jobs.context import Cancelled, JobContext
from dashboard.services.jobs.running import JobOutcome, run_job
from tests.people import Person, create_person

TABLE = b"version,fast,time_ms\n1.0,on,3\n1.0,off,8\n1.1,on,4\n1.1,off,9\n"
ROLES = {
    "role-0": "revision",
    "role-1": "option",
    "role-2": "metric",
    "quantity-2": "time",
    "unit-2": "ms",
    "better-2": "lower",
}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def spool(settings: LazySettings, tmp_path: Path) -> Path:
    """Uploads of a test lie in its own folder."""
    settings.VAR = tmp_path
    return tmp_path / "uploads"


@pytest.fixture
def nobody_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages go nowhere: tests run the jobs themselves."""
    monkeypatch.setattr("dashboard.celery.app.send_task", lambda *_args, **_named: None)


@pytest.fixture
def browser(client: Client, nobody_works: None) -> tuple[Client, Person]:
    """A signed-in person without any system."""
    person = create_person("ada")
    client.force_login(person.user)
    return client, person


def _upload(client: Client, content: bytes = TABLE, name: str = "t.csv", **fields: str) -> str:
    """Send the first form; the address of the next page."""
    data = {"format": "csv", "system": "Toy", **fields, "file": SimpleUploadedFile(name, content)}
    answer = client.post("/import/", data)
    assert answer.status_code == 302, answer.content.decode()
    return str(answer["Location"])


def _run(client: Client, address: str, **posted: str) -> tuple[JobOutcome, Job]:
    """Start the import and do its job."""
    answer = client.post(address, {**posted, "start": "1"})
    assert answer.status_code == 302, answer.content.decode()
    job = Job.objects.latest("pk")
    assert answer["Location"] == f"/import/jobs/{job.pk}/"
    outcome = run_job(job_id=job.pk, kinds=KINDS)
    job.refresh_from_db()
    return outcome, job


def test_a_table_comes_in_by_its_mapping(browser: tuple[Client, Person], spool: Path) -> None:
    client, person = browser
    address = _upload(client)
    page = client.get(address).content.decode()
    assert '<option value="revision" selected>' in page
    assert re.search(r"<dt>Runs</dt><dd>4</dd>", page)
    outcome, job = _run(client, address, **ROLES)
    assert (outcome, job.result["system"], job.result["runs"]) == (JobOutcome.DONE, "toy", 4)
    assert "4 runs" in client.get(f"/import/jobs/{job.pk}/").content.decode()
    assert 'href="/app/s/toy/"' in client.get(f"/import/jobs/{job.pk}/").content.decode()
    assert Run.objects.count() == 4
    assert Membership.objects.get(system__slug="toy").user_id == person.user.pk
    assert not list(spool.iterdir())


def test_a_wrong_cell_is_told_at_its_column(browser: tuple[Client, Person]) -> None:
    client, _ = browser
    address = _upload(client, TABLE.replace(b"9", b"soon"))
    answer = client.post(address, {**ROLES, "check": "1"})
    page = answer.content.decode()
    assert answer.status_code == 400
    assert 'class="column wrong"' in page
    assert "line 5, column &#x27;time_ms&#x27;: is no number in range (value &#x27;soon&#x27;)" in page


def test_a_mapping_without_values_is_refused_before_a_job_starts(browser: tuple[Client, Person]) -> None:
    client, _ = browser
    answer = client.post(_upload(client), {"role-0": "revision", "start": "1"})
    assert (answer.status_code, Job.objects.count()) == (400, 0)
    assert "no column holds what was measured" in answer.content.decode()


def test_a_setting_that_is_missing_is_asked_for(browser: tuple[Client, Person]) -> None:
    client, _ = browser
    event = b'{"name":"foo","ph":"X","ts":0,"dur":4,"pid":1,"tid":1}'
    address = _upload(client, b"[" + event + b"]", "trace.json", format="tef")
    assert "Give “Time unit” us" in client.get(address).content.decode()
    outcome, job = _run(client, address, **{"set-time-unit": "s"})
    assert (outcome, job.result["regions"]) == (JobOutcome.DONE, 1)


@pytest.mark.django_db(transaction=True)
def test_a_refused_import_can_be_tried_again(
    browser: tuple[Client, Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = browser
    monkeypatch.setattr("dashboard.import_views.preview_table", lambda **_: None)
    address = _upload(client, TABLE.replace(b"9", b"soon"))
    outcome, job = _run(client, address, **ROLES)
    page = client.get(f"/import/jobs/{job.pk}/").content.decode()
    assert outcome == JobOutcome.FAILED
    assert "is no number in range" in page
    assert f'href="{address}"' in page
    assert not System.objects.filter(visible=True).exists()


def test_a_cancelled_import_leaves_nothing(browser: tuple[Client, Person], spool: Path) -> None:
    client, _ = browser
    client.post(_upload(client), {**ROLES, "start": "1"})
    job = Job.objects.latest("pk")
    assert client.post(f"/import/jobs/{job.pk}/cancel/").status_code == 302
    assert not list(spool.iterdir())
    assert run_job(job_id=job.pk, kinds=KINDS) == JobOutcome.NOT_CLAIMED
    assert "Cancelled" in client.get(f"/import/jobs/{job.pk}/").content.decode()
    assert not System.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_an_import_that_is_cancelled_while_it_writes_leaves_nothing(
    browser: tuple[Client, Person], spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = browser
    told: list[float] = []

    def progress(_context: JobContext, share: float, _message: str | None = None) -> None:
        told.append(share)
        if len(told) == 3:
            raise Cancelled("somebody asked for it")

    monkeypatch.setattr(JobContext, "progress", progress)
    outcome, job = _run(client, _upload(client), **ROLES)
    assert (outcome, job.state) == (JobOutcome.CANCELLED, Job.State.CANCELLED)
    assert not System.objects.exists()
    assert not Run.objects.exists()
    assert not list(spool.iterdir())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("at", [2, 3, 5, 9])
def test_an_import_looks_often_whether_it_is_cancelled(
    browser: tuple[Client, Person], spool: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """Between two steps too: while the file is read, and with each chunk that is written."""
    client, _ = browser
    looks: list[str] = []

    def check(_context: JobContext) -> None:
        looks.append("look")
        if len(looks) == at:
            raise Cancelled("somebody asked for it")

    monkeypatch.setattr(JobContext, "progress", lambda *_: None)
    monkeypatch.setattr(JobContext, "check", check)
    outcome, job = _run(client, _upload(client), **ROLES)
    assert (outcome, job.state) == (JobOutcome.CANCELLED, Job.State.CANCELLED)
    assert not System.objects.exists()
    assert not Run.objects.exists()
    assert not list(spool.iterdir())


def test_an_upload_goes_when_its_sender_wants_another_file(
    browser: tuple[Client, Person], spool: Path
) -> None:
    client, _ = browser
    address = _upload(client)
    assert f'formaction="{address}discard/"' in client.get(address).content.decode()
    stranger = Client()
    stranger.force_login(create_person("eve").user)
    assert stranger.post(f"{address}discard/").status_code == 404
    assert len(list(spool.iterdir())) == 1
    assert client.get(f"{address}discard/").status_code == 405
    answer = client.post(f"{address}discard/")
    assert (answer.status_code, answer["Location"]) == (302, "/import/")
    assert not list(spool.iterdir())


@pytest.mark.parametrize(
    ("fields", "name", "says"),
    [
        ({"system": "???"}, "t.csv", "is no name for a system"),
        ({"format": "exe"}, "t.csv", "Choose what the file holds"),
        ({}, "t.exe", "is no file that can be imported"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(
    browser: tuple[Client, Person], spool: Path, fields: dict[str, str], name: str, says: str
) -> None:
    client, _ = browser
    data = {"format": "csv", "system": "Toy", **fields, "file": SimpleUploadedFile(name, TABLE)}
    answer = client.post("/import/", data)
    assert (answer.status_code, says in answer.content.decode()) == (400, True)
    assert not spool.exists() or not list(spool.iterdir())


def test_a_file_that_is_announced_as_too_large_is_not_kept(
    browser: tuple[Client, Person], spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = browser
    client.get("/import/")  # the page words its own limit when it is first asked for
    monkeypatch.setattr("dashboard.uploads.MAX_UPLOAD", 100)
    data = {"format": "csv", "system": "Toy", "file": SimpleUploadedFile("t.csv", TABLE)}
    answer = client.post("/import/", data)
    assert (answer.status_code, not spool.exists()) == (400, True)
    assert "Choose a file of at most 512 MB" in answer.content.decode()


def test_files_that_wait_have_a_limit_for_each_account(
    browser: tuple[Client, Person], spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others left counts for them; what was discarded makes room."""
    client, _ = browser
    monkeypatch.setattr("dashboard.services.imports.uploads._MOST_WAITING", len(TABLE))
    first, _ = _upload(client), _upload(client)
    data = {"format": "csv", "system": "Toy", "file": SimpleUploadedFile("t.csv", TABLE)}
    answer = client.post("/import/", data)
    assert (answer.status_code, b"import or discard one first" in answer.content) == (400, True)
    client.post(f"{first}discard/")
    _upload(client)
    client.force_login(create_person("mallory").user)
    _upload(client)
    assert len(list(spool.iterdir())) == 3


def test_a_system_of_others_takes_nothing(browser: tuple[Client, Person], system: System) -> None:
    client, _ = browser
    data = {"format": "csv", "system": system.name, "file": SimpleUploadedFile("t.csv", TABLE)}
    assert "is taken" in client.post("/import/", data).content.decode()


def test_an_upload_is_its_senders_alone(browser: tuple[Client, Person]) -> None:
    client, _ = browser
    address = _upload(client)
    client.force_login(create_person("mallory").user)
    assert client.get(address).status_code == 404
    assert client.post(address, {**ROLES, "start": "1"}).status_code == 404


def test_without_signing_in_there_is_only_the_way_to_it(client: Client) -> None:
    for address in ("/import/", f"/import/{'0' * 32}/", "/import/jobs/1/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"].startswith("/login/")) == (302, True)


def test_a_form_from_another_site_is_refused(browser: tuple[Client, Person]) -> None:
    _, person = browser
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(person.user)
    data = {"format": "csv", "system": "Toy", "file": SimpleUploadedFile("t.csv", TABLE)}
    assert strict.post("/import/", data).status_code == 403


@pytest.mark.parametrize("name", ["../../etc/x.csv", "..\\..\\x.csv", "/tmp/x.csv", "...csv", "a/b\0c.csv"])  # noqa: S108 -- a name in a form
def test_the_name_of_a_file_leads_nowhere(alice: Person, spool: Path, name: str) -> None:
    try:
        upload = receive_upload(
            principal=alice.principal, name=name, parts=[b"x"], format_name="csv", system_name="Toy"
        )
    except Refused:
        return
    assert upload.path.resolve().is_relative_to(spool.resolve())
    assert upload.path.read_bytes() == b"x"


@pytest.mark.parametrize("token", ["", "..", "../..", "0" * 32, "g" * 32])
def test_an_unknown_token_finds_and_drops_nothing(alice: Person, spool: Path, token: str) -> None:
    spool.mkdir()
    drop_upload(token)
    assert spool.is_dir()
    with pytest.raises(NotFound, match="upload is gone"):
        find_upload(principal=alice.principal, token=token)
    with pytest.raises(NotFound):
        start_import(principal=alice.principal, token=token, given={})
