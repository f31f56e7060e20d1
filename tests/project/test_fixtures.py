"""The shared fixtures are what the other tests take them for."""

import pytest

from dashboard.access import Forbidden, NotFound, Permission, access_to
from dashboard.models import System
from tests.people import Person


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
