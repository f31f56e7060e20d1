"""The people of the tests: a user with the principal that stands for it."""

from dataclasses import dataclass

from django.contrib.auth.models import User

from dashboard.access import Principal


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account: `user` signs in (views), `principal` asks (selectors, services)."""

    user: User
    principal: Principal


def create_person(name: str) -> Person:
    """An account without any membership, whose password is its name."""
    user = User.objects.create_user(username=name, password=name)
    return Person(user=user, principal=Principal(user_id=user.pk, name=name))
