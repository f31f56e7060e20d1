"""The client against a server that answers what the API answers: words, exit codes, one comment, no secret."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from perfatlas.command import DONE, FAILED, arguments
from perfatlas.connection import BadInput, Connection, Failed
from perfatlas.summary import MARKER, markdown
from tests.perfatlas.conftest import TOKEN, FakeServer


def finding(relative: float, *, label: str = "default", verdict: str = "told") -> dict[str, Any]:
    """One finding as the API tells it."""
    change = {"relative": relative, "error": 0.005, "is_worse": relative > 0}
    return {
        "verdict": verdict,
        "before": "r3",
        "after": "r4",
        "histories": 2,
        "shown": [{"label": label, "quantity": "time", "last": change}],
        "triage": {"state": "new"},
    }


def findings(*told: dict[str, Any], candidates: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """The findings of a revision."""
    filtered = (
        [{"verdict": "candidate", "total": len(candidates), "rows": list(candidates)}] if candidates else []
    )
    return {"total": len(told), "rows": list(told), "filtered": filtered, "unfitted": 0}


def job(state: str, **about: Any) -> tuple[int, dict[str, Any]]:
    """A job as the API tells it."""
    told = {
        "job_id": 7,
        "title": "Import",
        "state": state,
        "progress": 0.5,
        "message": "",
        "error": "",
        "result": {},
    }
    return 200, {**told, **about}


@pytest.mark.parametrize(
    ("found", "fail_on", "code"),
    [
        (findings(), "confirmed", DONE),
        (findings(finding(0.3)), "confirmed", FAILED),
        (findings(finding(0.3)), "never", DONE),
        (findings(finding(-0.3)), "possible", DONE),
        (findings(candidates=(finding(0.1),)), "confirmed", DONE),
        (findings(candidates=(finding(0.1),)), "possible", FAILED),
        (findings(candidates=(finding(-0.1),)), "possible", DONE),
    ],
)
def test_a_build_fails_on_what_it_was_told_to_alone(
    server: FakeServer, found: dict[str, Any], fail_on: str, code: int
) -> None:
    server.answers["/systems/small/findings"] = [(200, found)]
    assert server.run("findings", "--system", "Small", "--revision", "r4", "--fail-on", fail_on) == code
    assert "revision=r4" in server.asked[-1][1]
    assert all(heads["Authorization"] == f"Bearer {TOKEN}" for _, _, heads, _ in server.asked)
    assert TOKEN not in "".join(server.said + server.printed)


def test_findings_wait_for_what_is_being_fitted(server: FakeServer) -> None:
    waiting = {**job("running")[1], "kind": "fit histories"}
    server.answers["/jobs"] = [(200, {"total": 1, "rows": [waiting]})]
    server.answers["/jobs/7"] = [job("running"), job("done")]
    server.answers["/systems/small/findings"] = [(200, findings(finding(0.3)))]
    assert server.run("findings", "--system", "small", "--revision", "r4") == DONE
    assert server.printed == ["+30.0 % ± 0.5 % default (time) and 1 more history, between r3 and r4"]
    assert server.said == ["Import: 50%"]


def test_a_comment_is_one_that_can_be_found_and_is_silent_where_nothing_changed(server: FakeServer) -> None:
    command = ("findings", "--system", "small", "--revision", "r4", "--markdown")
    server.answers["/systems/small/findings"] = [(200, findings(candidates=(finding(0.1),)))]
    assert server.run(*command) == DONE
    assert server.printed == []
    server.answers["/systems/small/findings"] = [(200, findings(finding(0.3), finding(-0.2)))]
    server.run(*command)
    (text,) = server.printed
    assert text.startswith(MARKER.format(system="Small"))
    assert "1 change for the worse, 1 change for the better" in text
    assert "| +30.0 % ± 0.5 % | default (time), 1 more | r3 and r4 | new |" in text
    assert "/app/s/small/histories)" in text


def test_names_are_no_markdown_and_address_nobody() -> None:
    text = markdown(
        "small", "r4", findings(finding(0.3, label="@team | <img src=x> [a](b)\n# x")), "http://x"
    )
    row = text.splitlines()[5]
    assert row.count(" | ") == 3
    assert "@team" not in text
    assert "<img" not in text
    assert "[a](b)" not in text


def test_a_folder_is_sent_as_a_zip_and_with_one_key(server: FakeServer, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "a.csv").write_text("x\n", encoding="utf-8")
    server.answers["/imports"] = [job("queued")]
    server.answers["/jobs/7"] = [job("done", result={"in_words": "8 runs"})]
    command = (
        "import",
        "csv",
        str(tmp_path / "results"),
        "--system",
        "small",
        "--set",
        "map=A=option",
        "--base",
        "r3",
        "r2",
    )
    assert [server.run(*command), server.run(*command)] == [DONE, DONE]
    assert server.printed == ["Import: 8 runs"] * 2
    sent = [(heads["Idempotency-Key"], body) for method, _, heads, body in server.asked if method == "POST"]
    assert sent[0][0] == sent[1][0]
    body = sent[0][1]
    for one in (b"map=A=option", b"base=r3", b"base=r2"):
        assert b'name="settings"\r\n\r\n' + one in body
    archive = body[body.index(b"PK") : body.rindex(b"\r\n--")]
    assert zipfile.ZipFile(io.BytesIO(archive)).namelist() == ["a.csv"]


def test_what_a_server_refuses_is_told(server: FakeServer, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("x\n", encoding="utf-8")
    command = ("import", "csv", str(file), "--system", "small")
    server.answers["/imports"] = [(422, {"detail": "t.csv, line 2: soon is no number"})]
    with pytest.raises(BadInput, match="line 2"):
        server.run(*command)
    server.answers["/imports"] = [(503, {"detail": "later"}), job("queued")]
    server.answers["/jobs/7"] = [job("failed", error="r8 contradicts")]
    with pytest.raises(Failed, match="r8 contradicts"):
        server.run(*command)
    with pytest.raises(BadInput, match="there are: small"):
        server.run("fit", "--system", "nowhere")
    with pytest.raises(BadInput, match="no such file"):
        server.run("import", "csv", str(tmp_path / "none"), "--system", "small")


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"PERFATLAS_URL": "http://x"},
        {"PERFATLAS_URL": "ftp://x", "PERFATLAS_TOKEN": "t"},
        {"PERFATLAS_URL": "http://u:p@x", "PERFATLAS_TOKEN": "t"},
    ],
)
def test_an_environment_that_names_no_server_is_bad_input(environment: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="PERFATLAS_"):
        Connection.of_environment(environment)


def test_the_document_shows_commands_that_there_are() -> None:
    """In both snippets, every call of the client."""
    root = Path(__file__).resolve().parent.parent.parent
    text = (root / "docs/how-to/use-in-ci.md").read_text(encoding="utf-8").replace("\\\n", " ")
    calls = [
        line.partition("python -m perfatlas ")[2]
        for line in text.splitlines()
        if "python -m perfatlas " in line and line[0] != "|"
    ]
    assert len(calls) >= 6
    for one in calls:
        # What the shell puts in the place of $(...) are revisions.
        given = re.sub(r"\$\(.*\)", "r3 r2", one.partition(" >")[0])
        arguments().parse_args(given.replace('"', "").split())


def test_alerts_are_listed_and_a_rule_is_tested(server: FakeServer) -> None:
    rule = {
        "rule_id": 3,
        "name": "slower",
        "is_on": False,
        "asks": "5 % or more",
        "webhook_host": "a.example",
    }
    alert = {"made_at": "2026-11-26T16:22:35Z", "subject": "[Small] +30 %", "state": "told"}
    path = "/systems/small/alerts"
    server.answers |= {
        f"{path}/rules": [(200, {"total": 1, "rows": [rule | {"people": ["alice"], "teams": []}]})],
        path: [(200, {"total": 1, "rows": [alert]})],
        f"{path}/rules/3/test": [(202, {"messages": 2})],
    }
    assert server.run("alerts", "--system", "small", "--test", "3") == DONE
    assert server.said == ["messages on the way: 2"]
    assert server.printed == [
        "rule 3 (off)  slower: 5 % or more; tells alice, a.example",
        "2026-11-26 16:22  [Small] +30 %  told",
    ]
    with pytest.raises(BadInput):
        server.run("alerts", "--system", "small", "--test", "4")
