"""Every operation x who calls it x a system of others: from the application's own list, so that none is forgotten."""

import pytest

from dashboard.api.application import document
from dashboard.models import System
from dashboard.services.tokens import create_token
from tests.dashboard.api.conftest import call, expired_token_of, token_of
from tests.people import Person

# What stands in an address; a new operation with another name in braces says here what it means.
_PLACES = {"system": ("small", "other")}
OPERATIONS = [
    (method.upper(), path.removeprefix("/api/v1"))
    for path, methods in document()["paths"].items()
    for method in methods
]


@pytest.fixture
def foreign(system: System) -> System:
    """A system of which nobody here is a member."""
    return System.objects.create(slug="other", name="Other", visible=True)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_without_a_living_token_nothing_is_answered(
    method: str, path: str, alice: Person, foreign: System
) -> None:
    path = path.format(**{name: own for name, (own, _) in _PLACES.items()})
    for secret in ("", "perfatlas_made-up", expired_token_of(alice)):
        answer = call(secret, method, path)
        assert answer.status_code == 401
        assert answer["Content-Type"] == "application/problem+json"
        assert answer.json().keys() == {"type", "title", "status", "detail", "errors"}


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_a_token_opens_what_its_role_and_scope_open(  # noqa: PLR0917 -- an operation and everybody who calls it
    method: str, path: str, alice: Person, bob: Person, vera: Person, charlie: Person, foreign: System
) -> None:
    """Members see their system, and nobody finds any trace of one that is not theirs."""
    own, others = ({name: both[at] for name, both in _PLACES.items()} for at in (0, 1))
    of_other = create_token(
        principal=_superuser(charlie).principal, name="other", scope="read", days=1, system="other"
    )[1]
    of_a_system = "{system}" in path
    members = [token_of(one, scope) for one, scope in ((alice, "write"), (bob, "write"), (vera, "read"))]
    for secret in members:
        answer = call(secret, method, path.format(**own))
        assert answer.status_code == 200
        assert b'"other"' not in answer.content
        if of_a_system:
            assert call(secret, method, path.format(**others)).status_code == 404
    answer = call(of_other, method, path.format(**own))
    assert answer.status_code == (404 if of_a_system else 200)
    assert b'"small"' not in answer.content


def _superuser(person: Person) -> Person:
    person.user.is_superuser = True
    person.user.save()
    return Person(person.user, type(person.principal).of_account(person.user))
