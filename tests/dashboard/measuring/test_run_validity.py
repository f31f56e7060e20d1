"""Runs are marked invalid with a reason and restored; what is told from them follows in the same moment."""

import pytest

from dashboard.access import Forbidden, NotFound, Principal, Refused, access_to
from dashboard.models import AuditEntry, Batch, Configuration, PerformanceModel, Point, Run, Series, System
from dashboard.selectors.influences import influences
from dashboard.selectors.model_rows import Selection
from dashboard.services.run_validity import mark_invalid, restore
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, measure_everything, settle
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def runs(system: System) -> list[int]:
    """Three runs of c1 at 1.0 (1, 1 and 7 s), one at 2.0."""
    first, second = add_revisions(system, ["1.0", "2.0"])
    batch = add_batch(system)
    configuration = Configuration.objects.get(name="c1")
    made = [
        add_run(batch, configuration, first, value=value, repetition=repetition)
        for repetition, value in enumerate((1.0, 1.0, 7.0), start=1)
    ]
    add_run(batch, configuration, second, value=2.0)
    settle([batch])
    return [run.pk for run in made]


def _point(revision: str = "1.0") -> Point:
    return Point.objects.get(
        revision__name=revision, series__metric__clock="cpu", series__subject_kind="configuration"
    )


def test_an_invalid_run_counts_no_more_and_a_restored_one_again(bob: Person, runs: list[int]) -> None:
    """The point's median, number and spread tell."""
    assert _point().n == 3
    assert _point().spread == pytest.approx(12**0.5)
    assert (
        mark_invalid(access=access_to(bob.principal, "small"), run_ids=runs[2:], reason=" backup ran ") == 1
    )
    assert (_point().n, _point().median, _point().spread) == (2, 1.0, 0.0)
    run = Run.objects.get(pk=runs[2])
    assert (run.invalid_reason, run.invalidated_by, run.measurements.count()) == ("backup ran", bob.user, 2)
    assert restore(access=access_to(bob.principal, "small"), run_ids=runs) == 1
    assert _point().n == 3
    assert Run.objects.exclude(invalid_reason="").count() == 0


def test_a_revision_whose_runs_are_all_invalid_has_no_point(bob: Person, runs: list[int]) -> None:
    """It comes back with them."""
    mark_invalid(access=access_to(bob.principal, "small"), run_ids=runs, reason="wrong interpreter")
    assert set(Point.objects.values_list("revision__name", flat=True)) == {"2.0"}
    restore(access=access_to(bob.principal, "small"), run_ids=runs)
    assert _point().median == 1.0


def test_what_was_done_leaves_a_trace(bob: Person, runs: list[int]) -> None:
    """Who, which runs and why; doing it again changes nothing and leaves none."""
    for _ in range(2):
        mark_invalid(access=access_to(bob.principal, "small"), run_ids=runs[:2], reason="noise")
    restore(access=access_to(bob.principal, "small"), run_ids=runs[:1])
    restored, marked = AuditEntry.objects.all()
    assert (marked.actor, marked.action, marked.system_slug) == ("bob", "mark runs invalid", "small")
    assert marked.details == {"runs": runs[:2], "reason": "noise"}
    assert restored.details == {"runs": runs[:1]}


def test_data_versions_move_with_it(bob: Person, system: System, runs: list[int]) -> None:
    """What was computed before is not shown as if it were of now."""
    before = Series.objects.get(metric__clock="wall").data_version
    mark_invalid(access=access_to(bob.principal, "small"), run_ids=runs, reason="noise")
    system.refresh_from_db()
    assert system.data_version == 1
    assert Series.objects.get(metric__clock="wall").data_version > before


def test_the_influence_model_follows(bob: Person, system: System) -> None:
    """One wrong run of A and B doubled the interaction; without it the truth is found, and its terms' history."""
    batch = measure_everything(system, add_revisions(system, ["1.0", "2.0"]), repetitions=1)
    both = Configuration.objects.get(name="c3")
    wrong = add_run(batch, both, value=100.0, region_value=100.0, repetition=2)
    settle([batch])

    def interaction() -> float:
        found = influences(
            system=access_to(bob.principal, "small").system, selection=Selection(revision="1.0")
        )
        return next(term.influence.value for term in found.terms if len(term.changes) == 2)

    def history() -> dict[str, float]:
        points = Point.objects.filter(series__subject="A*B", series__metric__clock="cpu")
        return dict(points.values_list("revision__name", "median"))

    assert interaction() == pytest.approx(49.0)
    assert history() == {"1.0": pytest.approx(49.0), "2.0": pytest.approx(4.0)}
    twin = Run.objects.get(kind="profiled", repetition=2)
    mark_invalid(access=access_to(bob.principal, "small"), run_ids=[wrong.pk, twin.pk], reason="swapped out")
    assert interaction() == pytest.approx(4.0)
    assert history() == {"1.0": pytest.approx(4.0), "2.0": pytest.approx(4.0)}


def test_a_term_that_one_revision_alone_determines_has_no_history_any_more(
    bob: Person, system: System
) -> None:
    """Its points go, and come back with the runs."""
    batch = measure_everything(system, add_revisions(system, ["1.0", "2.0"]))
    both = list(
        batch.runs.filter(configuration__name="c3", revision__name="2.0").values_list("pk", flat=True)
    )
    mark_invalid(access=access_to(bob.principal, "small"), run_ids=both, reason="noise")
    terms = Point.objects.filter(series__subject_kind="term")
    assert set(terms.values_list("series__subject", flat=True)) == {"A", "B"}
    restore(access=access_to(bob.principal, "small"), run_ids=both)
    assert set(terms.values_list("series__subject", flat=True)) == {"A", "B", "A*B"}


def test_an_analysis_without_valid_runs_gives_way_to_an_older_one(bob: Person, system: System) -> None:
    """Pages show the newest revision that can be told of."""
    batch = measure_everything(system, add_revisions(system, ["1.0", "2.0"]))
    newest = list(batch.runs.filter(revision__name="2.0").values_list("pk", flat=True))
    mark_invalid(access=access_to(bob.principal, "small"), run_ids=newest, reason="noise")
    assert PerformanceModel.objects.get().revision.name == "1.0"
    found = influences(system=access_to(bob.principal, "small").system, selection=Selection())
    assert found.model.revision == "1.0"
    restore(access=access_to(bob.principal, "small"), run_ids=newest)
    assert PerformanceModel.objects.count() == 2


@pytest.mark.parametrize("reason", ["", "  ", "x" * 401])
def test_a_reason_is_asked_for(bob: Person, runs: list[int], reason: str) -> None:
    """None, or one that no row holds, is refused."""
    with pytest.raises(Refused):
        mark_invalid(access=access_to(bob.principal, "small"), run_ids=runs, reason=reason)
    assert not Run.objects.exclude(invalid_reason="").exists()


def test_runs_must_be_named_and_belong_to_the_system(bob: Person, system: System, runs: list[int]) -> None:
    """Nothing is changed where one of them does not, or is still being imported."""
    other = System.objects.create(slug="other", name="Other", visible=True)
    hidden = add_batch(system, state=Batch.State.WRITING)
    unseen = add_run(hidden, Configuration.objects.get(name="c0"), value=1.0)
    with pytest.raises(Refused, match="no run is chosen"):
        mark_invalid(access=access_to(bob.principal, "small"), run_ids=[], reason="noise")
    with pytest.raises(NotFound):
        mark_invalid(access=access_to(Principal.operator(), other.slug), run_ids=runs, reason="noise")
    with pytest.raises(NotFound, match=str(unseen.pk)):
        mark_invalid(access=access_to(bob.principal, "small"), run_ids=[runs[0], unseen.pk], reason="noise")
    assert not Run.objects.exclude(invalid_reason="").exists()


def test_viewers_may_not_and_strangers_learn_nothing(vera: Person, charlie: Person, runs: list[int]) -> None:
    """Marking and restoring need the role editor."""
    with pytest.raises(Forbidden):
        mark_invalid(access=access_to(vera.principal, "small"), run_ids=runs, reason="noise")
    with pytest.raises(Forbidden):
        restore(access=access_to(vera.principal, "small"), run_ids=runs)
    with pytest.raises(NotFound):
        mark_invalid(access=access_to(charlie.principal, "small"), run_ids=runs, reason="noise")
    with pytest.raises(NotFound):
        restore(access=access_to(charlie.principal, "small"), run_ids=runs)
