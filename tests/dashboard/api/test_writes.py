"""What writes do: the same as pages and commands, by a token; bad files and values are told at their place."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from pytest_django import DjangoAssertNumQueries

from dashboard.job_kinds import KINDS
from dashboard.models import Job, Membership, Run, System
from dashboard.services.jobs.running import run_job
from dashboard.services.tokens import create_token
from tests.dashboard.api.conftest import call, token_of
from tests.dashboard.api.world import MAPPING, World, table
from tests.people import Person, create_person

CONTENT = table(("r8", "r9")).encode()


@pytest.fixture(autouse=True)
def _own_uploads(request: pytest.FixtureRequest, settings: LazySettings, tmp_path: Path) -> None:
    if "machine" not in request.fixturenames:
        settings.VAR = tmp_path


def send(secret: str, content: bytes = CONTENT, key: str = "", **about: Any) -> Any:
    """Send a file to be imported into the system `mine`, unless `about` says otherwise."""
    fields = {"format": "csv", "system": "mine", "settings": [f"map={one}" for one in MAPPING], **about}
    file = SimpleUploadedFile(fields.pop("name", "t.csv"), content)
    return call(
        secret,
        "POST",
        "/imports",
        data=encode_multipart(BOUNDARY, {**fields, "file": file}),
        content_type=MULTIPART_CONTENT,
        headers={"Idempotency-Key": key} if key else {},
    )


def post(secret: str, path: str, **body: Any) -> Any:
    """Send JSON."""
    return call(secret, "POST", path, data=json.dumps(body), content_type="application/json")


def uploads(tmp_path: Path) -> list[Path]:
    """The files that wait for an import."""
    return list(tmp_path.glob("uploads/*"))


def test_sending_a_file_takes_eleven_queries_at_most(
    world: World, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    secret = token_of(world.bob)
    with django_assert_max_num_queries(11):
        assert send(secret).status_code == 202


def test_a_file_is_imported_by_a_job(world: World) -> None:
    secret = token_of(world.bob)
    answer = send(secret, system="Fresh")
    job = answer.json()
    assert answer["Location"] == f"/api/v1/jobs/{job['job_id']}"
    assert job["state"] == "queued"
    run_job(job_id=job["job_id"], kinds=KINDS)
    done = call(secret, "GET", f"/jobs/{job['job_id']}").json()
    assert (done["state"], done["result"]["runs"], done["error"]) == ("done", 8, "")
    assert call(secret, "GET", "/systems/fresh/runs?revision=r9").json()["total"] == 4


def test_a_key_starts_one_job_for_one_content(world: World, tmp_path: Path) -> None:
    """Of one account: another one may use the same key. Nothing stays of what is not imported."""
    secret = token_of(world.bob)
    first = send(secret, key="build-7").json()["job_id"]
    assert send(secret, key="build-7").json()["job_id"] == first
    assert len(uploads(tmp_path)) == 1
    for other in ({"content": CONTENT + b"on,r9,1.0\n"}, {"format": "tef"}, {"settings": ["map=A=ignore"]}):
        answer = send(secret, key="build-7", **other)
        assert answer.status_code == 409
        assert "'build-7'" in answer.json()["detail"]
    assert send(token_of(world.alice), key="build-7").json()["job_id"] != first
    assert send(secret).json()["job_id"] != send(secret).json()["job_id"]
    assert Job.objects.filter(kind="import").count() == len(uploads(tmp_path)) == 4


def test_a_bad_file_is_told_by_line_column_value_and_remedy(world: World, tmp_path: Path) -> None:
    answer = send(token_of(world.bob), b"A,revision,time\non,r8,soon\noff,r8,1.0\n")
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert (fault["place"], fault["file"], fault["line"], fault["column"]) == (
        "body.file",
        "t.csv",
        2,
        "time",
    )
    assert fault["value"] == "soon"
    assert fault["remedy"]
    assert uploads(tmp_path) == []
    assert not Job.objects.filter(kind="import").exists()


@pytest.mark.parametrize(
    ("wrong", "place", "words"),
    [
        ({"format": "xls"}, "body.file", "no format 'xls'"),
        ({"name": "t.exe"}, "body.file", "no file that can be imported"),
        ({"content": b""}, "body.file", "is empty"),
        ({"settings": ["map"]}, "body.settings", "not written as NAME=VALUE"),
        ({"settings": ["colour=red"]}, "body.settings", "--colour"),
        ({"system": "a\x00b"}, "body.form.system", "pattern"),
    ],
)
def test_what_is_wrong_beside_the_file_is_told(
    world: World, tmp_path: Path, wrong: Mapping[str, Any], place: str, words: str
) -> None:
    answer = send(token_of(world.bob), **{"content": CONTENT, **wrong})
    assert answer.status_code == 422
    (fault,) = answer.json()["errors"]
    assert fault["place"].removeprefix("form") in {place, place.replace("body.form", "")}
    assert words in fault["message"]
    assert uploads(tmp_path) == []


def test_who_may_begin_systems_imports_into_a_new_one(world: World) -> None:
    """Not by a token for reading, nor by one of another system."""
    job = send(token_of(world.charlie), system="Newer").json()
    run_job(job_id=job["job_id"], kinds=KINDS)
    assert Membership.objects.get(system__slug="newer").user == world.charlie.user
    for secret in (token_of(world.bob, "read"), token_of(world.bob, system="mine")):
        assert send(secret, system="Newest").status_code == 403


def test_large_bodies_come_from_tokens_to_the_address_of_imports_alone(world: World) -> None:
    """They are refused unread, in the one shape of errors."""
    secret = token_of(world.bob)
    large = b"x" * 200_000
    for path, by in (
        ("/imports", ""),
        ("/imports", "perfatlas_made-up"),
        ("/systems/mine/annotations", secret),
    ):
        answer = call(by, "POST", path, data=large, content_type="application/json")
        assert (answer.status_code, answer["Content-Type"]) == (413, "application/problem+json")
    assert send(secret, CONTENT + b"on,r9,1.0\n" * 20_000).status_code == 202
    about = {"CONTENT_LENGTH": str(600 << 20), "headers": {"Authorization": f"Bearer {secret}"}}
    answer = Client().generic("POST", "/api/v1/imports", content_type=MULTIPART_CONTENT, **about)  # type: ignore[arg-type] # as WSGI names it
    assert answer.status_code == 413


def test_a_finding_is_triaged_and_that_is_taken_back(world: World) -> None:
    secret, path = token_of(world.bob), f"/systems/mine/findings/{world.own['finding']}/triage"
    said = post(secret, path, state="expected", note="the new parser", owner="alice").json()
    assert said["changes"] == 2
    answer = call(secret, "GET", "/systems/mine/findings?state=expected").json()
    (finding,) = answer["rows"]
    assert finding["triage"]["owner"] == "alice"
    assert finding["triage"]["said_by"] == "bob"
    assert post(secret, f"/systems/mine/triage/{said['action']}/undo").json() == {"changed": 2}
    assert call(secret, "GET", "/systems/mine/findings?state=expected").json()["total"] == 0
    assert post(secret, path, owner="dora").status_code == 409
    assert post(secret, path, state="fine").status_code == 422


def test_an_annotation_is_noted_listed_and_taken_away(world: World) -> None:
    secret, path = token_of(world.bob), "/systems/mine/annotations"
    made = post(secret, path, kind="note", first="r1", last="r3", text="another compiler").json()
    listed = call(secret, "GET", path).json()["rows"]
    assert [(row["first"]["name"], row["text"]) for row in listed] == [
        ("r1", "another compiler"),
        ("r2", "something"),
    ]
    assert call(secret, "DELETE", f"{path}/{made['annotation_id']}").status_code == 204
    assert call(secret, "DELETE", f"{path}/{made['annotation_id']}").status_code == 404


def test_runs_are_marked_invalid_and_restored(world: World) -> None:
    secret, run = token_of(world.bob), int(world.own["run"])
    path = "/systems/mine/runs"
    assert post(secret, f"{path}/invalidate", run_ids=[run], reason="busy").json() == {"changed": 1}
    (row,) = call(secret, "GET", f"{path}?invalid=true").json()["rows"]
    assert (row["invalid_reason"], row["invalidated_by"]) == ("busy", "bob")
    assert post(secret, f"{path}/restore", run_ids=[run]).json() == {"changed": 1}
    assert post(secret, f"{path}/invalidate", run_ids=[run], reason=" ").status_code == 409
    assert not Run.objects.exclude(invalid_reason="").exists()


def test_jobs_are_stopped_and_go_on(world: World) -> None:
    secret, path = token_of(world.bob), f"/jobs/{world.own['job']}"
    assert post(secret, f"{path}/resume").json()["state"] == "queued"
    assert post(secret, f"{path}/pause").json()["state"] == "paused"
    assert post(secret, f"{path}/cancel").json()["state"] == "cancelled"
    assert post(secret, f"{path}/resume").status_code == 409


def test_histories_that_moved_are_fitted(world: World) -> None:
    secret = token_of(world.bob)
    assert post(secret, "/systems/mine/jobs/fit").status_code == 204
    post(secret, "/systems/mine/runs/invalidate", run_ids=[int(world.own["run"])], reason="busy")
    answer = post(secret, "/systems/mine/jobs/fit")
    assert (answer.status_code, answer.json()["kind"]) == (202, "fit histories")


@pytest.fixture
def measurer(tiny: str) -> Person:
    """An editor of a system with a registered subject."""
    person = create_person("erna")
    Membership.objects.create(
        system=System.objects.get(slug=tiny), user=person.user, role=Membership.Role.EDITOR
    )
    return person


def test_a_subject_is_measured_and_tracked(tiny: str, measurer: Person) -> None:
    """The selection is checked first."""
    secret = create_token(principal=measurer.principal, name="ci", scope="write", days=1)[1]
    path = f"/systems/{tiny}/jobs"
    answer = post(secret, f"{path}/measure", configurations=["default"], repetitions=2)
    assert (answer.status_code, answer.json()["kind"]) == (202, "measure")
    assert post(secret, f"{path}/track", budget_seconds=60).json()["kind"] == "track"
    for name, wrong in (
        ("measure", {"workload": "none"}),
        ("measure", {"revisions": ["nowhere"]}),
        ("measure", {"repetitions": 0}),
        ("track", {"configuration": "all"}),
        ("track", {"stop_at": "never"}),
    ):
        answer = post(secret, f"{path}/{name}", **wrong)
        assert answer.status_code == 422, answer.content
        assert answer.json()["errors"]


def test_a_rule_is_made_changed_tested_and_taken_away(world: World) -> None:
    """The address of its webhook is told by no answer."""
    secret, path = token_of(world.alice), "/systems/mine/alerts/rules"
    said = {"name": "all of it", "smallest_percent": 2.5, "people": ["bob"], "quiet_from": "22:00"}
    assert post(secret, path, **said).status_code == 409
    said |= {"quiet_until": "07:00", "webhook": "https://hooks.example.org/s3cret"}
    answer = post(secret, path, **said)
    made = answer.json()
    assert (made["people"], made["smallest_percent"], made["quiet_until"]) == (["bob"], 2.5, "07:00")
    assert made["webhook_host"] == "hooks.example.org"
    own = f"{path}/{made['rule_id']}"
    changed = call(secret, "PUT", own, data=json.dumps({"name": "all"}), content_type="application/json")
    listed = call(secret, "GET", path)
    assert [row["name"] for row in listed.json()["rows"]] == ["all", "slower mine"]
    assert changed.json()["webhook_host"] == "hooks.example.org"
    assert post(secret, f"{own}/test").json() == {"messages": 1}
    sent = call(secret, "GET", "/systems/mine/alerts/deliveries").json()["rows"]
    assert [(row["to"], row["alert_id"], row["state"]) for row in sent] == [
        ("hooks.example.org", None, "waiting")
    ]
    assert not any(b"s3cret" in one.content for one in (answer, changed, listed))
    assert call(secret, "DELETE", own).status_code == 204
    assert call(secret, "DELETE", own).status_code == 404


def test_an_alert_is_read_and_acknowledged(world: World) -> None:
    (row,) = call(token_of(world.alice), "GET", "/systems/mine/alerts").json()["rows"]
    assert (row["revision"], row["state"], row["spoken_of_by"]) == ("r4", "told", "operator")
    path = f"/systems/mine/alerts/{row['alert_id']}/acknowledge"
    assert post(token_of(world.bob), path).json()["spoken_of_by"] == "bob"
