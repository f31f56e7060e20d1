"""Reading systems: who sees them, what was measured, and how many queries that takes."""

from unittest.mock import Mock

import pytest
from pytest_django import DjangoAssertNumQueries

from analytics.influence.models import fit
from dashboard.access import NotFound, access_to
from dashboard.models import (
    Configuration,
    Environment,
    Order,
    OrderPosition,
    PerformanceModel,
    Region,
    RegionMeasurement,
    Revision,
    Run,
    System,
)
from dashboard.pages.lens import Lens
from dashboard.pages.overview.measured import environment_card, measured_card, next_strip
from dashboard.pages.overview.model import influences_card
from dashboard.pages.overview.page import sentence
from dashboard.selectors.model_loading import load_model
from dashboard.selectors.overview import model_summary, overview
from dashboard.selectors.systems import MeasuredCounts, list_names, list_systems, search
from tests.people import Person


def test_a_stranger_sees_no_system(charlie: Person, measured: PerformanceModel) -> None:
    assert list_names(principal=charlie.principal) == ()
    assert list_systems(principal=charlie.principal) == ()
    for read in (overview, model_summary):
        with pytest.raises(NotFound):
            read(access_to(charlie.principal, "small").system)
    with pytest.raises(NotFound):
        search(system=access_to(charlie.principal, "small").system, text="A")


def test_a_hidden_system_is_seen_by_nobody(alice: Person, system: System) -> None:
    System.objects.update(visible=False)
    assert list_names(principal=alice.principal) == ()


def test_a_system_tells_what_was_measured(alice: Person, measured: PerformanceModel) -> None:
    (row,) = list_systems(principal=alice.principal)
    assert (row.options, row.regions) == (2, 1)
    assert (row.measured.configurations, row.measured.revisions, row.measured.runs) == (4, 1, 16)
    assert row.measured.at is not None


def test_a_configuration_of_which_every_run_failed_was_not_measured(
    alice: Person, measured: PerformanceModel
) -> None:
    Run.objects.filter(configuration__name="c3").update(status=Run.Status.FAILED)
    assert overview(access_to(alice.principal, "small").system).measured.configurations == 3


def test_where_every_run_failed_the_overview_says_so_and_leads_to_why(
    alice: Person, measured: PerformanceModel
) -> None:
    """No "measured end to end in 0 configurations"."""
    Run.objects.update(status=Run.Status.FAILED)
    counts = overview(access_to(alice.principal, "small").system)
    assert (
        sentence("Small", counts, None, None).replace("\N{NO-BREAK SPACE}", " ")
        == "All 16 runs of Small failed"
    )
    strip = str(next_strip("small", None, None, Lens(), measured=counts.measured))
    assert "see why the runs failed" in strip
    assert "to the end of the plan" not in strip


def test_where_one_configuration_was_measured_the_overview_tells_what_it_takes(
    alice: Person, measured: PerformanceModel
) -> None:
    """And nobody who measured with the profiler is told to do so."""
    Run.objects.exclude(configuration__name="c0").delete()
    counts = overview(access_to(alice.principal, "small").system)
    said = sentence("Small", counts, None, None).replace("\N{NO-BREAK SPACE}", " ")
    assert said.startswith("Small was measured in one configuration: ")
    assert said.endswith(" time; what changes that is not known yet")
    assert " ms of " in said
    assert "profiler" not in str(next_strip("small", None, None, Lens(), measured=counts.measured))


def test_where_one_configuration_was_measured_no_option_was_varied(measured: PerformanceModel) -> None:
    assert "not varied" not in str(measured_card(overview(measured.system), None))
    Run.objects.exclude(configuration__name="c3").update(status=Run.Status.FAILED)
    assert "2, not varied" in str(measured_card(overview(measured.system), None))


def test_invalid_runs_count_nowhere_and_failed_ones_as_failed(
    alice: Person, measured: PerformanceModel
) -> None:
    first, second, *_ = Run.objects.order_by("pk")
    Run.objects.filter(pk=first.pk).update(invalid_reason="the machine was busy")
    Run.objects.filter(pk=second.pk).update(status=Run.Status.FAILED)
    told = overview(access_to(alice.principal, "small").system)
    assert (told.measured.runs, told.measured.failed, told.invalid) == (15, 1, 1)


def test_a_batch_that_is_still_written_is_not_seen(alice: Person, measured: PerformanceModel) -> None:
    measured.batch.state = "writing"
    measured.batch.save()
    (row,) = list_systems(principal=alice.principal)
    assert row.measured.runs == 0


def test_lists_take_the_same_queries_for_any_number_of_systems(
    alice: Person,
    operator: object,
    measured: PerformanceModel,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for number in range(5):
        System.objects.create(slug=f"s{number}", name=f"S{number}", visible=True)
    superuser = alice.principal.operator()
    # Two more than below, for those without runs: which of them hold histories, and nothing else.
    with django_assert_num_queries(6):
        assert len(list_systems(principal=superuser)) == 6
    with django_assert_num_queries(1):
        list_names(principal=superuser)


def test_an_overview_takes_the_same_queries_for_any_amount_of_data(
    alice: Person, measured: PerformanceModel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(5):
        overview(access_to(alice.principal, "small").system)
    for number in range(20):
        Region.objects.create(system=measured.system, key=f"r{number}", name="r")
        Configuration.objects.create(system=measured.system, identity=f"x{number}", assignments={})
    with django_assert_num_queries(5):
        overview(access_to(alice.principal, "small").system)


def test_a_kept_summary_takes_few_queries_and_follows_the_data(
    alice: Person, measured: PerformanceModel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    before = model_summary(access_to(alice.principal, "small").system)
    with django_assert_num_queries(3):
        assert model_summary(access_to(alice.principal, "small").system) is before
    System.objects.update(data_version=99)
    assert model_summary(access_to(alice.principal, "small").system) is not before


def test_the_model_of_a_summary_is_loaded_and_fitted_once(
    measured: PerformanceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The influences, the accuracy and what explains the variation are of one model."""
    loads, fits = Mock(wraps=load_model), Mock(wraps=fit)
    monkeypatch.setattr("dashboard.selectors.loaded_models.load_model", loads)
    monkeypatch.setattr("dashboard.selectors.loaded_models.fit", fits)
    assert model_summary(measured.system) is not None
    assert (loads.call_count, fits.call_count) == (1, 1)


def test_a_summary_holds_the_model_and_what_it_was_checked_against(
    alice: Person, measured: PerformanceModel
) -> None:
    told = model_summary(access_to(alice.principal, "small").system)
    assert told is not None
    assert told.influences.base_time.value == pytest.approx(0.040, abs=2e-4)
    assert [term.key for term in told.influences.terms][:2] == ["A*B", "A"]
    values = told.measured.values
    assert (values.min(), values.max(), len(values)) == pytest.approx((0.040, 0.080, 4))
    assert told.default_measured == pytest.approx(0.040)
    found = told.report.accuracy
    assert found.quality.error is not None
    assert found.quality.error < 2.0
    assert (found.quality.checked, found.uncovered_subspaces) == (4, 0)


@pytest.fixture
def measured_elsewhere(measured: PerformanceModel) -> PerformanceModel:
    """A newer model of the same revision on another machine: two configurations, two runs each."""
    other = Environment.objects.create(name=measured.environment.name, digest="e" * 16)
    kept = Run.objects.filter(batch=measured.batch, repetition__lt=2, kind=Run.Kind.PROFILED)
    for run in kept.filter(configuration__assignments__in=[{}, {"A": "on", "B": "on"}]):
        values = list(run.region_measurements.all())
        run.pk, run.environment = None, other
        run.save()
        for value in values:
            value.pk, value.run = None, run
        RegionMeasurement.objects.bulk_create(values)
    measured.pk, measured.environment = None, other
    measured.save()
    return measured


def test_a_few_runs_on_another_machine_do_not_stand_in_for_all_configurations(
    system: System, measured_elsewhere: PerformanceModel
) -> None:
    """Both are of one revision and over the same options: the one with more configurations is opened."""
    told = model_summary(system)
    assert told is not None
    assert told.model.configurations == 4
    assert told.model.model_id != measured_elsewhere.pk


def test_environments_of_one_name_are_told_apart(
    system: System, measured_elsewhere: PerformanceModel
) -> None:
    Environment.objects.filter(pk=measured_elsewhere.environment_id).update(
        details={"settings": [["cores used", "one"]]}
    )
    assert "Differs from the one above in: cores used" in str(environment_card(overview(system)))


def test_subspaces_that_many_regions_share_count_once(
    system: System, measured_elsewhere: PerformanceModel
) -> None:
    """Two regions over four subspaces each, two of them measured: not 4 uncovered of 4."""
    Run.objects.exclude(environment=measured_elsewhere.environment).delete()
    told = model_summary(system)
    assert told is not None
    card = str(measured_card(overview(system), told))
    assert "2 of 4" in card
    assert "need 2\\xa0subspaces" in str(next_strip("small", told, None, Lens(), measured=MeasuredCounts()))
    assert "mend what failed" not in str(next_strip("small", told, None, Lens(), measured=MeasuredCounts()))
    assert "or mend what failed: terms that need 2" in str(
        next_strip("small", told, None, Lens(), measured=MeasuredCounts(failed=3, configurations=1))
    )
    assert "No option" not in str(influences_card("small", told, Lens()))


def test_where_one_revision_was_measured_nobody_is_sent_to_a_history() -> None:
    """Of a learned model there is none: the next thing is the best configuration."""
    largest = Mock(key="A", regions=0, influence=Mock(may_be_zero=False))
    told = Mock(**{"influences.terms": [largest], "model.is_learned": True})
    told.report.accuracy = None
    assert "Open What-if" in str(
        next_strip("small", told, None, Lens(), measured=MeasuredCounts(revisions=1))
    )
    assert "Open its history" in str(
        next_strip("small", told, None, Lens(), measured=MeasuredCounts(revisions=2))
    )


def test_a_system_without_regions_has_no_summary(alice: Person, system: System) -> None:
    assert model_summary(access_to(alice.principal, "small").system) is None


def test_a_search_finds_options_regions_and_revisions_of_this_system_alone(
    alice: Person, measured: PerformanceModel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    other = System.objects.create(slug="other", name="Other", visible=True)
    Region.objects.create(system=other, key="pkg.hotter", name="hotter")
    Revision.objects.create(system=measured.system, name="2.0", commit="cafe" * 10, message="Faster\n\nMore")
    found = search(system=access_to(alice.principal, "small").system, text=" HOT ")
    assert [(hit.kind, hit.key, hit.name) for hit in found] == [("region", "pkg.hot", "hot")]
    (by_commit,) = search(system=access_to(alice.principal, "small").system, text="cafe")
    assert (by_commit.key, by_commit.detail) == ("2.0", "Faster")
    assert search(system=access_to(alice.principal, "small").system, text="  ") == ()
    with django_assert_num_queries(6):
        search(system=access_to(alice.principal, "small").system, text="a")


def test_of_several_revisions_the_summary_is_of_the_one_that_the_influences_open_with(
    alice: Person, measured: PerformanceModel
) -> None:
    """An analysis of an older revision that came in later does not take its place."""
    older = Revision.objects.create(system=measured.system, name="0.9")
    order = Order.objects.create(system=measured.system, name="releases")
    for position, revision in enumerate((older, measured.revision)):
        OrderPosition.objects.create(order=order, revision=revision, position=position)
    PerformanceModel.objects.create(
        system=measured.system,
        batch=measured.batch,
        revision=older,
        workload=measured.workload,
        environment=measured.environment,
        kind=measured.kind,
        region_metric=measured.region_metric,
        total_metric=measured.total_metric,
        aggregate_repetitions=measured.aggregate_repetitions,
        aggregate_configurations=measured.aggregate_configurations,
        options=["A", "B"],
    )
    told = model_summary(access_to(alice.principal, "small").system)
    assert told is not None
    assert told.model.revision == "1.0"
    assert len(told.measured.values)
