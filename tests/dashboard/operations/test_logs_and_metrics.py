"""Lines of the log name request and job and hold nothing secret; metrics are for whoever has their token."""

import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from dashboard.access import Principal
from dashboard.logs import JsonLines, PlainLines, job_id, request_id, without_secrets
from dashboard.models import Job, System
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.running import run_job
from dashboard.services.logins import create_login_token
from dashboard.services.tokens import create_token
from tests.people import Person


@pytest.fixture
def lines() -> Iterator[list[str]]:
    """Every line that is logged while the test runs, as JSON."""
    said: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(self.format(record))
            said.append(PlainLines().format(record))

    keep, root = Keep(), logging.getLogger()
    keep.setFormatter(JsonLines())
    level = root.level
    root.addHandler(keep)
    root.setLevel(logging.INFO)
    yield said
    root.removeHandler(keep)
    root.setLevel(level)


def test_each_line_names_its_request_as_the_answer_does(client: Client, lines: list[str], db: None) -> None:
    """Also the lines of Django's own about what failed; a name that the proxy gave is kept."""
    answer = client.get("/nothing/?q=1", headers={"X-Request-ID": "from-the-proxy"})
    assert answer["X-Request-ID"] == "from-the-proxy"
    told = [json.loads(line) for line in lines[::2]]
    assert {line["logger"] for line in told} == {"dashboard.requests", "django.request"}
    assert {line["request"] for line in told} == {"from-the-proxy"}
    assert all("[request from-the-proxy]" in line for line in lines[1::2])
    for bad in ("short", "a b c d e f g h", "x" * 200, "line\nbreak-in-it"):
        given = client.get("/healthz", headers={"X-Request-ID": bad})["X-Request-ID"]
        assert re.fullmatch(r"[0-9a-f]{16}", given)


def test_no_line_holds_a_token_a_query_or_a_cookie(
    client: Client, lines: list[str], alice: Person, operator: Principal, settings: LazySettings
) -> None:
    """Neither of links that work nor of those that do not any more, at any level that is logged."""
    login = create_login_token(username="alice")
    _, secret = create_token(principal=operator, username="alice", name="ci", scope="read", system="", days=1)
    share = "s" + login[1:]
    client.get(f"/login/{login}/?next=/app/")
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.get(f"/login/{login}/")
    client.get(f"/r/{share}/?password=hunter2")
    client.get(f"/r/{share}/report.html")
    client.get(f"/import/{'0a' * 16}/")
    client.get("/api/v1/systems?cursor=hidden", headers={"Authorization": f"Bearer {secret}"})
    client.get("/api/v1/systems", headers={"Authorization": "Bearer perfatlas_wrong_wrong_wrong_wrong_wrong"})
    said = "\n".join(lines)
    assert said.count("GET /r/<str:token>/ 404") == 2 * 1
    for hidden in (
        login,
        share,
        session,
        secret,
        "hunter2",
        "0a" * 16,
        "cursor=hidden",
        "wrong_wrong",
        "next=",
    ):
        assert hidden not in said, hidden


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Not Found: /r/" + "a-_4" * 8 + "/", "Not Found: /r/…"),
        ("GET /login/" + "Z" * 43 + "/?next=/app/ HTTP/1.1", "GET /login/…?… HTTP/1.1"),
        ("/app/markdown/histories?term=A", "/app/markdown/histories?…"),
        ("/app/xz/revisions/" + "0123456789" * 4, "/app/xz/revisions/" + "0123456789" * 4),
        ("why? nobody knows", "why? nobody knows"),
    ],
)
def test_what_is_hidden_and_what_is_not(said: str, shown: str) -> None:
    """A commit's hash is no secret."""
    assert without_secrets(said) == shown


def test_an_error_is_one_line_of_json_with_its_traceback(lines: list[str]) -> None:
    try:
        int(f"/r/{'t' * 40}/?x=1")
    except ValueError:
        logging.getLogger("x").exception("failed")
    line = json.loads(lines[0])
    assert (line["level"], line["message"]) == ("ERROR", "failed")
    assert line["error"].endswith("with base 10: '/r/…?…'")
    assert "\n" not in lines[0]


def test_each_line_of_a_job_names_it(db: None, lines: list[str]) -> None:
    """And none after it."""

    def talk(_: JobContext) -> dict[str, Any]:
        logging.getLogger("science").warning("something")
        return {}

    job = Job.objects.create(kind="talk", title="Talk", by_operator=True)
    request_id.set("")
    run_job(job_id=job.pk, kinds={"talk": talk})
    logging.getLogger("science").warning("later")
    told = [json.loads(line) for line in lines[::2] if '"science"' in line]
    assert [line.get("job") for line in told] == [job.pk, None]
    assert job_id.get() is None


def test_metrics_are_off_without_a_token(client: Client, db: None) -> None:
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_metrics_count_jobs_workers_and_requests(
    client: Client, system: System, settings: LazySettings
) -> None:
    """For whoever has the token; names of systems, people and addresses are not among them."""
    settings.METRICS_TOKEN = "m" * 40
    Job.objects.create(kind="fit", title="Fit Secretname", system=system, by_operator=True)
    done = Job.objects.create(kind="fit", title="Fit", by_operator=True)
    run_job(job_id=done.pk, kinds={"fit": lambda _: {}})
    client.get("/healthz?who=me")
    for wrong in ({}, {"Authorization": "Bearer no"}, {"Authorization": f"Basic {'m' * 40}"}):
        assert client.get("/metrics", headers=wrong).status_code == 401
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {'m' * 40}"})
    said = answer.content.decode()
    assert answer.status_code == 200
    for line in (
        'perfatlas_jobs{kind="fit",state="queued"} 1.0',
        'perfatlas_jobs{kind="fit",state="done"} 1.0',
        'perfatlas_job_seconds_count{kind="fit"} 1.0',
        'perfatlas_workers{queue="measure"} 0.0',
        'perfatlas_queue_age_seconds{queue="measure"} 0.0',
        'perfatlas_http_request_seconds_count{method="GET",route="healthz",status="200"}',
    ):
        assert line in said, said
    age = re.search(r'perfatlas_queue_age_seconds{queue="default"} (\S+)', said)
    assert age
    assert 0.0 < float(age[1]) < 600.0
    assert not re.search("Secretname|small|who=me", said)
