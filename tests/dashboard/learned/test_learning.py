"""Models learned from end-to-end measurements of several releases, and the histories of their terms."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from analytics.influence.stored import unpack
from dashboard import job_kinds
from dashboard.access import Forbidden, Principal, Refused, access_to
from dashboard.models import Metric, ModelFit, PerformanceModel, Point, Run, Series, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.services.performance_models import learned as learned_models
from dashboard.services.performance_models.learned import learn
from dashboard.services.performance_models.term_histories import refresh_term_points
from dashboard.services.run_validity import mark_invalid, restore
from tests.dashboard.learned.fences import locks_system, noting
from tests.dashboard.releases import (
    INFLUENCES,
    TRUE,
    create_releases,
    publish,
    valid_configurations,
    values_of,
)
from tests.people import Person


@pytest.fixture
def releases(db: None) -> System:
    """Three releases, measured over all valid configurations."""
    return create_releases()


def test_every_release_has_a_model_over_the_same_true_terms(releases: System, operator: Principal) -> None:
    (curve,) = learn(access=access_to(operator, releases.slug))
    assert (curve.terms, curve.terms_from, curve.revisions) == (len(TRUE), "own", 3)
    assert curve.quality.error is not None
    assert curve.quality.error < 1
    space = options_of(releases)
    for column, analysis in enumerate(
        PerformanceModel.objects.filter(system=releases).order_by("revision_id")
    ):
        assert analysis.kind == "learned"
        assert analysis.options == ["cache", "log", "method", "level"]
        found = unpack(space, bytes(analysis.fits.get().payload))
        assert found.model.terms.levels.tolist() == TRUE.tolist()
        assert found.model.terms.coefficients == pytest.approx(INFLUENCES[:, column], abs=0.6)


def test_terms_have_histories(releases: System, operator: Principal) -> None:
    learn(access=access_to(operator, releases.slug))
    series = Series.objects.get(system=releases, subject="cache")
    points = list(Point.objects.filter(series=series).order_by("revision_id"))
    assert [point.median for point in points] == pytest.approx([-20, -20, -30], abs=0.6)
    assert {point.n for point in points} == {len(valid_configurations())}
    assert all(point.spread is not None and point.spread > 0 for point in points)
    assert set(
        Series.objects.filter(system=releases, subject_kind="term").values_list("subject", flat=True)
    ) == {
        "cache",
        "method=fast",
        "method=small",
        "level=4",
        "cache*method=fast",
    }


def test_learning_again_changes_no_number(releases: System, operator: Principal) -> None:
    first = learn(access=access_to(operator, releases.slug))
    before = list(Point.objects.order_by("series__subject", "revision_id").values_list("median", "spread"))
    assert learn(access=access_to(operator, releases.slug)) == first
    after = list(Point.objects.order_by("series__subject", "revision_id").values_list("median", "spread"))
    assert before == after
    assert PerformanceModel.objects.filter(system=releases).count() == ModelFit.objects.count() == 3


def test_published_terms_are_taken_on_request(releases: System, operator: Principal) -> None:
    publish(releases, [("root", {}), ("cache", {"cache": "on"})], np.ones((2, 3)))
    (curve,) = learn(access=access_to(operator, releases.slug), terms="published")
    assert (curve.terms, curve.terms_from, curve.remark) == (2, "published", "")
    (own,) = learn(access=access_to(operator, releases.slug))
    assert (own.terms, own.terms_from) == (len(TRUE), "own")


def test_published_terms_that_the_options_do_not_tell_are_left_out_and_said(
    releases: System, operator: Principal
) -> None:
    publish(releases, [("root", {}), ("ghost", None)], np.ones((2, 3)))
    (curve,) = learn(access=access_to(operator, releases.slug), terms="published")
    assert curve.terms == 1
    assert "1 published term" in curve.remark


def test_each_metric_has_its_own_models(releases: System, operator: Principal) -> None:
    size = Metric.objects.create(quantity="size", unit="B")
    rows = valid_configurations()
    create_releases(values=values_of(rows)[:, ::-1], metric=size)
    assert {curve.metric for curve in learn(access=access_to(operator, releases.slug))} == {
        "performance",
        "size",
    }
    assert PerformanceModel.objects.filter(system=releases).count() == 6
    assert [one.metric for one in learn(access=access_to(operator, releases.slug), metric="size")] == ["size"]


def test_configurations_that_one_release_lacks_are_left_out_there(db: None, operator: Principal) -> None:
    rows = valid_configurations()
    values = values_of(rows)
    values[:7, 1] = np.nan
    system = create_releases(values=values)
    learn(access=access_to(operator, system.slug))
    counts = Point.objects.filter(series__subject="cache").order_by("revision_id").values_list("n", flat=True)
    assert list(counts) == [len(rows), len(rows) - 7, len(rows)]


def test_a_run_that_is_marked_invalid_moves_model_and_history_and_back(
    releases: System, operator: Principal
) -> None:
    learn(access=access_to(operator, releases.slug))
    of_cache = Point.objects.filter(series__subject="cache").order_by("revision_id")
    before = list(of_cache.values_list("n", "median"))
    run = Run.objects.filter(revision__name="1.1", configuration__assignments__cache="on").earliest("pk")
    mark_invalid(access=access_to(operator, releases.slug), run_ids=[run.pk], reason="cold cache")
    after = list(of_cache.values_list("n", "median"))
    assert after[1][0] == before[1][0] - 1
    assert after[1][1] != before[1][1]
    assert (after[0], after[2]) == (before[0], before[2])
    restore(access=access_to(operator, releases.slug), run_ids=[run.pk])
    assert [median for _, median in of_cache.values_list("n", "median")] == pytest.approx(
        [median for _, median in before]
    )


def test_a_release_that_loses_all_runs_loses_its_model(releases: System, operator: Principal) -> None:
    learn(access=access_to(operator, releases.slug))
    runs = Run.objects.filter(revision__name="1.1").values_list("pk", flat=True)
    mark_invalid(access=access_to(operator, releases.slug), run_ids=list(runs), reason="wrong build")
    assert not PerformanceModel.objects.filter(revision__name="1.1").exists()
    assert Point.objects.filter(series__subject="cache").count() == 2


def test_histories_of_learned_terms_are_not_overwritten(releases: System, operator: Principal) -> None:
    """Also where the metric is one that our own runner measures."""
    Metric.objects.update(quantity="time", unit="s", clock="wall")
    learn(access=access_to(operator, releases.slug))
    before = Point.objects.filter(series__subject_kind="term").count()
    refresh_term_points(
        system=releases, contexts=MeasurementContext.of_runs(releases.batches.get().runs.all())
    )
    assert Point.objects.filter(series__subject_kind="term").count() == before


def test_the_system_is_locked_before_anything_is_written(releases: System, operator: Principal) -> None:
    firsts: list[str] = []
    learn(access=access_to(operator, releases.slug), fence=noting(firsts))
    assert [locks_system(one) for one in firsts] == [True, True]


def test_what_cannot_be_learned_is_refused_with_what_can(releases: System, operator: Principal) -> None:
    with pytest.raises(Refused, match="it has performance"):
        learn(access=access_to(operator, releases.slug), metric="speed")
    with pytest.raises(Refused, match="no terms were published"):
        learn(access=access_to(operator, releases.slug), terms="published")


def test_unknown_terms_are_refused_also_where_nothing_was_measured(
    system: System, operator: Principal
) -> None:
    with pytest.raises(Refused, match="terms 'all': choose own or published"):
        learn(access=access_to(operator, system.slug), terms="all")


def test_learning_needs_the_right_to_edit(system: System, vera: Person) -> None:
    with pytest.raises(Forbidden):
        learn(access=access_to(vera.principal, system.slug))


def test_the_kind_of_job_is_known() -> None:
    assert job_kinds.KINDS["learn"] is learned_models.learn_in_job


def test_the_command_says_what_it_learned(releases: System) -> None:
    out = StringIO()
    call_command("fit", releases.slug, stdout=out, stderr=StringIO())
    assert "3 revisions" in out.getvalue()
    out = StringIO()
    call_command("fit", releases.slug, "--json", stdout=out, stderr=StringIO())
    (model,) = json.loads(out.getvalue())["models"]
    assert (model["terms"], model["terms_from"]) == (len(TRUE), "own")


def test_the_command_ends_with_two_on_bad_input(releases: System) -> None:
    with pytest.raises(CommandError) as error:
        call_command("fit", releases.slug, "--metric", "speed", stdout=StringIO(), stderr=StringIO())
    assert error.value.returncode == 2


def test_models_are_stored_some_at_a_time_so_that_others_can_write_between(
    releases: System, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three models, two at a time, then the histories of terms."""
    monkeypatch.setattr(learned_models, "_AT_ONCE", 2)
    stored: list[int] = []

    @contextmanager
    def fence() -> Iterator[None]:
        with transaction.atomic():
            yield
        stored.append(ModelFit.objects.count())

    learn(access=access_to(operator, releases.slug), fence=fence)
    assert stored == [2, 3, 3]
    assert Point.objects.filter(series__subject="cache").count() == 3
