"""The admin gives roles, and shows the trace without letting anyone change it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.models import AuditEntry, Membership, System

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def root(client: Client) -> User:
    user = User.objects.create_superuser("root", password="a-long-password")
    client.force_login(user)
    return user


def test_a_superuser_gives_a_role(client: Client, root: User) -> None:
    system = System.objects.create(slug="s", name="S", visible=True)
    other = User.objects.create_user("other")
    answer = client.post(
        "/admin/dashboard/membership/add/", {"system": system.pk, "user": other.pk, "role": "viewer"}
    )
    assert answer.status_code == 302
    assert Membership.objects.get(user=other).role == Membership.Role.VIEWER


def test_the_trace_is_shown_and_stays(client: Client, root: User) -> None:
    entry = AuditEntry.objects.create(actor="a", action="delete system", system_slug="s")
    page = f"/admin/dashboard/auditentry/{entry.pk}"
    assert client.get(f"{page}/change/").status_code == 200
    assert client.post(f"{page}/change/", {"actor": "b"}).status_code == 403
    assert client.post(f"{page}/delete/", {"post": "yes"}).status_code == 403


def test_an_account_without_staff_rights_is_sent_to_sign_in(client: Client) -> None:
    client.force_login(User.objects.create_user("plain"))
    assert client.get("/admin/").status_code == 302
