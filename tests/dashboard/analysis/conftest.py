"""The measured system is that of the pages' tests; requests are Alice's or the operator's."""

from collections.abc import Iterator

import pytest

from dashboard.access import Principal, current_principal
from tests.dashboard.pages.conftest import measured
from tests.people import Person

__all__ = ["measured"]


@pytest.fixture
def acting_alice(alice: Person) -> Iterator[Principal]:
    """Alice's request."""
    token = current_principal.set(alice.principal)
    yield alice.principal
    current_principal.reset(token)


@pytest.fixture
def acting_operator(operator: Principal) -> Iterator[Principal]:
    """The operator's request."""
    token = current_principal.set(operator)
    yield operator
    current_principal.reset(token)
