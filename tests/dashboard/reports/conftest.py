"""A system with one frozen report, and who may see it."""

import pytest
from django.contrib.auth.models import User

from dashboard.access import Principal, access_to
from dashboard.models import Membership, System
from dashboard.selectors.reports import FrozenView, ReportSection
from dashboard.services.reports.freezing import store_report

FIGURE = {
    "data": [{"type": "bar", "x": [1.5], "y": ["A"]}],
    "layout": {"xaxis": {"title": {"text": "influence (s)"}}},
}


@pytest.fixture
def editor(db: None) -> User:
    return User.objects.create_user("erin", password="a-long-password")


@pytest.fixture
def principal(editor: User) -> Principal:
    return Principal(user_id=editor.pk, name="erin")


@pytest.fixture
def system(editor: User) -> System:
    system = System.objects.create(slug="fig2", name="Figure 2", visible=True, data_version=3)
    Membership.objects.create(system=system, user=editor, role=Membership.Role.EDITOR)
    return system


@pytest.fixture
def frozen() -> FrozenView:
    section = ReportSection(
        finding="A <costs> 1.5 s",
        explanation="Influences relative to the default.",
        columns=("term", "influence (s)"),
        rows=(("A", 1.5), ("=cmd()", None)),
        figure=FIGURE,
    )
    return FrozenView(title="Influences", facts=(("revision", "1.0"),), sections=(section,))


@pytest.fixture
def report_id(principal: Principal, system: System, frozen: FrozenView) -> int:
    return store_report(
        access=access_to(principal, system.slug), view="influences", address="?term=A", frozen=frozen
    )
