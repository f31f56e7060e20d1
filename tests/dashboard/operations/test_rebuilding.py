"""What follows from runs and points is made anew, equal to the byte to what was stored when they came in."""

import json
from collections.abc import Iterable
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection, models, transaction

from dashboard.access import Forbidden, Principal, access_to
from dashboard.models import (
    Configuration,
    HistoryFit,
    Metric,
    ModelFit,
    PerformanceModel,
    Point,
    RegionChanges,
    RegionSearch,
    Revision,
    Series,
    System,
)
from dashboard.services.histories.fits import fit_system
from dashboard.services.performance_models.hybrid import learn_hybrid
from dashboard.services.performance_models.learned import learn
from dashboard.services.points import keys_of_batches, update_points
from dashboard.services.rebuilding import rebuild
from tests.dashboard.kept import Rows, all_rows, put_back
from tests.dashboard.learned.test_hybrid import counted
from tests.dashboard.measuring.stored import add_batch, add_timed, settle
from tests.dashboard.releases import create_releases
from tests.dashboard.selectors.test_cost_shifts import profiled
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]
__all__ = ["counted"]
DERIVED = (Point, HistoryFit, RegionSearch, RegionChanges, ModelFit)
# Which row it is, when it was made, and how often its data moved before.
BESIDE = {"id", "created_at", "data_version", "search"}


@pytest.fixture(scope="module")
def kept_growth() -> list[Rows]:
    """The rows of `grown`; empty until somebody asks for them."""
    return []


@pytest.fixture
def grown(db: None, operator: Principal, kept_growth: list[Rows], request: pytest.FixtureRequest) -> System:
    """Four configurations over 60 revisions, timed and profiled, with a step in the middle; all fitted and searched."""
    if kept_growth:
        put_back(kept_growth[0])
        return System.objects.get()
    system: System = request.getfixturevalue("system")
    profiled(system, (0.0, 0.0, 0.002, 0.0), seed=4)
    rng = np.random.default_rng(11)
    revisions = Revision.objects.filter(system=system, name__startswith="r").order_by("pk")
    batch = add_batch(system)
    for _ in range(2):
        timed = [
            (one, at, (1.0 + len(one.assignments) + 0.2 * (place >= 30)) * float(np.exp(rng.normal(0, 0.01))))
            for place, at in enumerate(revisions)
            for one in Configuration.objects.filter(system=system)
        ]
        add_timed(add_batch(system), Metric.Clock.CPU, timed)
    settle([batch, *system.batches.filter(format="measure")])
    fit_system(access=access_to(operator, system.slug))
    kept_growth.append(all_rows())
    return system


def bytes_of(tables: Iterable[type[models.Model]] = DERIVED) -> dict[str, list[str]]:
    """All rows of these tables as the database gives them, in an order of their own."""
    found = {}
    for table in tables:
        columns = [str(one.column) for one in table._meta.concrete_fields if one.name not in BESIDE]
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(columns)} FROM {table._meta.db_table}")  # noqa: S608 -- names of tables
            rows = [
                [bytes(one) if isinstance(one, memoryview) else one for one in row]
                for row in cursor.fetchall()
            ]
        found[table.__name__] = sorted(map(repr, rows))
    return found


def rebuilt(access: Any, *, keeps: bool = True) -> dict[str, tuple[int, int]]:
    """By kind of rows: how many there are, and how many differed. Everything could be made."""
    rows, faults = rebuild(access=access, keeps=keeps)
    assert faults == ()
    return {one.name: (one.rows, one.differing) for one in rows}


def test_what_is_stored_stays_untouched(grown: System, operator: Principal) -> None:
    """No data version moves: nothing that is kept by one is thrown away."""
    before, versions = bytes_of(), list(Series.objects.order_by("pk").values_list("data_version", flat=True))
    ids = list(HistoryFit.objects.order_by("pk").values_list("pk", flat=True))
    found = rebuilt(access_to(operator, grown.slug))
    assert found == {
        "points of configurations": (4 * 60, 0),
        "points of terms": (3 * 60, 0),
        "fits of histories": (4, 0),
        "searches of regions": (2, 0),
    }
    assert bytes_of() == before
    assert list(Series.objects.order_by("pk").values_list("data_version", flat=True)) == versions
    assert list(HistoryFit.objects.order_by("pk").values_list("pk", flat=True)) == ids


def test_what_is_lost_comes_back_equal_to_the_byte(grown: System, operator: Principal) -> None:
    before = bytes_of()
    for table in (Point, HistoryFit, RegionChanges, RegionSearch):
        table.objects.all().delete()
    found = rebuilt(access_to(operator, grown.slug))
    assert all(rows == differing for rows, differing in found.values())
    assert bytes_of() == before
    assert all(differing == 0 for _, differing in rebuilt(access_to(operator, grown.slug)).values())


def test_learned_models_come_back_with_the_histories_of_their_terms(db: None, operator: Principal) -> None:
    releases = create_releases()
    with transaction.atomic():
        update_points(system=releases, keys=keys_of_batches(releases.batches.values_list("pk", flat=True)))
    learn(access=access_to(operator, releases.slug))
    fit_system(access=access_to(operator, releases.slug))
    before = bytes_of()
    assert all(differing == 0 for _, differing in rebuilt(access_to(operator, releases.slug)).values())
    lost = [ModelFit.objects.all().delete()[0], Point.objects.filter(series__subject_kind="term").delete()[0]]
    found = rebuilt(access_to(operator, releases.slug))
    assert found["learned models and points of their terms"] == (sum(lost), sum(lost))
    assert bytes_of() == before


def test_hybrid_models_come_back(counted: System, operator: Principal) -> None:
    learn_hybrid(access=access_to(operator, counted.slug))
    before = bytes_of()
    assert rebuilt(access_to(operator, counted.slug))["hybrid models"] == (1, 0)
    ModelFit.objects.all().delete()
    assert rebuilt(access_to(operator, counted.slug))["hybrid models"] == (1, 1)
    assert bytes_of() == before


def test_what_cannot_be_made_is_told_and_stays(counted: System, operator: Principal) -> None:
    learn_hybrid(access=access_to(operator, counted.slug))
    counted.batches.get().counted_runs.all().delete()
    before = bytes_of()
    _, faults = rebuild(access=access_to(operator, counted.slug))
    assert len(faults) == 1
    assert faults[0].startswith("hybrid model: ")
    assert bytes_of() == before


def test_results_that_came_as_points_stay(grown: System, operator: Principal) -> None:
    """No run says anything of them."""
    point = Point.objects.filter(series__subject_kind="configuration").first()
    assert point is not None
    series = Series.objects.create(
        system=grown,
        subject_kind="benchmark",
        subject="time_it",
        identity="b",
        workload=point.series.workload,
        environment=point.series.environment,
        metric=point.series.metric,
    )
    Point.objects.create(series=series, revision=point.revision, batch=point.batch, n=1, median=1.0)
    rebuild(access=access_to(operator, grown.slug))
    assert Point.objects.get(series=series).median == 1.0


def test_the_command_tells_what_differs_and_mends_it_when_asked(grown: System) -> None:
    """With --compare nothing changes, and the exit code tells."""
    before = bytes_of()
    first = Point.objects.filter(series__subject_kind="configuration").order_by("pk").first()
    assert first is not None
    Point.objects.filter(pk=first.pk).update(median=first.median * (1 + 2**-52))
    damaged = bytes_of()
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError, match="rebuild") as told:
        call_command("rebuild", "small", compare=True, stdout=out, stderr=err)
    assert told.value.returncode == 1
    assert "small: 240 points of configurations, 1 differ\n" in out.getvalue()
    assert "small: points of 4 of 4 configurations ..." in err.getvalue()
    assert bytes_of() == damaged
    out = StringIO()
    call_command("rebuild", json=True, stdout=out, stderr=err)
    rows = {row["name"]: row["differing"] for row in json.loads(out.getvalue())["small"]["rows"]}
    assert rows["points of configurations"] == 1
    assert bytes_of() == before
    call_command("rebuild", "small", compare=True, stdout=out, stderr=err)


def test_the_command_refuses_an_unknown_system(db: None) -> None:
    with pytest.raises(CommandError, match="nowhere") as told:
        call_command("rebuild", "nowhere")
    assert told.value.returncode == 2


def test_it_needs_the_right_to_edit(system: System, vera: Person) -> None:
    with pytest.raises(Forbidden):
        rebuild(access=access_to(vera.principal, system.slug))
    assert not PerformanceModel.objects.exists()
