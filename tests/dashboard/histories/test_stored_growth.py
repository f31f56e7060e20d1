"""The stored fits of long histories go on from what is kept beside them, and are to the byte what is made of all points."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from analytics.changepoints.growing import search_growing, searching
from analytics.histories.code_versions import code_versions
from analytics.histories.learned_fit import LearnedFit
from analytics.histories.measurements import Measurements
from dashboard.access import access_to
from dashboard.models import (
    Annotation,
    Batch,
    Environment,
    HistoryFit,
    Metric,
    Order,
    OrderPosition,
    Point,
    Revision,
    Series,
    System,
    Workload,
)
from dashboard.selectors.histories import growing_fit, stored_points
from dashboard.selectors.histories.fits import HistoryCurve
from dashboard.selectors.histories.growing_fit import grown, pack_growing, unpack_growing
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.stored_points import StoredPoints, newest_batch
from dashboard.services.annotations import annotate
from dashboard.services.data_versions import bump
from dashboard.services.histories.fits import chunks_to_fit, fit_series, fit_system, together
from dashboard.services.metrics import seconds
from tests.people import Person

SERIES, FIRST, LAST = 5, 1_030, 1_048
BESIDE, FITS = {"id", "created_at"}, "dashboard.services.histories.fits"


class Suite:
    """Benchmarks with made-up values at each revision: every second one with a step, one too young to be long."""

    def __init__(self, system: System) -> None:
        self.system = system
        rng = np.random.default_rng(41)
        logs = rng.normal(0, 0.02, (SERIES, LAST))
        logs[::2, 700:] += 0.2
        logs[1, 1_036:] += 0.3
        self.values = np.exp(logs)
        order = Order.objects.create(system=system, name="dates")
        self.revisions = Revision.objects.bulk_create(
            Revision(system=system, name=f"r{at}") for at in range(LAST)
        )
        OrderPosition.objects.bulk_create(
            OrderPosition(order=order, revision=one, position=2 * at) for at, one in enumerate(self.revisions)
        )
        self.series = Series.objects.bulk_create(
            Series(
                system=system,
                subject_kind=Series.SubjectKind.BENCHMARK,
                subject=f"parse {number}",
                identity=f"{number}" * 64,
                workload=Workload.objects.get(system=system),
                environment=Environment.objects.get(),
                metric=seconds(Metric.Clock.WALL),
            )
            for number in range(SERIES)
        )
        # One is as long as all others, but was begun late.
        self.begins = [0] * (SERIES - 1) + [500]

    def measure(
        self, revisions: Sequence[int], some: Sequence[int] = range(SERIES), factor: float = 1.0, **batch: Any
    ) -> Batch:
        """Have these revisions measured by some series, as an import does."""
        digest = str(Batch.objects.count())
        row = Batch.objects.create(
            system=self.system, format="asv", digest=digest, **{"state": Batch.State.VISIBLE, **batch}
        )
        Point.objects.bulk_create(
            Point(
                series=self.series[number],
                revision=self.revisions[at],
                batch=row,
                n=1 + at % 2,
                median=factor * float(self.values[number, at]),
                spread=0.01 if at % 2 else None,
            )
            for number in some
            for at in revisions
            if at >= self.begins[number]
        )
        if row.state == Batch.State.VISIBLE:
            bump(system=self.system, grown=[self.series[number].pk for number in some])
        return row

    def fit(self, alice: Person) -> None:
        """Fit what is out of date, and hold it against what is made of all points."""
        assert fit_system(access=access_to(alice.principal, self.system.slug))[1] == ()
        found = self.rows()
        fit_series(system_id=self.system.pk, series_ids=[one.pk for one in self.series], anew=True)
        assert self.rows() == found

    def rows(self) -> list[dict[str, Any]]:
        """All that is stored, but how it came to be."""
        names = [one.name for one in HistoryFit._meta.concrete_fields if one.name not in BESIDE]
        rows = HistoryFit.objects.order_by("series").values(*names)
        return [
            {name: bytes(cell) if isinstance(cell, memoryview) else cell for name, cell in row.items()}
            | {"packed_growth": b""}
            for row in rows
        ]


@pytest.fixture
def suite(system: System) -> Suite:
    """Benchmarks whose first revisions were measured."""
    suite = Suite(system)
    suite.measure(range(FIRST))
    return suite


@pytest.fixture
def learned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many values were learned from, and searched, as a whole."""
    made: list[int] = []
    of = LearnedFit.of

    def noted(measured: Measurements, *given: Any) -> Any:
        made.append(len(measured))
        return of(measured, *given)

    def noted_search(search: Callable[..., Any]) -> Callable[..., Any]:
        def noted(measured: Measurements, *given: Any) -> Any:
            made.append(-len(measured))
            return search(measured, *given)

        return noted

    monkeypatch.setattr(LearnedFit, "of", noted)
    for search in (search_growing, searching):
        monkeypatch.setattr(growing_fit, search.__name__, noted_search(search))
    return made


def fit_anew(suite: Suite) -> None:
    """Whatever was kept is made of all points."""
    fit_series(system_id=suite.system.pk, series_ids=[one.pk for one in suite.series], anew=True)


def test_revisions_measured_since_are_appended(suite: Suite, alice: Person, learned: list[int]) -> None:
    fit_anew(suite)
    learned.clear()
    for at in (FIRST, FIRST + 1):
        suite.measure([at])
        assert fit_system(access=access_to(alice.principal, suite.system.slug)) == (SERIES, ())
        assert learned == []
    found = suite.rows()
    fit_anew(suite)
    assert suite.rows() == found
    assert [row["measured"] for row in found] == [FIRST + 2] * (SERIES - 1) + [FIRST + 2 - 500]
    assert [bool(row["packed_points"]) for row in found] == [True] * (SERIES - 1) + [False]


def test_a_step_that_comes_with_them_is_found(suite: Suite, alice: Person) -> None:
    fit_anew(suite)
    for at in range(FIRST, LAST):
        suite.measure([at])
        fit_system(access=access_to(alice.principal, suite.system.slug))
    found = suite.rows()
    assert found[1]["changes"] == 1
    fit_anew(suite)
    assert suite.rows() == found


def test_points_are_not_read_again_one_by_one(
    suite: Suite, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit_anew(suite)
    suite.measure([FIRST])
    read = []

    def load(_system: System, series_ids: set[int], _order: object) -> dict[int, object]:
        read.append(series_ids)
        return {}

    monkeypatch.setattr(stored_points, "load_columns", load)
    ids = [one.pk for one in suite.series]
    found = StoredPoints().load(suite.system, ids, ordered_revisions(system=suite.system))
    assert read == [{ids[-1]}]
    assert {len(one) for one in found.values()} == {FIRST + 1}


def test_what_goes_on_from_what_is_stored_is_fitted_more_at_a_time(
    suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Histories that are not long, or not fitted yet, go in smaller parts; so do those of very many points."""
    monkeypatch.setattr(f"{FITS}.TOGETHER", 2)
    ids = [one.pk for one in suite.series]
    assert together(ids) == 2
    fit_anew(suite)
    assert together(ids[:-1]) == len(ids) - 1
    assert together(ids) == 2, "the last one is not long"
    suite.measure([FIRST])
    monkeypatch.setattr(f"{FITS}.GROWING_TOGETHER", 4)
    assert chunks_to_fit(system=suite.system) == [ids[:-1], ids[-1:]]
    monkeypatch.setattr(f"{FITS}.MOST_POINTS", 4 * FIRST - 1)
    assert chunks_to_fit(system=suite.system) == [ids[:2], ids[2:4], ids[-1:]]


@pytest.mark.parametrize("kind", ["earlier", "replaced", "taken away", "marked", "another rate", "two"])
def test_anything_else_that_happened_is_seen(
    suite: Suite, alice: Person, kind: str, learned: list[int]
) -> None:
    """Whatever moved since, the fit is the one of all points."""
    Point.objects.filter(revision=suite.revisions[900]).delete()
    fit_anew(suite)
    learned.clear()
    suite.measure([FIRST])
    if kind == "earlier":
        suite.measure([900])
    elif kind == "replaced":
        Point.objects.filter(series=suite.series[0], revision=suite.revisions[1_000]).update(median=1.5)
        bump(system=suite.system, series=[suite.series[0].pk])
        suite.measure([FIRST + 1])
    elif kind == "taken away":
        Point.objects.filter(series=suite.series[0], revision=suite.revisions[FIRST - 1]).delete()
        bump(system=suite.system, series=[suite.series[0].pk])
    elif kind == "marked":
        annotate(
            access=access_to(alice.principal, suite.system.slug),
            kind=Annotation.Kind.BENCHMARK,
            first="r300",
            text="changed",
            series_id=suite.series[0].pk,
        )
    elif kind == "another rate":
        System.objects.update(false_alarm_rate=0.002)
    else:
        # An import that began first ends last.
        late = suite.measure([FIRST + 1], state=Batch.State.WRITING)
        suite.measure([FIRST + 2])
        suite.fit(alice)
        assert newest_batch(suite.system) == late.pk - 1
        Batch.objects.filter(pk=late.pk).update(state=Batch.State.VISIBLE)
        bump(system=suite.system, grown=[one.pk for one in suite.series])
    suite.system.refresh_from_db()
    suite.fit(alice)
    assert learned


@hypothesis_settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    steps=st.lists(st.integers(1, 120), min_size=1, max_size=4),
    walk=st.sampled_from([0.0, 0.002]),
    told=st.sets(st.sampled_from(["repetitions", "siblings"])),
    falls=st.one_of(st.none(), st.integers(1_000, 1_300)),
)
# Points at the end that belong to neither level.
@example(seed=0, steps=[12], walk=0.0, told=set(), falls=None)
def test_whatever_comes_in_pieces_is_what_comes_at_once(
    seed: int, steps: list[int], walk: float, told: set[str], falls: int | None
) -> None:
    """Beyond milestones, searches, and out of the scale: the fit to the bit, the changes, and what was kept."""
    rng = np.random.default_rng(seed)
    n = 1_010 + sum(steps)
    logs = np.cumsum(rng.normal(0, walk, n)) + rng.normal(0, 0.02, n)
    logs[1_020:] += 0.1 * rng.integers(0, 2)
    values = np.exp(logs)
    if falls is not None:
        values[falls:] -= 1.0
    counts = rng.integers(1, 4, n) if "repetitions" in told else np.ones(n, dtype=np.int64)
    spreads = np.where(counts > 1, 0.01, np.nan)
    measured = Measurements.of(np.arange(n), values, counts, spreads)
    places = tuple(range(n))
    curve = HistoryCurve(
        points=(),
        level=None,
        versions=code_versions(places, ("",) * n, (None,) * n),
        kind=Series.SubjectKind.BENCHMARK,
        sibling_changes=((300, 302), (905, 906)) if "siblings" in told else (),
    )
    known = None
    for end in np.cumsum([1_010, *steps]).tolist():
        _, _, known = grown(curve, measured.part(0, end), known)
        assert known is not None
        assert unpack_growing(pack_growing(known)) == known or falls is not None
        known = unpack_growing(pack_growing(known))
    fitted, changes, _ = grown(curve, measured, known)
    expected, expected_changes, _ = grown(curve, measured, None)
    assert repr(changes) == repr(expected_changes)
    for name in ("level_means", "level_variances", "level_covariances", "noise_variances"):
        np.testing.assert_array_equal(getattr(fitted, name), getattr(expected, name))
