"""Every operation x who calls it x a system of others: from the application's own list, so that none is forgotten."""

import pytest

from tests.dashboard.api.conftest import call, expired_token_of, token_of
from tests.dashboard.api.operations import OPERATIONS, Operation, named
from tests.dashboard.api.world import World


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_without_a_living_token_nothing_is_answered(operation: Operation, world: World) -> None:
    for secret in ("", "perfatlas_made-up", expired_token_of(world.alice)):
        answer = call(secret, operation.method, operation.address(world.own))
        assert answer.status_code == 401
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json().keys() == {"type", "title", "status", "detail", "errors"}


@pytest.mark.parametrize("operation", OPERATIONS, ids=named)
def test_a_token_opens_what_its_role_and_scope_open(operation: Operation, world: World) -> None:
    """Members see their system, and nobody finds any trace of one that is not theirs."""
    own, foreign = (operation.address(places) for places in (world.own, world.foreign))
    for person, scope in ((world.vera, "read"), (world.bob, "read"), (world.alice, "write")):
        secret = token_of(person, scope)
        answer = call(secret, operation.method, own)
        assert answer.status_code == 200
        assert b"theirs" not in answer.content
        if operation.is_of_a_system:
            assert call(secret, operation.method, foreign).status_code == 404
    stranger = call(token_of(world.charlie, "write"), operation.method, own)
    of_other = call(token_of(world.dora, "write", system="theirs"), operation.method, own)
    for answer in (stranger, of_other):
        assert answer.status_code == (404 if operation.is_of_a_system else 200)
        # The address itself may be repeated.
        assert "{system}" in operation.path or b"mine" not in answer.content
