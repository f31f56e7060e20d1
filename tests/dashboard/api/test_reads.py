"""What reads answer: the numbers of the pages, page by page, in a number of queries that does not grow."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from dashboard.models import (
    Alert,
    AlertDelivery,
    AlertRecipient,
    AlertRule,
    Level,
    System,
    SystemOption,
)
from tests.dashboard.api.conftest import call, token_of
from tests.dashboard.api.operations import OPERATIONS, Operation, listed, named
from tests.dashboard.api.world import World

READS = tuple(one for one in OPERATIONS if one.method == "GET")
# Of one request, its token and role included.
MOST_QUERIES = 25
# What is split is a history first: the answer needs the queries of both.
MORE_QUERIES = {"step": 35}


@pytest.fixture
def ask(world: World) -> Any:
    """What an address below the own system answers to a viewer."""
    secret = token_of(world.vera, "read")

    def answer(path: str) -> Any:
        return call(secret, "GET", f"/systems/mine{path}".format(**world.own)).json()

    return answer


def reader_of(world: World, operation: Operation) -> str:
    """The token of one who may read just that."""
    return token_of(world.alice) if operation.is_for_admins else token_of(world.vera, "read")


@pytest.mark.parametrize("operation", READS, ids=named)
def test_no_read_asks_more_for_more_rows(operation: Operation, world: World) -> None:
    """Nor often at all; what is kept in memory was kept before."""
    secret, address = reader_of(world, operation), operation.address(world.own)
    rows = listed(call(secret, "GET", address))
    asked = []
    for limit in (1, 500) if rows is not None else (0,):
        separator = "&" if "?" in address else "?"
        with CaptureQueriesContext(connection) as queries:
            answer = call(secret, "GET", f"{address}{separator}limit={limit}" if limit else address)
        assert answer.status_code == 200
        asked.append(len(queries))
    assert len(set(asked)) == 1
    assert asked[0] <= MORE_QUERIES.get(operation.name, MOST_QUERIES)


def test_a_number_that_no_program_reads_is_not_told(ask: Any, world: World) -> None:
    """Nor does Python write one of more than 4,300 digits."""
    assert ask("")["levels"] == 2
    system = System.objects.get(slug="mine")
    options = SystemOption.objects.bulk_create(
        SystemOption(system=system, name=f"more {at}", position=10 + at) for at in range(1100)
    )
    Level.objects.bulk_create(
        Level(option=one, position=at, value=at, label=str(at)) for one in options for at in range(2)
    )
    assert ask("")["levels"] is None


@pytest.mark.parametrize("operation", READS, ids=named)
def test_pages_of_a_list_make_up_the_list(operation: Operation, world: World) -> None:
    """In a stable order; the total is that of all rows."""
    secret, address = reader_of(world, operation), operation.address(world.own)
    separator = "&" if "?" in address else "?"
    whole = listed(call(secret, "GET", address))
    pages = [
        call(secret, "GET", f"{address}{separator}limit=2&offset={start}").json()
        for start in range(0, len(whole or ()), 2)
    ]
    assert [row for page in pages for row in page["rows"]] == (whole or [])
    assert all(page["total"] >= len(whole or ()) for page in pages)


def test_no_list_of_alerts_asks_more_for_more_rows(world: World) -> None:
    secret, (rule,) = token_of(world.alice), AlertRule.objects.filter(system__slug="mine")
    alert, asked = Alert.objects.get(rule=rule), []
    # The first use of a token is noted.
    call(secret, "GET", "/systems/mine/alerts")
    for rows in (2, 6):
        for number in range(rows - rule.system.alert_rules.count()):
            more = AlertRule.objects.create(system=rule.system, name=f"rule {rows} {number}")
            AlertRecipient.objects.create(rule=more, user=world.alice.user)
            told = Alert.objects.create(rule=more, revision=alert.revision, subject="slower")
            AlertDelivery.objects.create(rule=more, alert=told, to="alice", due_at=now())
        for part in ("", "/rules", "/deliveries"):
            with CaptureQueriesContext(connection) as queries:
                answer = call(secret, "GET", f"/systems/mine/alerts{part}").json()
            assert answer["total"] == rows - (part == "/deliveries")
            asked.append(len(queries))
    assert asked[:3] == asked[3:]


def test_terms_have_their_interval(ask: Any) -> None:
    """The simple system costs 5 s more with A."""
    (term,) = ask("/terms?revision=r7")["rows"]
    assert term["key"] == "A"
    assert term["changes"] == [{"option": "A", "from_level": "off", "to_level": "on"}]
    influence = term["influence"]
    assert influence["value"] == pytest.approx(5.0, abs=0.05)
    assert influence["low"] < influence["value"] < influence["high"]
    assert ask("/terms?threshold=6")["rows"] == ask("/terms?text=B")["rows"] == []


def test_a_configuration_is_predicted_and_the_best_is_named(ask: Any) -> None:
    found = ask("/prediction?configuration=A=on&revision=r0")
    assert found["predicted"]["value"] == pytest.approx(15.0, abs=0.1)
    assert found["configuration"]["differences"] == [["A", "on"]]
    assert [one["change"]["to_level"] for one in found["better"]] == ["off"]
    best = ask("/best?revision=r0")
    assert best["best"]["predicted"]["value"] == pytest.approx(10.0, abs=0.1)
    assert best["worst"]["predicted"]["value"] == pytest.approx(15.0, abs=0.1)
    assert ask("/best?revision=r0&configuration=A=on&fix=A")["best"]["predicted"]["value"] > 14


def test_a_history_has_points_a_band_and_its_change_with_certainty_and_state(ask: Any) -> None:
    found = ask("/series/{series}")
    assert [point["revision"] for point in found["points"]] == [f"r{number}" for number in range(8)]
    assert len(found["band"]) == 8
    (change,) = found["changes"]
    assert (change["before"]["name"], change["after"]["name"]) == ("r3", "r4")
    assert change["low"] < change["relative"] < change["high"]
    assert change["certainty"] > 0.99
    assert change["is_slower"]
    assert change["triage"]["state"] == "acknowledged"
    assert [one["text"] for one in found["annotations"]] == ["something"]


def test_findings_are_those_of_a_revision_where_one_is_asked_for(ask: Any) -> None:
    (finding,) = ask("/findings?revision=r4")["rows"]
    assert (finding["verdict"], finding["before"], finding["after"]) == ("told", "r3", "r4")
    assert finding["histories"] == 2
    assert finding["shown"][0]["last"]["relative"] == pytest.approx(0.3, abs=0.01)
    assert ask("/findings?revision=r5")["total"] == 0
    assert ask("/findings?state=noise")["total"] == 0
    assert ask("/findings?revision=nowhere")["status"] == 404


def test_two_revisions_differ_by_the_step(ask: Any) -> None:
    found = ask("/comparison?before=r3&after=r4")
    assert found["before"]["name"] == "r3"
    assert found["counts"]["differs"] == found["total"] == len(found["rows"])
    assert found["rows"][0]["low"] > 0.1


def test_runs_are_those_asked_for(ask: Any) -> None:
    found = ask("/runs?revision=r4&configuration=A=on")
    assert found["total"] == 2
    assert sorted(row["wall_seconds"] for row in found["rows"]) == pytest.approx([18.02, 18.04])
    assert ask("/runs?invalid=true")["total"] == 0
    assert ask("/runs?configuration=B=on")["status"] == 404


def test_jobs_are_those_of_a_system_and_state(world: World) -> None:
    secret = token_of(world.vera, "read")
    (job,) = call(secret, "GET", "/jobs?state=paused").json()["rows"]
    assert (job["title"], job["system_slug"], job["progress"]) == ("Fit mine", "mine", 0.0)
    (active,) = call(secret, "GET", "/jobs?active=true").json()["rows"]
    assert (active["title"], active["state"]) == ("Measure mine", "running")
    assert call(secret, "GET", "/jobs?system=theirs").status_code == 404


def test_a_step_is_split_into_terms_and_told_between_any_two_revisions(ask: Any) -> None:
    """The last change where none are named; its terms and their rest sum to it."""
    found = ask("/series/{series}/step")
    assert (found["before"]["name"], found["after"]["name"]) == ("r3", "r4")
    step = found["step"]
    assert step["low"] < 3.0 < step["high"]
    parts = [*found["terms"], found["rest_of_terms"]]
    assert sum(part["amount"] for part in parts) == pytest.approx(step["amount"])
    assert [one["revision"]["name"] for one in found["commits"]] == ["r4"]
    assert ask("/series/{series}/step?before=r0&after=r1")["step"]["amount"] == pytest.approx(0.0, abs=0.1)
    assert ask("/series/{series}/step?before=r0")["status"] == 409
    assert ask("/series/{series}/step?before=r0&after=nowhere")["status"] == 404
