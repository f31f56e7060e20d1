"""What is told from end-to-end runs: analyses over the options that vary, and the histories of their terms."""

import pytest
from django.db import transaction

from dashboard.models import (
    Configuration,
    Level,
    PerformanceModel,
    Point,
    Region,
    Revision,
    System,
    SystemOption,
)
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.services.performance_models import full_factorial, term_histories
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, measure_everything, settle

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _terms(clock: str = "cpu") -> dict[str, dict[str, float]]:
    """The stored terms by subject and revision."""
    found: dict[str, dict[str, float]] = {}
    points = Point.objects.filter(series__subject_kind="term", series__metric__clock=clock)
    for subject, revision, value in points.values_list("series__subject", "revision__name", "median"):
        found.setdefault(subject, {})[revision] = value
    return found


def test_an_analysis_is_over_the_options_that_vary(system: System) -> None:
    """It is widened when further configurations come in, and then has another data version."""
    batch = add_batch(system)
    for name in ("c0", "c1"):
        add_run(batch, Configuration.objects.get(name=name), value=1.0, region_value=1.0)
    settle([batch])
    first = PerformanceModel.objects.get()
    assert (first.options, first.kind) == (["A"], "full_factorial")
    later = add_batch(system)
    add_run(later, Configuration.objects.get(name="c2"), value=1.0, region_value=1.0)
    settle([later])
    second = PerformanceModel.objects.get()
    assert (second.pk, second.options, second.batch_id) == (first.pk, ["A", "B"], batch.pk)
    assert second.data_version > first.data_version


def test_one_configuration_alone_makes_no_analysis(system: System) -> None:
    batch = add_batch(system)
    add_run(batch, Configuration.objects.get(name="c3"), value=1.0, region_value=1.0)
    add_run(batch, Configuration.objects.get(name="c0"), status="failed")
    settle([batch])
    assert not PerformanceModel.objects.exists()


def test_more_combinations_than_anybody_measures_make_none(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither an analysis nor histories of terms."""
    monkeypatch.setattr(full_factorial, "MOST_COMBINATIONS", 3)
    monkeypatch.setattr(term_histories, "MOST_COMBINATIONS", 3)
    measure_everything(system, add_revisions(system, ["1.0", "2.0"]))
    assert not PerformanceModel.objects.exists()
    assert _terms() == {}


def test_profiled_runs_rule_where_they_compare_configurations(system: System) -> None:
    """End-to-end times make the model only where nothing else does: then the program is its one region."""
    batch = add_batch(system)
    for name in ("c0", "c1", "c2"):
        add_run(batch, Configuration.objects.get(name=name), value=1.0)
    settle([batch])
    assert PerformanceModel.objects.get().options == ["A", "B"]
    assert Region.objects.get().is_program
    for name in ("c0", "c1"):
        add_run(batch, Configuration.objects.get(name=name), value=1.0, region_value=1.0, repetition=2)
    settle([batch])
    assert PerformanceModel.objects.get().options == ["A"]


def test_terms_have_a_history_by_both_clocks(system: System) -> None:
    """Relative to the reference configuration, interactions too; each point knows its repetitions."""
    measure_everything(system, add_revisions(system, ["1.0", "2.0"]), step=1.0)
    for clock in ("cpu", "wall"):
        found = _terms(clock)
        assert {subject: list(points.values()) for subject, points in found.items()} == {
            "A": [pytest.approx(2.0)] * 2,
            "B": [pytest.approx(3.0)] * 2,
            "A*B": [pytest.approx(4.0)] * 2,
        }
    point = Point.objects.filter(series__subject="A*B").first()
    assert point is not None
    assert point.n == 2
    assert point.spread == pytest.approx(0.0)


def test_one_repetition_gives_a_term_no_spread(system: System) -> None:
    measure_everything(system, add_revisions(system, ["1.0", "2.0"]), repetitions=1)
    assert set(Point.objects.filter(series__subject_kind="term").values_list("spread", "n")) == {(None, 1)}


def test_one_revision_is_no_history(system: System) -> None:
    measure_everything(system, add_revisions(system, ["1.0"]))
    assert _terms() == {}


def test_a_revision_that_determines_only_some_terms_tells_those(system: System) -> None:
    """Measured feature by feature, it leaves the interaction open."""
    revisions = add_revisions(system, ["1.0", "2.0", "3.0"])
    measure_everything(system, revisions[:2])
    batch = add_batch(system)
    for name, value in (("c0", 1.0), ("c1", 3.5)):
        add_run(batch, Configuration.objects.get(name=name), revisions[2], value=value)
    settle([batch])
    assert _terms()["A"] == {"1.0": pytest.approx(2.0), "2.0": pytest.approx(2.0), "3.0": pytest.approx(2.5)}
    assert set(_terms()["A*B"]) == {"1.0", "2.0"}


def test_terms_that_are_not_relative_to_the_reference_are_left_out(system: System) -> None:
    """A revision measured with B on throughout tells A's influence beside B: another curve."""
    revisions = add_revisions(system, ["1.0", "2.0", "3.0"])
    measure_everything(system, revisions[:2])
    batch = add_batch(system)
    for name, value in (("c2", 4.0), ("c3", 10.0)):
        add_run(batch, Configuration.objects.get(name=name), revisions[2], value=value)
    settle([batch])
    assert set(_terms()["A"]) == {"1.0", "2.0"}


def test_levels_of_a_numeric_option_are_terms_of_their_own(system: System) -> None:
    size = SystemOption.objects.create(system=system, name="size", position=2)
    for position, value in enumerate((1, 2, 8)):
        Level.objects.create(option=size, position=position, value=value, label=str(value))
    batch = add_batch(system)
    for revision in add_revisions(system, ["1.0", "2.0"]):
        add_run(batch, Configuration.objects.get(name="c0"), revision, value=1.0)
        for label, seconds in (("2", 1.5), ("8", 5.0)):
            configuration, _ = Configuration.objects.get_or_create(
                system=system, identity=label * 64, assignments={"size": label}
            )
            add_run(batch, configuration, revision, value=seconds)
    settle([batch])
    assert {subject: list(points.values()) for subject, points in _terms().items()} == {
        "size=2": [pytest.approx(0.5)] * 2,
        "size=8": [pytest.approx(4.0)] * 2,
    }


def test_writing_them_again_changes_no_point(system: System) -> None:
    """A job that is repeated at its end leaves what was there."""
    batch = measure_everything(system, add_revisions(system, ["1.0", "2.0"]))
    before = _terms(), PerformanceModel.objects.count(), Revision.objects.count()
    with transaction.atomic():
        assert (
            term_histories.refresh_term_points(
                system=system, contexts=MeasurementContext.of_runs(batch.runs.all())
            )
            == 12
        )
        assert (
            full_factorial.refresh_factorial_models(
                system=system, contexts=MeasurementContext.of_runs(batch.runs.all())
            )
            == 2
        )
    assert (_terms(), PerformanceModel.objects.count(), Revision.objects.count()) == before
