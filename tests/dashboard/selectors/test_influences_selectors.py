"""Influences of the sample: T = 4 - 0.5 A + 2 A*B + 4 B*C seconds, as profiled 1.25 times slower than in truth."""

import pytest
from django.db.models import F
from pytest_django import DjangoAssertNumQueries

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import (
    Batch,
    Membership,
    Metric,
    Order,
    OrderPosition,
    PerformanceModel,
    RegionMeasurement,
    Revision,
    System,
)
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.model_rows import Influences, Selection
from dashboard.selectors.performance_models import NoInfluenceModel, list_models
from dashboard.services.data_versions import bump
from tests.people import Person

FOO = "toy.Main.foo(Z)V"
MAIN = "toy.Main.main()V"


def values(found: Influences) -> dict[str, float]:
    return {term.key: round(term.influence.value, 9) for term in found.terms}


def test_terms_are_relative_to_the_default_and_largest_first(toy: str, operator: Principal) -> None:
    found = influences(system=access_to(operator, toy).system, selection=Selection())
    assert found.base_time.value == pytest.approx(4.0)
    assert values(found) == {"B*C": 4.0, "A*B": 2.0, "A": -0.5}
    assert [term.degree for term in found.terms] == [2, 2, 1]
    assert found.target is None
    assert found.undetermined == 0


def test_the_model_says_what_it_was_made_from(toy: str, operator: Principal) -> None:
    model = influences(system=access_to(operator, toy).system, selection=Selection()).model
    assert (model.revision, model.clock, model.unit, model.kind) == (
        "1.0",
        "cpu",
        "s",
        "partitioned",
    )
    assert (model.configurations, model.repetitions, model.regions) == (4, 3, 3)
    assert model.lower_is_better


def test_another_base_changes_the_terms_and_no_prediction(toy: str, operator: Principal) -> None:
    found = influences(system=access_to(operator, toy).system, selection=Selection(base="A*B"))
    assert found.base_time.value == pytest.approx(5.5)
    assert found.base.differences == (("A", "on"), ("B", "on"))
    assert values(found) == {"B": -2.0, "A": -1.5, "A*B": 2.0, "C": 4.0, "B*C": -4.0}
    change = next(term.changes[0] for term in found.terms if term.key == "A")
    assert (change.from_level, change.to_level) == ("on", "off")


@pytest.mark.parametrize(("base", "compared"), [("", "all"), ("all", "default"), ("A", "B*C"), ("c2", "c0")])
def test_the_terms_of_a_comparison_sum_to_the_difference(
    toy: str, operator: Principal, base: str, compared: str
) -> None:
    found = influences(
        system=access_to(operator, toy).system, selection=Selection(base=base, compared=compared)
    )
    assert found.target_time is not None
    total = sum(term.influence.value for term in found.terms)
    assert total == pytest.approx(found.target_time.value - found.base_time.value, abs=1e-9)
    changed = {change.option for term in found.terms for change in term.changes}
    assert changed <= set(dict(found.base.differences)) ^ set(
        dict(found.target.differences if found.target else ())
    )


def test_predictions_stand_beside_what_was_measured(toy: str, operator: Principal) -> None:
    """Every prediction of the sample is 25 % above the truth, as the profiler slowed every run."""
    found = influences(system=access_to(operator, toy).system, selection=Selection(compared="all"))
    assert found.base_measured == pytest.approx(4.0 / 1.25)
    assert found.target_measured == pytest.approx(9.5 / 1.25)
    assert found.quality.error == pytest.approx(25.0)
    assert found.quality.checked == 8


def test_a_term_is_the_sum_of_its_regions(toy: str, operator: Principal) -> None:
    found = term_regions(system=access_to(operator, toy).system, selection=Selection(), term="A")
    assert [one.key for one in found.regions] == [MAIN, FOO]
    assert [one.influence.value for one in found.regions] == pytest.approx([-1.0, 0.5])
    assert [one.share for one in found.regions] == pytest.approx([2.0, -1.0])
    assert found.outside is None
    assert sum(one.influence.value for one in found.regions) == pytest.approx(found.term.influence.value)
    assert found.regions[0].name == "Main.main()V"
    assert found.regions[0].package == "toy"


def test_the_program_region_stands_apart(measured_outside: str, operator: Principal) -> None:
    """Where what lies outside of all regions depends on an option, it is said and counts to the sum."""
    found = term_regions(system=access_to(operator, measured_outside).system, selection=Selection(), term="A")
    assert found.regions == ()
    assert found.outside is not None
    assert found.outside.influence.value == pytest.approx(found.term.influence.value)


@pytest.fixture
def measured_outside(toy: str) -> str:
    """The sample with the program region and `main` exchanged."""
    system = System.objects.get(slug=toy)
    program, main = system.regions.get(is_program=True), system.regions.get(key=MAIN)
    system.regions.filter(pk=program.pk).update(is_program=False)
    system.regions.filter(pk=main.pk).update(is_program=True)
    foo = system.regions.get(key=FOO)
    RegionMeasurement.objects.filter(region=foo).delete()
    bump(system=system, revisions=[Revision.objects.get().pk])
    return toy


def test_intervals_come_from_the_repetitions(toy: str, operator: Principal) -> None:
    """The sample's repetitions differ by 1 ms: no term of half a second may be zero."""
    found = influences(system=access_to(operator, toy).system, selection=Selection())
    for term in found.terms:
        low, high = term.influence.low, term.influence.high
        assert low is not None
        assert high is not None
        assert low < term.influence.value < high
        assert not term.influence.may_be_zero


def test_any_configuration_can_be_predicted(toy: str, operator: Principal) -> None:
    selection = Selection(base="A", compared="B*C")
    told = influences(system=access_to(operator, toy).system, selection=selection).target_time
    assert told is not None
    assert told.value == pytest.approx(8.0)
    assert told.margin is not None


@pytest.mark.parametrize("term", ["", "C", "A*B*C", "D"])
def test_a_term_that_no_region_has_is_refused(toy: str, operator: Principal, term: str) -> None:
    with pytest.raises(NotFound):
        term_regions(system=access_to(operator, toy).system, selection=Selection(), term=term)


def test_strangers_see_nothing(toy: str, charlie: Person) -> None:
    principal = charlie.principal
    with pytest.raises(NotFound):
        influences(system=access_to(principal, toy).system, selection=Selection())
    with pytest.raises(NotFound):
        term_regions(system=access_to(principal, toy).system, selection=Selection(), term="A")


def test_a_model_that_is_kept_is_shown_to_members_only(
    toy: str, charlie: Person, operator: Principal
) -> None:
    influences(system=access_to(operator, toy).system, selection=Selection())
    with pytest.raises(NotFound):
        influences(system=access_to(charlie.principal, toy).system, selection=Selection())
    Membership.objects.create(
        system=System.objects.get(slug=toy), user=charlie.user, role=Membership.Role.VIEWER
    )
    assert influences(system=access_to(charlie.principal, toy).system, selection=Selection()).terms


def test_the_queries_of_a_warm_page_are_constant(
    toy: str, operator: Principal, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    selection = Selection(base="A", compared="all")
    influences(system=access_to(operator, toy).system, selection=selection)
    with django_assert_num_queries(4):
        influences(system=access_to(operator, toy).system, selection=selection)
    with django_assert_num_queries(4):
        term_regions(system=access_to(operator, toy).system, selection=selection, term="B*C")


def test_a_list_of_models_is_kept_until_one_of_them_or_its_metric_changes(
    toy: str, operator: Principal, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    (before,) = list_models(access_to(operator, toy).system)
    system = access_to(operator, toy).system
    with django_assert_num_queries(1):
        assert list_models(system) == (before,)
    PerformanceModel.objects.update(options=["A"], data_version=F("data_version") + 1)
    assert [one.options for one in list_models(system)] == [("A",)]
    # As who says which direction of a metric is better does.
    higher = Metric.objects.create(quantity="time", unit="s", clock="cpu", better="higher")
    PerformanceModel.objects.update(region_metric=higher)
    bump(system=system)
    assert [one.lower_is_better for one in list_models(access_to(operator, toy).system)] == [False]
    Batch.objects.update(state=Batch.State.WRITING)
    assert list_models(access_to(operator, toy).system) == ()


def test_new_data_make_a_new_model(toy: str, operator: Principal) -> None:
    before = influences(system=access_to(operator, toy).system, selection=Selection())
    main = System.objects.get(slug=toy).regions.get(key=MAIN)
    for row in RegionMeasurement.objects.filter(region=main):
        RegionMeasurement.objects.filter(pk=row.pk).update(value=row.value + 1.0)
    bump(system=System.objects.get(slug=toy), revisions=[Revision.objects.get().pk])
    after = influences(system=access_to(operator, toy).system, selection=Selection())
    assert after.base_time.value == pytest.approx(before.base_time.value + 1.0)


def test_without_region_measurements_there_is_no_model(system: System, operator: Principal) -> None:
    with pytest.raises(NoInfluenceModel):
        influences(system=access_to(operator, system.slug).system, selection=Selection())


def test_an_unknown_revision_is_said(toy: str, operator: Principal) -> None:
    with pytest.raises(NotFound, match=r"revision 9\.9"):
        influences(system=access_to(operator, toy).system, selection=Selection(revision="9.9"))


def test_the_latest_revision_is_shown_whatever_was_analysed_last(toy: str, operator: Principal) -> None:
    system = System.objects.get(slug=toy)
    latest = PerformanceModel.objects.get()
    order = Order.objects.create(system=system, name="releases")
    older = Revision.objects.create(system=system, name="0.9")
    OrderPosition.objects.create(order=order, revision=older, position=1)
    OrderPosition.objects.create(order=order, revision=latest.revision, position=2)
    batch = Batch.objects.create(system=system, format="test", digest="1" * 64, state=Batch.State.VISIBLE)
    PerformanceModel.objects.create(
        system=system,
        batch=batch,
        revision=older,
        workload=latest.workload,
        environment=latest.environment,
        kind=PerformanceModel.Kind.FULL_FACTORIAL,
        region_metric=latest.region_metric,
        total_metric=latest.total_metric,
        aggregate_repetitions=latest.aggregate_repetitions,
        aggregate_configurations=latest.aggregate_configurations,
    )
    assert influences(system=access_to(operator, toy).system, selection=Selection()).model.revision == "1.0"
