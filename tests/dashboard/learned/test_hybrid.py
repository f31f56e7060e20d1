"""The hybrid model of counted and timed runs: learned, stored, shown by region with intervals, and told when it is old."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from dashboard import job_kinds
from dashboard.access import Forbidden, Principal, Refused, access_to, acting, current_principal
from dashboard.models import (
    Batch,
    Configuration,
    CountedRun,
    CountSites,
    Environment,
    Job,
    Level,
    Measurement,
    Metric,
    PerformanceModel,
    Revision,
    Run,
    System,
    SystemOption,
    Workload,
)
from dashboard.pages.approaches import hybrid as approaches_hybrid
from dashboard.pages.approaches import ids as own
from dashboard.pages.influences.controls import show_models
from dashboard.pages.lens import Lens
from dashboard.pages.regions import region
from dashboard.selectors.counts import pack_counts, pack_sites
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.hybrid_inputs import counted_contexts, hybrid_input
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.performance_models import HybridSettings, model_choices
from dashboard.services.metrics import seconds
from dashboard.services.performance_models import hybrid as learned_hybrid
from dashboard.services.performance_models.hybrid import learn_hybrid, queue_hybrid
from dashboard.services.reports.views import freeze_view
from dashboard.services.run_validity import mark_invalid
from tests.dashboard.influences_page import show_term, show_terms
from tests.dashboard.learned.fences import locks_system, noting
from tests.dashboard.whitebox.stored import stored_analysis
from tests.people import Person

NAMES = ("A", "B", "C", "D")
SITES = [("tiny:main", 2, 0, "call"), ("tiny:foo", 8, 4, "turn")]
SHOWN = Selection(model="hybrid")


def counts_of(on: set[str]) -> dict[int, int]:
    """Main runs once; foo turns 10 times, 20 more with A, 70 more with A and B."""
    return {0: 1, 1: 10 + 20 * ("A" in on) + 70 * ({"A", "B"} <= on)}


@pytest.fixture
def counted(system: System) -> System:
    """`small` with four options: all 16 configurations counted and timed, 1 ms for each turn of foo."""
    for position, name in enumerate(NAMES[2:], start=2):
        option = SystemOption.objects.create(system=system, name=name, position=position)
        for level, label in enumerate(("off", "on")):
            Level.objects.create(option=option, position=level, value=bool(level), label=label)
    batch = Batch.objects.create(system=system, format="test", digest="1" * 64, state=Batch.State.VISIBLE)
    place: dict[str, Any] = {"batch": batch, "revision": Revision.objects.get()}
    at = {**place, "workload": Workload.objects.get(), "environment": Environment.objects.get()}
    CountSites.objects.create(**place, sites=pack_sites(SITES))
    rng = np.random.default_rng(0)
    for number in range(16):
        on = {name for bit, name in enumerate(NAMES) if number >> bit & 1}
        configuration, _ = Configuration.objects.get_or_create(
            system=system,
            assignments=dict.fromkeys(sorted(on), "on"),
            defaults={"identity": f"{100 + number:064d}"},
        )
        counts = counts_of(on)
        CountedRun.objects.create(**at, configuration=configuration, counts=pack_counts(counts))
        run = Run.objects.create(**at, configuration=configuration, repetition=0, kind=Run.Kind.PLAIN)
        value = (0.05 + 0.001 * counts[1]) * (1 + rng.normal(0, 0.002))
        Measurement.objects.create(run=run, metric=seconds(Metric.Clock.CPU), value=value)
    return system


@pytest.fixture
def _asked_by_bob(bob: Person) -> Iterator[None]:
    token = current_principal.set(bob.principal)
    yield
    current_principal.reset(token)


def test_its_terms_come_with_intervals_and_with_the_functions_where_they_arise(
    counted: System, operator: Principal
) -> None:
    model, learned = learn_hybrid(access=access_to(operator, "small"))
    assert (model.revision.name, learned.configurations) == ("1.0", 16)
    assert not HybridSettings.of(model).tainted
    assert learned.quality.error is not None
    assert learned.quality.error < 2
    found = influences(system=access_to(operator, "small").system, selection=SHOWN)
    assert (found.model.kind, found.model.configurations, found.model.is_current) == (
        "hybrid",
        16,
        True,
    )
    terms = {term.key: term.influence for term in found.terms}
    for key, value in (("A", 0.02), ("A*B", 0.07)):
        assert terms[key].value == pytest.approx(value, rel=0.1)
        assert terms[key].low is not None
    where = term_regions(system=access_to(operator, "small").system, selection=SHOWN, term="A*B")
    (foo,) = where.regions
    assert foo.key == "tiny:foo"
    assert foo.influence.value == pytest.approx(0.07, rel=0.1)
    assert foo.influence.low is not None
    rest = 0.0 if where.outside is None else where.outside.influence.value
    assert foo.influence.value + rest == pytest.approx(where.term.influence.value)


def test_at_another_base_the_parts_sum_to_the_term_as_well(counted: System, operator: Principal) -> None:
    learn_hybrid(access=access_to(operator, "small"))
    for chosen in (Selection(model="hybrid", base="B"), Selection(model="hybrid", base="B", compared="A*B")):
        where = term_regions(system=access_to(operator, "small").system, selection=chosen, term="A")
        rest = 0.0 if where.outside is None else where.outside.influence.value
        parts = sum(region.influence.value for region in where.regions) + rest
        assert parts == pytest.approx(where.term.influence.value)
        assert where.term.influence.value == pytest.approx(0.09, rel=0.1)


def test_taints_say_which_options_may_matter_to_a_region(counted: System, operator: Principal) -> None:
    stored_analysis(counted, decisions=[["tiny:foo", "tiny.py:8:4", ["A"], {"B": "on"}]])
    model, _ = learn_hybrid(access=access_to(operator, "small"))
    assert HybridSettings.of(model).tainted


def test_the_model_is_told_to_be_old_where_its_runs_have_changed(
    counted: System, operator: Principal
) -> None:
    learn_hybrid(access=access_to(operator, "small"))
    run = Run.objects.filter(kind=Run.Kind.PLAIN).first()
    assert run is not None
    mark_invalid(access=access_to(operator, "small"), run_ids=[run.pk], reason="noise")
    assert not influences(system=access_to(operator, "small").system, selection=SHOWN).model.is_current
    assert learn_hybrid(access=access_to(operator, "small"))[1].configurations == 15
    assert influences(system=access_to(operator, "small").system, selection=SHOWN).model.is_current
    assert PerformanceModel.objects.filter(kind=PerformanceModel.Kind.HYBRID).count() == 1


def test_a_first_model_is_told_to_be_old_where_a_run_came_in_while_it_was_learned(
    counted: System, operator: Principal
) -> None:
    @contextmanager
    def late() -> Iterator[None]:
        run = Run.objects.filter(kind=Run.Kind.PLAIN, invalid_reason="").first()
        assert run is not None
        mark_invalid(access=access_to(operator, "small"), run_ids=[run.pk], reason="noise")
        with transaction.atomic():
            yield

    for _ in range(2):
        learn_hybrid(access=access_to(operator, "small"), fence=late)
        assert not influences(system=access_to(operator, "small").system, selection=SHOWN).model.is_current
    learn_hybrid(access=access_to(operator, "small"))
    assert influences(system=access_to(operator, "small").system, selection=SHOWN).model.is_current


def test_the_system_is_locked_before_anything_is_written(counted: System, operator: Principal) -> None:
    firsts: list[str] = []
    learn_hybrid(access=access_to(operator, "small"), fence=noting(firsts))
    assert [locks_system(one) for one in firsts] == [True]


def test_a_kind_of_model_that_the_rest_of_the_selection_rules_out_is_not_offered(
    counted: System, operator: Principal
) -> None:
    learn_hybrid(access=access_to(operator, "small"))
    other = PerformanceModel.objects.get()
    other.pk, other.kind, other.settings = None, PerformanceModel.Kind.LEARNED, {"terms": "own"}
    other.revision = Revision.objects.create(system=counted, name="2.0")
    other.save(force_insert=True)

    def offered(revision: str) -> tuple[str, ...]:
        chosen = Selection(revision=revision)
        return model_choices(system=access_to(operator, "small").system, selection=chosen)["model"][1]

    assert offered("") == ("", "hybrid")
    assert offered("2.0") == ("",)


@pytest.mark.usefixtures("_asked_by_bob")
def test_regions_lead_to_their_page_where_they_have_one(counted: System, operator: Principal) -> None:
    learn_hybrid(access=access_to(operator, "small"))
    asked = {"model": "hybrid", "term": "A*B"}
    assert "href" not in str(show_term(asked, "light")[-2])
    stored_analysis(counted, revision="1.0")
    address = "regions/tiny%3Afoo?term=A%2AB&region=tiny%3Afoo&revision=1.0&workload=regular"
    assert address in str(show_term(asked, "light")[-2])
    assert "its time is not known yet" in str(region.layout(access_to(acting(), "small"), "tiny:foo", Lens()))


def test_without_counts_there_is_nothing_to_learn(counted: System, operator: Principal, vera: Person) -> None:
    with pytest.raises(Refused, match=r"revision 9 of 'small' has no two configurations"):
        learn_hybrid(access=access_to(operator, "small"), revision="9")
    CountedRun.objects.all().delete()
    with pytest.raises(Refused, match="measure with --counts"):
        queue_hybrid(access=access_to(operator, "small"), context=MeasurementContext(1, 1, 1))
    with pytest.raises(Forbidden):
        queue_hybrid(access=access_to(vera.principal, "small"), context=MeasurementContext(1, 1, 1))


def test_the_command_learns_it(counted: System) -> None:
    out = StringIO()
    call_command("fit", "small", "--hybrid", stdout=out)
    assert "hybrid model (extension) of 16 configurations" in out.getvalue()
    out = StringIO()
    call_command("fit", "small", "--hybrid", "1.0", "--json", stdout=out)
    assert json.loads(out.getvalue())["regions"] == 2
    with pytest.raises(CommandError, match="revision 2"):
        call_command("fit", "small", "--hybrid", "2")


@pytest.mark.parametrize("other", ["--terms=own", "--processes=2"])
def test_the_command_refuses_what_it_would_not_heed(counted: System, other: str) -> None:
    with pytest.raises(CommandError, match=f"--hybrid knows no {other.partition('=')[0]}") as refused:
        call_command("fit", "small", "--hybrid", other)
    assert refused.value.returncode == 2


@pytest.mark.usefixtures("_asked_by_bob")
def test_each_workload_of_a_revision_is_a_place_of_its_own(
    counted: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dashboard.celery.app.send_task", lambda *_, **__: None)
    large = Workload.objects.create(system=counted, name="large")
    for one in CountedRun.objects.all()[:8]:
        at = {"batch": one.batch, "revision": one.revision, "workload": large, "environment": one.environment}
        CountedRun.objects.create(**at, configuration=one.configuration, counts=one.counts)
        run = Run.objects.create(**at, configuration=one.configuration, repetition=0, kind=Run.Kind.PLAIN)
        Measurement.objects.create(run=run, metric=seconds(Metric.Clock.CPU), value=1 + one.pk)
    places = approaches_hybrid.panel(access_to(acting(), "small"), "")[own.COUNTED].data
    assert len({place["value"] for place in places}) == len(places) == 2
    approaches_hybrid.learn(access_to(acting(), "small"), place=places[1]["value"])
    asked = Job.objects.get().parameters
    model, learned = learn_hybrid(
        access=access_to(acting(), "small"), context=MeasurementContext(*asked["place"])
    )
    assert (model.workload.name, learned.configurations) == ("large", 8)


@pytest.mark.usefixtures("_asked_by_bob")
def test_the_pages_offer_it_learn_it_and_label_it(counted: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.celery.app.send_task", lambda *_, **__: None)
    panel = approaches_hybrid.panel(access_to(acting(), "small"), "")
    assert "1.0, regular, test machine: 16 configurations" in str(panel)
    told, _ = approaches_hybrid.learn(access_to(acting(), "small"), place=panel[own.COUNTED].value)
    assert "Sent to the worker" in str(told)
    assert job_kinds.KINDS[Job.objects.get().kind] is learned_hybrid.learn_hybrid_in_job
    learn_hybrid(access=access_to(Principal.operator(), "small"))
    assert "influences?revision=1.0&workload=regular&environment=test+machine&model=hybrid" in str(
        approaches_hybrid.show(access_to(acting(), "small"), None, None)
    )
    asked = {"model": "hybrid"}
    assert "hybrid model (extension)" in show_terms(asked, "light")[3]
    assert "foo" in str(show_term({**asked, "term": "A*B"}, "light"))
    frozen = freeze_view(access=access_to(Principal.operator(), "small"), view="influences", lens=asked)
    assert ("model", "hybrid (extension)") in frozen.facts
    # It is the only one: nothing is there to choose.
    assert "hybrid (extension)" not in str(show_models(access_to(acting(), "small"), Lens()))


def test_counting_runs_are_times_too_where_all_are_known(counted: System, operator: Principal) -> None:
    """Only beside plain times by the same clock: what counting costs is told from pairs."""

    def given(clock: Metric.Clock) -> list[float] | None:
        place, *_ = counted_contexts(counted)
        counted_in = replace(place, metric_id=seconds(clock).pk, clock=clock)
        runs, _ = hybrid_input(system=counted, counted_in=counted_in)
        return None if runs.counted is None else sorted(runs.counted.tolist())

    assert given(Metric.Clock.CPU) is None
    for number, one in enumerate(CountedRun.objects.order_by("pk"), start=1):
        one.cpu_seconds = number / 8
        one.save()
    assert given(Metric.Clock.CPU) == [number / 8 for number in range(1, 17)]
    for run in Run.objects.filter(measurements__isnull=False):
        Measurement.objects.create(run=run, metric=seconds(Metric.Clock.WALL), value=1.0)
    assert given(Metric.Clock.WALL) is None
    assert learn_hybrid(access=access_to(operator, "small"))[1].configurations == 16
    CountedRun.objects.filter(cpu_seconds=1.0).update(cpu_seconds=None)
    assert given(Metric.Clock.CPU) is None
