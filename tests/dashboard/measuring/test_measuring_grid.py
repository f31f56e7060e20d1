"""The plan as a grid: what was measured, what failed, what waits; and the figure of it."""

import dataclasses
from types import SimpleNamespace

import pytest
from pytest_django import DjangoAssertNumQueries

from analytics.configurations.identities import configuration_identity
from dashboard.access import NotFound, Principal, access_to
from dashboard.figures.plan_grid import STATES, fitting, plan_grid_figure, short
from dashboard.models import Configuration, Job, System
from dashboard.pages.measure import ids, jobs, parts
from dashboard.pages.measure.grid import _head
from dashboard.selectors.measuring.grid import plan_grid
from dashboard.selectors.measuring.rows import GridCell, PlanGrid
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run
from tests.dashboard.measuring.test_measure_page import acting, text
from tests.people import Person


def _job(system: System, *, state: str = "queued", batch: int = 0, **parameters: object) -> Job:
    values = {"planned": [{}, {"A": "on"}], "revisions": ["1.0", "2.0"], "repetitions": 3}
    lease = {"lease_expires_at": system.created_at} if state == "running" else {}
    return Job.objects.create(
        kind="measure",
        title="Measure Small",
        system=system,
        state=state,
        parameters=values | parameters,
        checkpoint={"batch": batch} if batch else {},
        **lease,
    )


def _states(grid: PlanGrid) -> dict[tuple[str, str], str]:
    return {
        (grid.configurations[cell.configuration], grid.revisions[cell.revision]): cell.state
        for cell in grid.cells
    }


@pytest.mark.django_db
class TestGrid:
    """What `plan_grid` reads."""

    def test_a_plan_waits_and_fills_as_results_arrive(self, vera: Person, system: System) -> None:
        """Before the first result everything waits; then cells are partly filled, filled, or failed."""
        first, second = add_revisions(system, ["1.0", "2.0"])
        batch = add_batch(system)
        job = _job(system, state="running", batch=batch.pk)
        grid = plan_grid(access=access_to(vera.principal, "small"), job_id=job.pk)
        assert set(_states(grid).values()) == {"waiting"}
        assert (grid.made, grid.waiting) == (0, 12)
        default, a = (Configuration.objects.get(name=name) for name in ("c0", "c1"))
        for repetition in (1, 2, 3):
            add_run(batch, default, first, value=1.0, region_value=1.0, repetition=repetition)
        add_run(batch, default, second, value=1.0)
        add_run(batch, a, first, status="failed")
        grid = plan_grid(access=access_to(vera.principal, "small"), job_id=job.pk)
        assert _states(grid) == {
            ("c0", "1.0"): "ok",
            ("c0", "2.0"): "partly",
            ("c1", "1.0"): "failed",
            ("c1", "2.0"): "waiting",
        }
        assert (grid.made, grid.waiting) == (5, 7)

    def test_a_grid_with_gaps_does_not_say_that_all_was_measured_everywhere(
        self, vera: Person, system: System
    ) -> None:
        first, second = add_revisions(system, ["1.0", "2.0"])
        batch = add_batch(system)
        default, a = (Configuration.objects.get(name=name) for name in ("c0", "c1"))
        for configuration, revision in ((default, first), (default, second), (a, first)):
            add_run(batch, configuration, revision, value=1.0)
        access = access_to(vera.principal, "small")
        assert _head(plan_grid(access=access))[0].replace("\xa0", " ") == (
            "2 configurations measured, not each at each of 2 revisions: 3 of 4 cells"
        )
        add_run(batch, a, second, value=1.0)
        assert _head(plan_grid(access=access))[0].replace("\xa0", " ") == (
            "2 configurations measured at 2 revisions"
        )

    def test_configurations_that_were_never_run_have_rows_of_their_own(
        self, vera: Person, system: System
    ) -> None:
        """The figure tells rows apart by identities alone."""
        job = _job(system, planned=[{"A": "x"}, {"A": "y"}, {"A": "z"}])
        grid = plan_grid(access=access_to(vera.principal, "small"), job_id=job.pk)
        assert set(grid.identities) == {configuration_identity({"A": level}) for level in ("x", "y", "z")}

    def test_a_job_that_ended_waits_for_nothing(self, vera: Person, system: System) -> None:
        """Cancelled half-way, it shows what it made."""
        first, _ = add_revisions(system, ["1.0", "2.0"])
        batch = add_batch(system)
        add_run(batch, Configuration.objects.get(name="c0"), first, value=1.0)
        add_run(add_batch(system), Configuration.objects.get(name="c3"), first, value=1.0)
        job = _job(system, state="cancelled", batch=batch.pk)
        grid = plan_grid(access=access_to(vera.principal, "small"), job_id=job.pk)
        assert (_states(grid), grid.waiting) == ({("c0", "1.0"): "ok"}, 0)
        queued_only = _job(system, state="cancelled")
        assert not plan_grid(access=access_to(vera.principal, "small"), job_id=queued_only.pk).cells

    def test_the_plan_of_a_paused_job_waits(self, vera: Person, system: System) -> None:
        """Laid aside, it is still to be made: in its own plan and in that of everything."""
        first, _ = add_revisions(system, ["1.0", "2.0"])
        batch = add_batch(system)
        add_run(batch, Configuration.objects.get(name="c0"), first, value=1.0)
        job = _job(system, state="paused", batch=batch.pk)
        for job_id in (job.pk, None):
            grid = plan_grid(access=access_to(vera.principal, "small"), job_id=job_id)
            assert (grid.made, grid.waiting) == (1, 11)
            assert grid.counts == {"partly": 1, "waiting": 3}

    def test_everything_holds_what_was_measured_and_what_waits(self, vera: Person, system: System) -> None:
        """A cell that was measured before and is measured again counts both."""
        first, _ = add_revisions(system, ["1.0", "2.0"])
        add_run(add_batch(system, format="comprex"), Configuration.objects.get(name="c0"), first, value=1.0)
        _job(system)
        grid = plan_grid(access=access_to(vera.principal, "small"))
        assert _states(grid)["c0", "1.0"] == "partly"
        assert _states(grid)["c0", "2.0"] == "waiting"
        assert grid.counts == {"partly": 1, "waiting": 3}

    def test_what_failed_earlier_is_made_good_by_later_runs(self, vera: Person, system: System) -> None:
        """And what was set aside does not fail any more."""
        default = Configuration.objects.get(name="c0")
        add_run(add_batch(system), default, status="failed")
        assert _states(plan_grid(access=access_to(vera.principal, "small"))) == {("c0", "1.0"): "failed"}
        later = add_run(add_batch(system), default, value=1.0)
        assert _states(plan_grid(access=access_to(vera.principal, "small"))) == {("c0", "1.0"): "ok"}
        type(later).objects.update(invalid_reason="noise")
        assert _states(plan_grid(access=access_to(vera.principal, "small"))) == {("c0", "1.0"): "invalid"}

    def test_rows_and_columns_stand_in_order(self, vera: Person, system: System) -> None:
        """The default first, then by number of options; revisions in their order, strangers to it in front."""
        revisions = add_revisions(system, ["1.0", "1.10", "1.9"])
        batch = add_batch(system)
        for configuration in Configuration.objects.order_by("-pk"):
            for revision in reversed(revisions):
                add_run(batch, configuration, revision, value=1.0)
        grid = plan_grid(access=access_to(vera.principal, "small"), most_rows=3)
        assert grid.configurations == ("c0", "c1", "c2")
        assert grid.revisions == ("1.0", "1.10", "1.9")
        assert (grid.left_out, len(grid.cells), grid.counts) == (1, 9, {"ok": 12})

    def test_a_job_of_another_system_is_not_found(self, operator: Principal, system: System) -> None:
        job = _job(System.objects.create(slug="other", name="Other", visible=True))
        with pytest.raises(NotFound, match="no measuring job"):
            plan_grid(access=access_to(operator, "small"), job_id=job.pk)

    def test_strangers_learn_nothing(self, charlie: Person, system: System) -> None:
        with pytest.raises(NotFound):
            plan_grid(access=access_to(charlie.principal, "small"))

    def test_the_number_of_queries_does_not_grow(
        self, operator: Principal, system: System, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        """With one run and one job or with many."""
        revisions = add_revisions(system, ["1.0", "2.0", "3.0"])
        batch = add_batch(system)
        for round_ in range(2):
            _job(system)
            for configuration in Configuration.objects.all()[: 1 + 3 * round_]:
                for revision in revisions[: 1 + 2 * round_]:
                    add_run(batch, configuration, revision, value=1.0, repetition=round_)
            with django_assert_num_queries(7):
                plan_grid(access=access_to(operator, "small"))


@pytest.mark.parametrize(("state", "offered"), [("cancelled", True), ("failed", True), ("done", False)])
@pytest.mark.django_db
def test_what_was_stopped_half_way_goes_on_from_its_batch(
    bob: Person, vera: Person, system: System, monkeypatch: pytest.MonkeyPatch, *, state: str, offered: bool
) -> None:
    """Nobody has to know the command for it; a viewer is told why not."""
    job = _job(system, state=state, batch=add_batch(system).pk)
    with acting(vera.principal):
        shown = text(parts.show(access_to(vera.principal, "small"), "1")[1])
        assert ("needs the role" in shown) is offered
    with acting(bob.principal):
        access = access_to(bob.principal, "small")
        assert ("Go on" in text(parts.show(access, "1")[1])) is offered
        pressed = {ids.CANCEL: job.pk, "does": jobs.RESUME}
        monkeypatch.setattr(jobs, "ctx", SimpleNamespace(triggered_id=pressed))
        jobs.act(access, [1])
    assert Job.objects.get().state == ("queued" if offered else state)


def _grid(*cells: GridCell) -> PlanGrid:
    return PlanGrid(
        identities=("i0", "i1"),
        configurations=("default", "x" * 60),
        revisions=("1.0", "0123456789abcdef0123456789abcdef01234567"),
        cells=cells,
        left_out=0,
        counts={},
        made=0,
        waiting=0,
    )


def test_each_cell_has_its_colour_its_sign_and_its_words() -> None:
    """What was never planned is left blank."""
    figure = plan_grid_figure(_grid(GridCell(0, 0, 3, 0, 0, 0), GridCell(1, 1, 0, 1, 1, 2)))
    (trace,) = figure.data
    assert [list(row) for row in trace.z] == [
        [STATES.index("ok"), None],
        [None, STATES.index("failed")],
    ]
    assert [list(row) for row in trace.text] == [["", ""], ["", "×"]]
    assert list(trace.customdata[1][1]) == [
        "i1",
        "0123456789abcdef0123456789abcdef01234567",
        "1 failed, 1 marked invalid, 2 waiting",
    ]
    assert list(figure.layout.xaxis.ticktext) == ["1.0", "01234567"]
    assert list(figure.layout.yaxis.ticktext) == ["default", "x" * 41 + "…"]


def test_long_names_of_configurations_stay_apart_on_the_axis() -> None:
    """Cut at their ends eight rows of Markdown had four labels; a level is kept as it is."""
    options = ["admonition", "codehilite", "fenced_code", "footnotes", "smarty", "tables"]
    five = [" + ".join(name for name in options if name != left) for left in options]
    assert len({fitting(name, 42) for name in five}) == 6
    assert all(len(fitting(name, 42)) <= 42 for name in five)
    assert fitting(" + ".join(options), 42) == "adm… + cod… + fen… + foo… + sma… + tab…"
    long = "compression=12 + decompression=13 + threads=2"
    assert fitting(long, 42) == "compressi…=12 + decompres…=13 + threads=2"
    assert fitting("codehilite", 42) == "codehilite"


def test_in_a_narrow_window_names_leave_the_columns_all_of_the_width() -> None:
    """They stand above their rows; more columns than fit scroll."""
    wide, narrow = (
        plan_grid_figure(_grid(GridCell(0, 0, 3, 0, 0, 0)), narrow=one).layout for one in (False, True)
    )
    assert [one.text for one in narrow.annotations] == ["default", "x" * 45 + "…"]
    assert narrow.margin.l == 0
    assert narrow.height > wide.height
    assert wide.width is None
    assert narrow.width is None
    many = dataclasses.replace(_grid(), revisions=tuple(map(str, range(300))))
    assert plan_grid_figure(many, narrow=True).layout.width > 1500


def test_markup_in_a_name_is_shown_as_it_is_written() -> None:
    """Revisions and configurations may come from a file: no link of theirs stands in a figure."""
    link = '<a href="https://example.org">1.0</a>'
    grid = dataclasses.replace(
        _grid(GridCell(0, 0, 3, 0, 0, 0)), revisions=(link,), configurations=("<i>", "x")
    )
    wide, narrow = (plan_grid_figure(grid, narrow=one) for one in (False, True))
    assert wide.layout.xaxis.ticktext[0].startswith("&lt;a href=")
    assert wide.layout.yaxis.ticktext[0] == narrow.layout.annotations[0].text == "&lt;i&gt;"
    assert wide.data[0].hovertext[0][0] == "&lt;i&gt;"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state_has_a_colour_of_its_own(scheme: str) -> None:
    """The scale is stepped: no colour between two states."""
    (trace,) = plan_grid_figure(_grid(GridCell(0, 0, 3, 0, 0, 0)), scheme=scheme).data
    colours = [colour for _, colour in trace.colorscale]
    assert len(set(colours)) == len(STATES)
    assert colours[::2] == colours[1::2]


def test_the_chosen_cell_is_outlined() -> None:
    """Only where it is in the grid."""
    grid = _grid(GridCell(0, 0, 3, 0, 0, 0))

    def outlined(identity: str, revision: str) -> list[tuple[float, float]]:
        figure = plan_grid_figure(grid, selected=(identity, revision))
        return [(shape.x0, shape.y0) for shape in figure.layout.shapes]

    assert outlined("i1", "1.0") == [(-0.5, 0.5)]
    assert outlined("i1", "9.9") == outlined("", "") == []


@pytest.mark.parametrize(
    ("cell", "state"),
    [
        (GridCell(0, 0, 1, 1, 0, 0), "failed"),
        (GridCell(0, 0, 1, 0, 0, 1), "partly"),
        (GridCell(0, 0, 0, 0, 1, 1), "waiting"),
        (GridCell(0, 0, 1, 0, 1, 0), "ok"),
        (GridCell(0, 0, 0, 0, 1, 0), "invalid"),
    ],
)
def test_a_cell_says_the_one_word_that_tells_most(cell: GridCell, state: str) -> None:
    """Failure before waiting before success."""
    assert cell.state == state


def test_only_a_commit_is_named_by_its_beginning() -> None:
    """A release keeps its name."""
    assert short("20240229") == "20240229"
    assert short("deadbeefdeadbeef") == "deadbeef"
