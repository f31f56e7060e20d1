"""What many tests of a module only read is made once for all of them; each changes it in a transaction of its own."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

Standing = Callable[[], AbstractContextManager[None]]


def commits(item: pytest.Item) -> bool:
    """Whether the test commits, and leaves an empty database behind: nothing can stand beside it."""
    mark = item.get_closest_marker("django_db")
    asked = mark is not None and mark.kwargs.get("transaction")
    return bool(asked) or not {"transactional_db", "live_server"}.isdisjoint(
        getattr(item, "fixturenames", ())
    )


def that_commit(request: pytest.FixtureRequest) -> list[str]:
    """The names of the tests in the module that commit."""
    return [item.name for item in request.session.items if item.path == request.path and commits(item)]


@pytest.fixture(scope="module")
def standing(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Standing]:
    """What is made within `with standing():` stands in the database until the tests of the module have ended.

    Hand out deep copies of objects. Raises `pytest.UsageError` in a module of which a test commits.
    """
    if found := that_commit(request):
        raise pytest.UsageError(f"nothing can stand beside tests that commit: {', '.join(found)}")
    with django_db_blocker.unblock():
        whole = transaction.atomic()
        whole.__enter__()
    yield django_db_blocker.unblock
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        whole.__exit__(None, None, None)
