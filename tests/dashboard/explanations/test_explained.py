"""A step is split into the terms and regions that moved, and what is not known is named with what would tell it."""

import json
from io import StringIO
from math import fsum
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from pytest_django import DjangoAssertNumQueries

from analytics.step_parts import StepPart
from dashboard.access import Access, NotFound, Refused
from dashboard.figures.step_words import makes_most, title
from dashboard.models import Revision, Series, System
from dashboard.selectors.explanations.explained import explain_step
from dashboard.selectors.explanations.rows import ExplainedStep, TouchedCommit
from dashboard.selectors.histories.rows import SeriesRow
from dashboard.selectors.histories.series import list_series
from dashboard.services import explaining
from dashboard.services.explaining import explaining_request, touched_commits
from tests.dashboard.explanations.conftest import add_profiled_revisions

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def series(system: System, label: str, kind: str = "configuration") -> SeriesRow:
    """The history of that name by CPU time."""
    rows = list_series(system=system)
    return next(one for one in rows if (one.label, one.kind, one.clock) == (label, kind, "cpu"))


def explained(system: System, label: str, kind: str = "configuration") -> ExplainedStep:
    """The step of that history from 1 to 2."""
    return explain_step(system=system, series=series(system, label, kind), before="1", after="2")


def sums(found: ExplainedStep) -> list[float]:
    """What the rows of each split sum to."""
    splits = [one for one in (found.terms, found.of_regions) if one is not None]
    return [
        fsum([*(part.amount for part in one.parts), one.others.amount, one.rest.amount]) for one in splits
    ]


def test_the_term_and_the_region_that_moved_come_first(stepped: Access) -> None:
    found = explained(stepped.system, "A + B")
    assert found.step.amount == pytest.approx(4.0, abs=0.1)
    assert sums(found) == [pytest.approx(found.step.amount)] * 2
    assert found.terms is not None
    assert found.labels[found.terms.parts[0].key] == "A"
    assert found.terms.parts[0].low == pytest.approx(3.9, abs=0.12)
    (first,) = found.moved
    assert (first.key, first.term, first.body, first.file) == ("app:slow", "A", "changed", "app.py")
    assert {one.key: one.body for one in found.regions} == {
        "app:slow": "changed",
        "app:steady": "same",
        "program": "",
    }
    assert not found.missing


def test_the_region_outside_of_all_has_a_row_however_small(stepped: Access) -> None:
    found = explained(stepped.system, "A")
    assert found.of_regions is not None
    assert found.of_regions.parts[-1].key == "program"
    assert found.of_regions.parts[-1].may_be_zero


def test_a_configuration_that_does_not_step_has_no_parts_that_do(stepped: Access) -> None:
    found = explained(stepped.system, "B")
    assert found.terms is not None
    assert not found.terms.parts
    assert "app:slow" not in {one.key for one in found.moved}


def test_the_step_of_a_term_is_split_into_regions(stepped: Access) -> None:
    found = explained(stepped.system, "A", "term")
    assert found.terms is None
    assert found.step.amount == pytest.approx(4.0, abs=0.1)
    assert sums(found) == [pytest.approx(found.step.amount)]
    assert [one.key for one in found.moved] == ["app:slow"]


@pytest.mark.usefixtures("stepped")
def test_the_queries_do_not_grow_with_configurations(
    system: System, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    chosen = series(system, "A + B")
    with django_assert_max_num_queries(14):
        explain_step(system=system, series=chosen, before="1", after="2")


def test_without_profiled_runs_it_says_which_runs_would_tell_the_functions(system: System) -> None:
    add_profiled_revisions(system, profiled=False)
    found = explained(system, "A + B")
    assert found.of_regions is None
    assert "profiled runs" in found.missing[0]
    assert set(found.needed) == {"default", "A=on", "B=on", "A=on,B=on"}
    assert sums(found) == [pytest.approx(found.step.amount)]


def test_a_revision_of_the_same_code_is_none_that_the_step_may_have_come_with(stepped: Access) -> None:
    order = stepped.system.orders.get(name="releases")
    for name, position, code in (("1", 0, "a"), ("1 again", 1, "a"), ("2", 2, "b"), ("2 again", 3, "b")):
        revision, _ = Revision.objects.update_or_create(
            system=stepped.system, name=name, defaults={"content": code}
        )
        order.positions.update_or_create(revision=revision, defaults={"position": position + 10})
    order.positions.update(position=F("position") - 10)
    found = explained(stepped.system, "A")
    assert [one.name for one in found.between] == ["2"]
    assert "between 1 again and 2" in title(found)


def test_a_term_that_was_not_measured_is_named_and_stays_in_the_rest(system: System) -> None:
    add_profiled_revisions(system, leave_out=frozenset({"A"}))
    found = explained(system, "A + B")
    assert found.untold == ("A", "A × B")
    assert found.terms is not None
    assert found.terms.rest.amount == pytest.approx(4.0, abs=0.1)
    assert any("A, A × B" in one for one in found.missing)


def test_revisions_and_series_that_are_not_there_are_refused(stepped: Access) -> None:
    one = series(stepped.system, "A")
    with pytest.raises(NotFound, match="no revision '9'"):
        explain_step(system=stepped.system, series=one, before="1", after="9")
    Series.objects.filter(pk=one.series_id).update(subject_kind="benchmark")
    with pytest.raises(NotFound, match="only their steps are split"):
        explain_step(
            system=stepped.system,
            series=series(stepped.system, one.subject, "benchmark"),
            before="1",
            after="2",
        )


def test_the_measurement_of_what_is_missing_runs_both_revisions_with_the_profiler(
    stepped: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = explained(stepped.system, "A + B")
    with pytest.raises(Refused, match="No subject is registered"):
        explaining_request(access=stepped, found=found)
    monkeypatch.setattr(explaining, "measuring_refusal", lambda **_: "")
    monkeypatch.setattr(explaining, "subject_of", lambda **_: SimpleNamespace(can_profile=True))
    request = explaining_request(access=stepped, found=found)
    assert request.profile
    assert request.of_change
    assert request.revision_ids == (found.before.revision_id, found.after.revision_id)
    assert set(request.configurations) == {"default", "A=on", "B=on", "A=on,B=on"}


def commits(stepped: Access, monkeypatch: pytest.MonkeyPatch, told: Any) -> tuple[TouchedCommit, ...]:
    """The commits of the bracket, where git says `told` of them."""
    stepped.system.revisions.update(commit="a" * 40)
    monkeypatch.setattr(explaining, "registered_subject", lambda **_: None)
    monkeypatch.setattr(explaining, "touched_functions", lambda *_: told)
    return touched_commits(access=stepped, found=explained(stepped.system, "A"))


def test_a_commit_that_touched_what_moved_is_told_so(
    stepped: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [frozenset(), frozenset({("src/app.py", "slow"), ("src/app.py", "other")})]
    (one,) = commits(stepped, monkeypatch, told)
    assert (one.place.name, one.moved, one.functions) == ("2", ("app:slow",), 2)
    assert one.amount > 3.5
    (other,) = commits(stepped, monkeypatch, [frozenset(), frozenset({("src/app.py", "steady")})])
    assert (other.moved, other.amount, other.functions) == ((), 0.0, 1)


def test_without_git_commits_are_listed_all_the_same(
    stepped: Access, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one,) = commits(stepped, monkeypatch, None)
    assert (one.place.name, one.moved, one.functions) == ("2", (), None)


def test_what_went_the_other_way_makes_no_part_of_a_step() -> None:
    """A function that became 4 ms slower is not what a step of -7 ms is mostly made of."""
    step = StepPart.of("", -7.0, 2.0)
    assert not makes_most(StepPart.of("slower", 4.1, 1.6), step)
    assert not makes_most(StepPart.of("little", -2.1, 1.4), step)
    assert makes_most(StepPart.of("most", -6.0, 5.9), step)


def command(*arguments: str) -> str:
    """What the command prints."""
    out = StringIO()
    call_command("explain", "small", *arguments, stdout=out)
    return out.getvalue().replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.usefixtures("stepped")
def test_the_command_says_the_same() -> None:
    text = command("--configuration", "A=on,B=on", "--revisions", "1", "2")
    assert "between 1 and 2: mostly A, in slow" in text
    assert "app:slow  (A; body changed)" in text
    assert "not in any measured region" in text
    said = json.loads(command("--configuration", "A=on,B=on", "--revisions", "1", "2", "--json"))
    assert said["terms"][0]["term"] == "A"
    assert said["regions"][0]["region"] == "app:slow"
    assert fsum(
        [*(one["amount"] for one in said["regions"]), said["rest_of_regions"]["amount"]]
    ) == pytest.approx(said["step"]["amount"])


@pytest.mark.usefixtures("stepped")
@pytest.mark.parametrize(
    "arguments", [("--series", "99"), ("--configuration", "C=on"), ("--revisions", "1", "9"), ()]
)
def test_what_the_command_cannot_do_it_refuses(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refused:
        command(*arguments)
    assert refused.value.returncode == 2
