"""Points of histories are adjusted for the machine's speed where that helps, and say by how much."""

from statistics import median
from typing import Any

import pytest
from django.conf import LazySettings

from dashboard.access import Principal, access_to
from dashboard.figures.histories import history_figure
from dashboard.figures.machine_words import disturbed_text, strain_text
from dashboard.figures.numbers import DisplayScale
from dashboard.models import Configuration, Metric, Point, Run, Series, System
from dashboard.pages.histories.parts import points_table
from dashboard.selectors.histories.curves import sessions_of
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.series import get_series
from dashboard.selectors.runs import RunFilter, list_runs
from dashboard.services.metrics import seconds
from runner.machine_state import MachineStrain
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, settle

pytestmark = pytest.mark.database
_REVISIONS, _REPETITIONS = 8, 3


def _measure(system: System, *, follows: bool) -> tuple[Series, dict[str, list[float]]]:
    """Every revision takes 1 s at the usual speed; the machine is 1.5 times slower in every other run, whole revisions too."""
    names = [f"1.{number}" for number in range(_REVISIONS)]
    revisions = add_revisions(system, names)
    batch = add_batch(system)
    default = Configuration.objects.get(system=system, assignments={})
    values: dict[str, list[float]] = {name: [] for name in names}
    for repetition in range(1, _REPETITIONS + 1):
        for number, revision in enumerate(revisions):
            slow = (number % 5 == 0) or (number + repetition) % 3 == 0
            speed, noise = 1.5 if slow else 1.0, 1 + 0.001 * ((7 * number + 3 * repetition) % 5)
            taken: dict[str, Any] = {
                f"reference_{clock}_{when}": 0.03 * speed
                for clock in ("cpu", "wall")
                for when in ("before", "after")
            }
            value = (speed if follows else 1.0) * noise
            values[revision.name].append(value)
            add_run(batch, default, revision, value=value, repetition=repetition, **taken)
    settle([batch])
    metric = seconds(Metric.Clock.CPU)
    return Series.objects.get(system=system, subject=default.identity, metric=metric), values


def test_a_history_does_not_follow_the_machine(system: System) -> None:
    """Every point holds what it says was measured, and by how much that was adjusted; the spread goes down with it."""
    series, values = _measure(system, follows=True)
    points = Point.objects.filter(series=series).select_related("revision")
    level = median(point.median for point in points)
    for point in points:
        raw = median(values[point.revision.name])
        assert point.median == pytest.approx(level, rel=0.005)
        assert point.median / (1 + point.adjustment) == pytest.approx(raw)
        assert point.spread == pytest.approx(0.0, abs=0.01)
    assert max(abs(point.adjustment) for point in points) > 0.1


def test_what_does_not_follow_the_machine_stays_as_measured(system: System) -> None:
    series, values = _measure(system, follows=False)
    for point in Point.objects.filter(series=series).select_related("revision"):
        assert (point.median, point.adjustment) == (median(values[point.revision.name]), 0.0)


def test_a_setting_leaves_times_as_they_were_measured(system: System, settings: LazySettings) -> None:
    settings.ADJUST_TIMES = False
    series, values = _measure(system, follows=True)
    for point in Point.objects.filter(series=series).select_related("revision"):
        assert (point.median, point.adjustment) == (median(values[point.revision.name]), 0.0)


def test_sessions_are_adjusted_as_points_are(system: System) -> None:
    """What tells the noise of a history must not hold what its points have lost."""
    series, _ = _measure(system, follows=True)
    row = get_series(system=system, series_id=series.pk)
    values: dict[str, list[float]] = {}
    for session in sessions_of(system, {series.pk: row})[series.pk]:
        values.setdefault(session.revision, []).extend(session.values)
    points = Point.objects.filter(series=series).values_list("revision__name", "median")
    assert {name: median(some) for name, some in values.items()} == pytest.approx(dict(points))


def test_a_history_knows_what_was_adjusted_and_what_the_reference_runs_took(system: System) -> None:
    series, _ = _measure(system, follows=True)
    history = get_history(system=system, series_id=series.pk)
    assert set(history.adjusted) == {point.revision for point in history.points}
    assert history.references["1.0"] == pytest.approx(0.045)


def test_a_history_knows_which_runs_the_machine_disturbed(system: System) -> None:
    """The card and the table say it at the point; a note of another kind is no disturbance."""
    series, _ = _measure(system, follows=True)
    first, second = Run.objects.filter(revision__name="1.0").order_by("repetition")[:2]
    said = "the machine ran 1.8 times slower than usual, in a burst"
    Run.objects.filter(pk=first.pk).update(message=said)
    Run.objects.filter(pk=second.pk).update(message="the clock of the machine jumped")
    history = get_history(system=system, series_id=series.pk)
    assert history.disturbed == {"1.0": ((said, MachineStrain()),)}
    told = [disturbed_text(history, point).replace("\N{NO-BREAK SPACE}", " ") for point in history.points]
    assert told == [f"1 of 3 runs disturbed: {said}", *[""] * (_REVISIONS - 1)]
    rows: Any = points_table(history, DisplayScale("s")).rowData
    assert [said in row["note"] for row in rows] == [True, *[False] * (len(rows) - 1)]


def test_a_run_beside_other_work_has_a_triangle_and_says_what_it_was(system: System) -> None:
    """In the figure with a name in its legend, in the card and in the table; the worst of several runs."""
    series, _ = _measure(system, follows=True)
    first, second, quiet = Run.objects.filter(revision__name="1.0").order_by("repetition")
    Run.objects.filter(pk=first.pk).update(machine_load=2.5, machine_others=0.31, machine_throttled=0)
    Run.objects.filter(pk=second.pk).update(machine_load=1.0, machine_stolen=0.02, machine_throttled=3)
    Run.objects.filter(pk=quiet.pk).update(machine_load=0.1, machine_others=0.05, machine_stolen=0.0)
    history = get_history(system=system, series_id=series.pk)
    told = disturbed_text(history, history.points[0]).replace("\N{NO-BREAK SPACE}", " ")
    assert told == (
        "2 of 3 runs beside other work: at worst a core was held back 3 times, the host took 2.0 % of the core, "
        "others took 31.0 % of the core, load of others 2.5 a core"
    )
    figure = history_figure(history)
    (marked,) = (trace for trace in figure.data if trace.name == "machine not quiet")
    assert figure.layout.showlegend
    assert [trace.name for trace in figure.data if trace.showlegend] == ["machine not quiet"]
    assert list(marked.x) == [history.points[0].position]
    assert marked.marker.symbol == "triangle-up-open"
    assert marked.customdata[0][1].replace("\N{NO-BREAK SPACE}", " ") == told
    rows: Any = points_table(history, DisplayScale("s")).rowData
    assert "beside other work" in rows[0]["note"]
    listed, _ = list_runs(
        access=access_to(Principal.operator(), system.slug), wanted=RunFilter(revision="1.0")
    )
    assert [strain_text(row.strain) != "" for row in listed] == [True, True, False]


def test_a_quiet_machine_has_no_mark(system: System) -> None:
    series, _ = _measure(system, follows=True)
    history = get_history(system=system, series_id=series.pk)
    assert "machine not quiet" not in {trace.name for trace in history_figure(history).data}
