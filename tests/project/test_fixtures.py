"""The shared fixtures are what the other tests take them for."""

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission as DjangoPermission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command

from dashboard.access import Forbidden, NotFound, Permission, access_to
from dashboard.models import System
from tests import emptying
from tests.emptying import empty
from tests.people import Person

OF_THE_CODE = (ContentType, DjangoPermission)


def _filled() -> set[str]:
    return {model._meta.label for model in apps.get_models() if model._default_manager.exists()}


def test_roles_of_the_people(system: System, alice: Person, bob: Person, vera: Person) -> None:
    """Alice administers the system, Bob edits it, Vera only looks."""
    assert access_to(alice.principal, "small", Permission.ADMIN).system == system
    assert access_to(bob.principal, "small", Permission.EDIT).system == system
    assert access_to(vera.principal, "small").system == system
    with pytest.raises(Forbidden):
        access_to(vera.principal, "small", Permission.EDIT)
    with pytest.raises(Forbidden):
        access_to(bob.principal, "small", Permission.ADMIN)


def test_the_stranger_does_not_learn_that_the_system_exists(system: System, charlie: Person) -> None:
    """Charlie gets the same answer as for a system that is not there."""
    with pytest.raises(NotFound, match="there is no system 'small'"):
        access_to(charlie.principal, system.slug)
    with pytest.raises(NotFound, match="there is no system 'absent'"):
        access_to(charlie.principal, "absent")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("most_bytes", [emptying._MOST_BYTES, -1], ids=["deleted", "truncated"])
def test_what_was_committed_is_taken_away_as_django_would(
    monkeypatch: pytest.MonkeyPatch, alice: Person, most_bytes: int
) -> None:
    """Rows that refer to one another go; those that say what models there are stay."""
    before = [model._default_manager.count() for model in OF_THE_CODE]
    assert {"dashboard.System", "dashboard.Membership", "auth.User"} < _filled()
    monkeypatch.setattr(emptying, "_MOST_BYTES", most_bytes)
    empty()
    ours = _filled()
    assert [model._default_manager.count() for model in OF_THE_CODE] == before
    call_command("flush", interactive=False, verbosity=0)
    assert ours == _filled() == {"contenttypes.ContentType", "auth.Permission"}
