"""`perfatlas mcp` asked by a client of the protocol's own package: what an assistant sees is what its token opens, and no more."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from pytest_django.live_server_helper import LiveServer

from perfatlas.assistants import MOST_LETTERS, Assistant
from perfatlas.command import run
from perfatlas.connection import BadInput, Connection
from tests.dashboard.api.conftest import expired_token_of, token_of
from tests.dashboard.api.world import World

ROOT = Path(__file__).resolve().parent.parent.parent.parent
Answers = dict[str, tuple[bool, str]]
Ask = Callable[..., Answers]


@pytest.fixture
def ask(world: World, live_server: LiveServer) -> Ask:
    """What a token gets for some calls, by the name of the tool: whether it is an error, and the text."""

    async def talk(secret: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> Answers:
        environment = {**os.environ, "PERFATLAS_URL": live_server.url, "PERFATLAS_TOKEN": secret}
        program = StdioServerParameters(
            command=sys.executable, args=["-m", "perfatlas", "mcp"], env=environment, cwd=ROOT
        )
        async with Client(stdio_client(program)) as client:
            found = {}
            for name, asked in calls:
                answer = await client.call_tool(name, asked)
                (text,) = answer.content
                assert text.type == "text"
                found[name] = (answer.is_error or False, text.text)
            return found

    return lambda secret, *calls: anyio.run(talk, secret, calls)


def answers(found: Answers) -> dict[str, Any]:
    """The JSON of answers that are no errors."""
    assert not [name for name, (is_error, _) in found.items() if is_error], found
    return {name: json.loads(text) for name, (_, text) in found.items()}


@pytest.mark.once  # it is about processes: the API answers the same on both engines
def test_every_tool_answers_with_units_and_certainty(world: World, ask: Ask) -> None:
    mine, series = {"system": "mine"}, {"system": "mine", "series_id": int(world.own["series"])}
    model = {"model": {"revision": "r0"}}
    found = answers(
        ask(
            token_of(world.vera, "read"),
            ("list_systems", {}),
            ("list_revisions", {**mine, "limit": 3}),
            ("list_models", mine),
            ("influences", mine | model),
            ("regions", mine | model),
            ("predict", {**mine, **model, "configuration": "A=on"}),
            ("best_configuration", mine | model),
            ("list_histories", {**mine, "kind": "configuration", "text": "a"}),
            ("history", {**series, "points": 3}),
            ("findings", {**mine, "revision": "r4", "only_worse": True}),
            ("compare_revisions", {**mine, "before": "r3", "after": "r4"}),
            ("explain_change", series),
        )
    )
    assert [row["slug"] for row in found["list_systems"]["rows"]] == ["mine"]
    assert [row["name"] for row in found["list_revisions"]["rows"]] == ["r5", "r6", "r7"]
    assert found["influences"]["model"]["unit"] == "s"
    (term,) = found["influences"]["rows"]
    assert term["influence"]["low"] < 5.0 < term["influence"]["high"]
    assert found["predict"]["predicted"]["value"] == pytest.approx(15.0, abs=0.1)
    assert found["best_configuration"]["best"]["predicted"]["value"] == pytest.approx(10.0, abs=0.1)
    assert found["list_histories"]["rows"][0]["unit"] == "s"
    history = found["history"]
    assert [row["revision"] for row in history["rows"]] == ["r7", "r6", "r5"]
    assert (history["left_out"], history["series"]["unit"]) == (5, "s")
    assert history["rows"][0]["lower_95"] < history["rows"][0]["median"] < history["rows"][0]["upper_95"]
    (change,) = history["changes"]
    assert (change["before"], change["after"], change["certainty"] > 0.99) == ("r3", "r4", True)
    (finding,) = found["findings"]["rows"]
    assert finding["shown"][0]["last"]["certainty"] > 0.99
    assert found["compare_revisions"]["rows"][0]["low"] > 0.1
    assert found["explain_change"]["step"]["amount"] == pytest.approx(3.0, abs=0.1)
    assert found["explain_change"]["series"]["unit"] == "s"


@pytest.mark.once  # likewise
def test_what_a_tool_does_not_take_is_refused(world: World, ask: Ask) -> None:
    """Left out without a word, it would have another question answered: here that of the default configuration."""
    found = ask(
        token_of(world.vera, "read"),
        ("predict", {"system": "mine", "configurations": "A=on"}),
        ("influences", {"system": "mine", "model": {"revisions": "r0"}}),
    )
    is_error, said = found["predict"]
    assert is_error
    assert "takes no 'configurations': it takes system, configuration, model" in said
    is_error, said = found["influences"]
    assert is_error
    assert "revisions" in said


@pytest.mark.once  # likewise
def test_a_token_of_one_system_lets_see_no_other(world: World, ask: Ask) -> None:
    """Nor does that of somebody who is a member of neither. What is hidden is told as what is not there, without the token."""
    calls: Sequence[tuple[str, dict[str, Any]]] = (
        ("list_systems", {}),
        ("findings", {"system": "theirs"}),
        ("regions", {"system": "nowhere"}),
    )
    for person, about, seen in ((world.alice, {"system": "mine"}, ["mine"]), (world.charlie, {}, [])):
        secret = token_of(person, "read", **about)
        found = ask(secret, *calls)
        assert [row["slug"] for row in json.loads(found["list_systems"][1])["rows"]] == seen
        hidden, unknown = (
            text.removeprefix(f"Error executing tool {name}: ")
            for name, (is_error, text) in found.items()
            if is_error
        )
        assert hidden == unknown.replace("nowhere", "theirs")
        assert secret not in hidden


@pytest.mark.once  # likewise
def test_an_expired_token_and_wrong_values_are_told(world: World, ask: Ask) -> None:
    found = ask(expired_token_of(world.vera), ("list_systems", {}))
    assert found["list_systems"][0]
    assert "expired" in found["list_systems"][1]
    wrong = ask(token_of(world.vera, "read"), ("findings", {"system": "mine", "limit": 1_000_000}))
    assert wrong["findings"][0]
    assert "limit" in wrong["findings"][1]


class _Long(Connection):
    """Answers with more rows than fit."""

    def get(self, path: str, **query: object) -> Any:
        rows = [{"name": f"{number} " + "x" * 500, "blank": "", "value": 1 / 3} for number in range(100)]
        return {"total": 100, "rows": rows}


def test_no_answer_is_longer_than_it_may_be() -> None:
    """What is left out is counted, long texts are cut, numbers have no digits that nobody needs."""
    text = Assistant(_Long("http://127.0.0.1:9", "t")).list_systems()
    found = json.loads(text)
    assert len(text) <= MOST_LETTERS
    assert found["left_out"] == 100 - len(found["rows"]) > 0
    assert found["rows"][0]["value"] == 0.33333
    assert "blank" not in found["rows"][0]


def test_without_its_package_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """And no other command of the client imports it."""
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    monkeypatch.delitem(sys.modules, "perfatlas.assistants", raising=False)
    with pytest.raises(BadInput, match="pip install"):
        run(["mcp"], Connection("http://127.0.0.1:9", "t"), print, print)
    program = "import sys, perfatlas.command; print([one for one in sys.modules if one.startswith('mcp')])"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert loaded.stdout == "[]\n"
