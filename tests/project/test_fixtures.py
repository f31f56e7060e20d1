"""The shared fixtures are what the other tests take them for."""

import pytest

from dashboard.access import Forbidden, NotFound, Permission, require
from dashboard.models import System
from tests.people import Person


def test_roles_of_the_people(system: System, alice: Person, bob: Person, vera: Person) -> None:
    """Alice administers the system, Bob edits it, Vera only looks."""
    assert require(alice.principal, "small", Permission.ADMIN) == system
    assert require(bob.principal, "small", Permission.EDIT) == system
    assert require(vera.principal, "small") == system
    with pytest.raises(Forbidden):
        require(vera.principal, "small", Permission.EDIT)
    with pytest.raises(Forbidden):
        require(bob.principal, "small", Permission.ADMIN)


def test_the_stranger_does_not_learn_that_the_system_exists(system: System, charlie: Person) -> None:
    """Charlie gets the same answer as for a system that is not there."""
    with pytest.raises(NotFound, match="there is no system 'small'"):
        require(charlie.principal, system.slug)
    with pytest.raises(NotFound, match="there is no system 'absent'"):
        require(charlie.principal, "absent")
