"""Names are what everybody sees: no control characters, and nothing that turns the order of letters."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from dashboard.access import Access, Principal, Refused, access_to
from dashboard.models import System
from dashboard.selectors.reports import FrozenView
from dashboard.selectors.systems import list_names
from dashboard.services.alerts.rules import RuleWords, write_rule
from dashboard.services.annotations import annotate
from dashboard.services.imports.importing import find_target, import_file
from dashboard.services.invitations import invite
from dashboard.services.machines.registry import register_machine
from dashboard.services.metrics import MetricRequest, set_metric
from dashboard.services.reports.freezing import store_report
from dashboard.services.reports.texts import publish
from dashboard.services.run_validity import mark_invalid
from dashboard.services.saved_views import save_view
from dashboard.services.subjects import register_subject
from dashboard.services.teams import create_team
from dashboard.services.tokens import create_token
from tests.dashboard.measuring.tiny import write_subject
from tests.people import Person

_FROZEN = FrozenView("T", (), ())
_PLACES: Mapping[str, Callable[[Access, str], object]] = {
    "system": lambda access, text: find_target(access.principal, text),
    "view": lambda access, text: save_view(access=access, name=text, section="options"),
    "team": lambda access, text: create_team(principal=access.principal, name=text),
    "machine": lambda access, text: register_machine(principal=access.principal, name=text),
    "token": lambda access, text: create_token(principal=access.principal, name=text, scope="read", days=1),
    "rule": lambda access, text: write_rule(
        access=access, words=RuleWords(text, people=("alice",)), opened_at=""
    ),
    "words of a rule": lambda access, text: write_rule(
        access=access, words=RuleWords("r", words=text, people=("alice",)), opened_at=""
    ),
    "invitation": lambda access, text: invite(access=access, role="viewer", note=text),
    "annotation": lambda access, text: annotate(access=access, kind="note", first="1", text=text),
    "unit": lambda access, text: set_metric(access=access, request=MetricRequest(quantity="time", unit=text)),
    "reason": lambda access, text: mark_invalid(access=access, run_ids=[1], reason=text),
    "report": lambda access, text: store_report(
        access=access, view="options", address="", frozen=_FROZEN, title=text
    ),
    "written report": lambda access, text: publish(access=access, title=text, text="words"),
}


@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("hidden", ["\x07", "\x7f", "\x9b", "\u202e", "\u2067"])
def test_what_nobody_sees_is_refused_wherever_people_write_a_name(
    alice: Person, system: System, place: str, hidden: str
) -> None:
    """With the character, as it cannot be shown; marks of Arabic and Hebrew text are none of them."""
    alice.user.is_superuser = True
    alice.user.save()
    access = access_to(Principal.of_account(alice.user), "small")
    with pytest.raises(Refused, match=rf"holds the character U\+{ord(hidden):04X}, which nobody sees"):
        _PLACES[place](access, f"a{hidden}b")


def test_a_system_of_before_keeps_its_name_and_takes_imports(alice: Person, system: System) -> None:
    System.objects.filter(pk=system.pk).update(name="sma\x07ll")
    assert [row.name for row in list_names(principal=alice.principal)] == ["sma\x07ll"]
    for name in ("small", "sma\x07ll"):
        found = find_target(alice.principal, name)
        assert found is not None
        assert found.slug == "small"


def test_letters_of_other_scripts_are_names(alice: Person, system: System) -> None:
    access = access_to(alice.principal, "small")
    for name in ("שלום\u200f", "naïve\u00a0β", "zero\u200bwidth"):
        assert save_view(access=access, name=name, section="options").pk


def test_a_subject_makes_no_system_of_such_a_name(db: None, operator: Principal, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="the system's name holds"):
        register_subject(principal=operator, folder=write_subject(tmp_path), system_name="a\nb")
    assert not System.objects.exists()


def test_a_file_with_such_names_is_refused_whole(db: None, operator: Principal, tmp_path: Path) -> None:
    """Bundles alone may hold them, as installations of before did."""
    file = tmp_path / "model.xml"
    file.write_text(
        "<vm name='m'><binaryOptions><configurationOption><name>root</name></configurationOption>"
        "<configurationOption><name>a\u202eb</name><parent>root</parent><optional>True</optional></configurationOption>"
        "</binaryOptions></vm>",
        encoding="utf-8",
    )
    with pytest.raises(Refused, match=r"option 'a\\u202eb' holds the character U\+202E"):
        import_file(principal=operator, format_name="feature-model", path=file, system_name="model")
    assert not System.objects.exists()
