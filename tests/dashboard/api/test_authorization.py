"""Every operation x who calls it x a system of others: from the application's own list, so that none is forgotten."""

from pathlib import Path

import pytest
from django.conf import LazySettings

from tests.dashboard.api.conftest import expired_token_of, token_of
from tests.dashboard.api.operations import OF_MACHINES, OF_PEOPLE, OPERATIONS, Operation, named
from tests.dashboard.api.world import World

# Who is answered, and how. What each operation asks of the database, `test_document` and `test_reads` ask of both.
pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def _own_uploads(settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR = tmp_path


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_without_a_living_token_nothing_is_answered(operation: Operation, world: World) -> None:
    for secret in ("", "perfatlas_made-up", expired_token_of(world.alice)):
        answer = operation.call(secret, world.own)
        assert answer.status_code == 401
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json().keys() == {"type", "title", "status", "detail", "errors"}


@pytest.mark.parametrize("operation", OF_PEOPLE, ids=named)
def test_whose_role_and_scope_suffice_is_answered(operation: Operation, world: World) -> None:
    """Nothing of others is in it."""
    person, scope = (world.bob, "write") if operation.is_write else (world.vera, "read")
    if operation.is_for_admins:
        person, scope = world.alice, "write"
    answer = operation.call(token_of(person, scope), world.own)
    assert answer.status_code == operation.status, answer.content
    assert b"theirs" not in answer.content


@pytest.mark.parametrize("operation", [one for one in OF_PEOPLE if one.is_write], ids=named)
def test_a_write_needs_the_role_editor_and_a_token_for_writing(operation: Operation, world: World) -> None:
    for secret in (token_of(world.vera, "write"), token_of(world.bob, "read"), token_of(world.alice, "read")):
        answer = operation.call(secret, world.own)
        assert (answer.status_code, answer["Content-Type"]) == (403, "application/problem+json")


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.is_for_admins], ids=named)
def test_what_admins_do_needs_the_role_admin(operation: Operation, world: World) -> None:
    for secret in (token_of(world.bob, "write"), token_of(world.alice, "read")):
        assert operation.call(secret, world.own).status_code == 403


@pytest.mark.parametrize("operation", OF_PEOPLE, ids=named)
def test_nobody_finds_a_trace_of_a_system_that_is_not_theirs(operation: Operation, world: World) -> None:
    """Of strangers, of members of another system, of a token of another system, of members who name what is not theirs."""
    for person, only, places in (
        (world.charlie, "", world.own),
        (world.dora, "", world.own),
        (world.dora, "theirs", world.own),
        (world.alice, "", world.foreign),
    ):
        answer = operation.call(token_of(person, "write", system=only), places)
        if operation.name == "send_file":
            # A name that is taken is told as that, as on the page of imports.
            assert answer.status_code in {403, 409}
            continue
        others = b"mine" if places is world.own else b"theirs"
        if operation.is_of_a_system:
            assert answer.status_code == 404
        # The address itself may be repeated.
        assert "{system}" in operation.path or person == world.alice or others not in answer.content


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if "{system}" in one.path], ids=named)
def test_what_belongs_to_another_system_is_not_there(operation: Operation, world: World) -> None:
    """The own system in the address, with the things of the other one."""
    things = {name: value for name, value in world.foreign.items() if name != "system"}
    mixed = {**world.own, **things}
    if operation.address(mixed) == operation.address(world.own) and "{run}" not in str(operation.body):
        return
    assert operation.call(token_of(world.alice, "write"), mixed).status_code in {404, 409}


@pytest.mark.parametrize("operation", OF_MACHINES, ids=named)
def test_a_machine_does_what_machines_do_and_nothing_else(operation: Operation, world: World) -> None:
    """No token opens that, and no machine names the job of another one."""
    expected = 204 if operation.name == "take_job" else operation.status
    for person in (world.alice, world.bob):
        assert operation.call(token_of(person, "write"), world.own).status_code == 401
    if operation.body and ("claim" in operation.body or "file" in operation.body):
        assert operation.call(world.foreign["secret"], world.own).status_code == 409
    answer = operation.call(world.own["secret"], world.own)
    assert (answer.status_code, b"theirs" in answer.content) == (expected, False)
    assert operation.call(world.own["secret"] + "x", world.own).status_code == 401


@pytest.mark.parametrize("operation", OF_PEOPLE, ids=named)
def test_the_secret_of_a_machine_opens_nothing_of_people(operation: Operation, world: World) -> None:
    assert operation.call(world.own["secret"], world.own).status_code == 401
