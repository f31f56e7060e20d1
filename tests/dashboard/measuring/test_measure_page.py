"""The page of measuring, its callbacks called as ordinary functions: for each role, with and without a subject."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import plotly.utils
import pytest
from dash import no_update
from django.utils import timezone

from dashboard.access import Access, NotFound, Principal, access_to, current_principal
from dashboard.models import Configuration, Job, JobLogLine, Membership, Run, System
from dashboard.pages.lens import Lens
from dashboard.pages.measure import delete as measure_delete
from dashboard.pages.measure import grid as measure_grid
from dashboard.pages.measure import ids as own
from dashboard.pages.measure import jobs as measure_jobs
from dashboard.pages.measure import page as measure
from dashboard.pages.measure import parts as measure_parts
from dashboard.pages.measure import runs as measure_runs
from dashboard.pages.measure import start as measure_start
from dashboard.pages.measure.start import fill_in, preview, start
from tests.dashboard.measuring.stored import add_batch, add_revisions, add_run, measure_everything
from tests.people import Person, create_person

pytestmark = [pytest.mark.database, pytest.mark.django_db]

_FORM: dict[str, object] = {
    "configurations": "default",
    "analysis": None,
    "options": [],
    "written": "",
    "revisions": "latest",
    "every": 5,
    "first": None,
    "last": None,
    "chosen": [],
    "repeating": "fixed",
    "most": 10,
    "half_width": 2,
    "repetitions": 2,
    "workload": "regular",
    "profile": False,
    "counts": False,
    "environment": "",
}


@contextmanager
def acting(principal: Principal) -> Iterator[None]:
    """A request of this person."""
    token = current_principal.set(principal)
    try:
        yield
    finally:
        current_principal.reset(token)


def text(*components: Any) -> str:
    """Everything that components say, with their attributes, as JSON."""
    said = json.dumps(components, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ").replace("\N{NARROW NO-BREAK SPACE}", " ")


def _access(slug: str) -> Access:
    """What a callback is handed in the request of the acting person."""
    principal = current_principal.get()
    assert principal is not None
    return access_to(principal, slug)


def _layout(person: Principal, slug: str, lens: Lens | None = None) -> str:
    with acting(person):
        return text(measure.layout(access_to(person, slug), "", lens or Lens()))


def _triggered(monkeypatch: pytest.MonkeyPatch, module: Any, id_: Any) -> None:
    monkeypatch.setattr(module, "ctx", SimpleNamespace(triggered_id=id_))


def _running(system: System) -> Job:
    job = Job.objects.create(
        kind="measure",
        title="Measure Small",
        system=system,
        state="running",
        lease_expires_at=timezone.now() + timedelta(hours=1),
        progress=0.42,
        message="1.0, default, repetition 2",
        parameters={"planned": [{}], "revisions": ["1.0"], "repetitions": 3},
    )
    JobLogLine.objects.create(job=job, text="preparing revision 1.0")
    return job


def test_without_anything_the_page_says_what_to_type(vera: Person, system: System) -> None:
    said = _layout(vera.principal, "small")
    assert "Nothing measured, and nothing to measure" in said
    assert ".venv/bin/python manage.py register FOLDER --system small" in said
    with acting(vera.principal):
        assert measure.watch(_access("small"), None, None, None)[3] == "Small was not measured yet"


def test_an_imported_system_shows_its_batches_runs_and_failures_only(vera: Person, system: System) -> None:
    """There is nothing to start, and the reason is told."""
    batch = add_batch(system, format="comprex", source="small.zip")
    add_run(
        batch, Configuration.objects.get(name="c1"), status="failed", message="exit code 3", output_tail="sad"
    )
    said = _layout(vera.principal, "small")
    assert "No subject is registered" in said
    assert own.START not in said
    assert own.GRID.card in said
    with acting(vera.principal):
        failed, batches = measure_parts.show(_access("small"), "1")
        assert "Import of small.zip" in text(batches)
        assert "failed: exit code 3" in text(failed)
        assert "sad" in text(failed)


def test_an_editor_gets_the_form_and_a_viewer_the_reason_why_not(
    tiny: str, operator: Principal, sent: list[int]
) -> None:
    """What can be chosen is the same for both; sending it anyway is refused by the service, and told."""
    vera = create_person("vera")
    Membership.objects.create(system=System.objects.get(), user=vera.user, role="viewer")
    for person, disabled in ((operator, "false"), (vera.principal, "true")):
        said = _layout(person, tiny)
        assert all(word in said for word in ("Profile functions", '"mode"', "hanging", "Doubles numbers."))
        assert f'"disabled": {disabled}, "fullWidth": true' in said
        assert ("needs the role editor" in said) == (disabled == "true")
    with acting(vera.principal):
        told, woken, lens = start(_access(tiny), values=_FORM, lens=Lens())
    assert "needs the role" in text(told)
    assert (woken, lens, Job.objects.count()) == (no_update, no_update, 0)


def test_what_is_selected_elsewhere_is_filled_in(tiny: str, operator: Principal) -> None:
    """The options of the term, and the revision."""
    revision = System.objects.get().revisions.get().name
    said = _layout(operator, tiny, Lens(term="fast*mode=broken", revision=revision))
    assert '"value": ["fast", "mode"]' in said
    assert f'"value": ["{revision}"]' in said


def test_the_form_tells_what_it_comes_to_before_it_is_sent(tiny: str, operator: Principal) -> None:
    """The number of runs; or what is wrong, at the field where it is."""
    with acting(operator):
        told, errors = preview(_access(tiny), _FORM)
        assert "1 configuration × 1 revision × 2 repetitions = 2 runs" in text(told)
        assert "1 revision to build" in text(told)
        assert set(errors.values()) == {""}
        told, errors = preview(_access(tiny), _FORM | {"configurations": "written", "written": "mode=odd"})
        assert told is None
        assert "has no level 'odd'" in errors.pop("configurations")
        assert set(errors.values()) == {""}
        told, errors = preview(_access(tiny), _FORM | {"repeating": "needed"})
        assert "1 configuration × 1 revision × 3 to 10 repetitions: between 3 and 10 runs" in text(told)
        told, errors = preview(_access(tiny), _FORM | {"repeating": "needed", "most": 2})
        assert (told, errors["most"]) == (None, "3 are made at least: write so many or more")
        told, _ = preview(_access(tiny), _FORM | {"repetitions": 1_000_000})
        assert "select fewer" in text(told)


def test_what_is_sent_becomes_a_job_and_its_plan_is_shown(
    tiny: str, operator: Principal, sent: list[int]
) -> None:
    """Before a worker has taken it, everything waits."""
    with acting(operator):
        _, woken, lens = start(
            _access(tiny),
            values=_FORM | {"configurations": "over", "options": ["fast"]},
            lens=Lens(term="fast"),
        )
        job_id = Job.objects.get().pk
        assert lens == {"term": "fast", "job": str(job_id)}
        assert woken
        finding, key, figure, _, scope = measure_grid.show(_access(tiny), Lens.read(lens), "dark", None)
        assert text(finding) == '["0 of 4 runs made"]'
        assert f"Choose: job, now Job {job_id}: " in text(scope)
        assert "waiting 2" in text(key)
        assert list(figure.data[0].text[0]) == ["·"]
        assert "Everything measured" in text(scope)
        cards, rests, _, sentence = measure.watch(_access(tiny), None, None, None)
        assert sentence == "1 job of Tiny waits".replace(" job", "\N{NO-BREAK SPACE}job")
        assert "waiting for a worker" in text(cards)
        assert not rests


def test_a_running_job_shows_its_progress_and_log_and_is_polled(vera: Person, system: System) -> None:
    """With nothing left, the polling rests; the version moves with what happened."""
    job = _running(system)
    with acting(vera.principal):
        cards, rests, version, sentence = measure.watch(_access("small"), None, None, None)
        assert text(sentence) == '["Small is being measured: 42 %"]'
        said = text(cards)
        assert "preparing revision 1.0" in said
        assert "1.0, default, repetition 2" in said
        assert '"disabled": true' in said
        assert (rests, version) == (False, f"0 {job.pk}running")
        assert measure.watch(_access("small"), None, None, version)[2] is no_update
        Job.objects.update(state="paused", lease_expires_at=None)
        paused = measure.watch(_access("small"), None, None, version)[3]
        assert text(paused) == '["1 job of Small is paused"]'
        Job.objects.update(state="done")
        assert measure.watch(_access("small"), None, None, version)[:3] == ([], True, "0")


def test_a_job_is_cancelled_by_its_button(
    bob: Person, vera: Person, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor's; a viewer is told why not."""
    job = _running(system)
    _triggered(monkeypatch, measure_jobs, {own.CANCEL: job.pk, "does": measure_jobs.CANCEL})
    with acting(vera.principal):
        _, problem = measure_jobs.act(_access("small"), [1])
        assert "needs the role" in text(problem)
    assert not Job.objects.get().cancel_requested
    with acting(bob.principal):
        measure_jobs.act(_access("small"), [1])
        assert "Stopping" in text(measure.watch(_access("small"), None, None, None)[0])
    assert Job.objects.get().cancel_requested


def test_the_small_selection_names_the_options_that_matter(tiny: str, operator: Principal) -> None:
    with acting(operator):
        assert fill_in(_access(tiny), 1) == ("over", ["mode", "fast"], "latest", "needed")


def test_a_cell_is_chosen_by_a_click_or_from_the_table(vera: Person, system: System) -> None:
    """The address then names configuration and revision."""
    measure_everything(system, add_revisions(system, ["1.0"]), repetitions=1)
    with acting(vera.principal):
        _, _, figure, table, _ = measure_grid.show(_access("small"), Lens(), None, None)
    identity, revision, _ = figure.data[0].customdata[1][0]
    chosen = Lens(revision="1.0", settings={"configuration": identity})
    assert (figure.data[0].x[0], figure.data[0].y[1]) == (revision, identity)
    clicked = {"points": [{"x": revision, "y": identity}]}
    assert measure_grid.choose_cell(Lens(), clicked) == chosen
    grid: Any = table
    row = next(row for row in grid.rowData if row["configuration"] == "c1")
    assert measure_grid.choose_row(Lens(), [row]) == chosen
    assert measure_grid.choose_cell(chosen, None) is measure_grid.choose_row(chosen, []) is chosen


def test_runs_are_marked_and_restored_from_their_table(
    bob: Person, vera: Person, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reason is asked for at its field; a viewer sees the runs without the tools."""
    run = add_run(add_batch(system), Configuration.objects.get(name="c1"), value=1.0, region_value=1.0)
    lens = {"revision": "1.0", "configuration": Configuration.objects.get(name="c1").identity}
    pair = " ".join(str(pk) for pk in Run.objects.order_by("pk").values_list("pk", flat=True))
    with acting(vera.principal):
        said = text(measure_runs.show(_access("small"), Lens.read(lens), None))
        assert own.INVALIDATE not in said
        assert "1.00 s" in said
        assert measure_runs.show(_access("small"), Lens(), None) is None
    _triggered(monkeypatch, measure_runs, own.INVALIDATE)
    with acting(bob.principal):
        assert f'"value": "{pair}"' in text(measure_runs.show(_access("small"), Lens.read(lens), None))
        assert "say why" in measure_runs.mark(_access("small"), 1, None, [pair], "")[1]
        told, error, _ = measure_runs.mark(_access("small"), 1, None, [pair], "noise")
        assert ("2 runs marked invalid" in text(told), error) == (True, "")
        assert "invalid: noise (bob)" in text(measure_runs.show(_access("small"), Lens.read(lens), None))
        _triggered(monkeypatch, measure_runs, own.RESTORE)
        assert "no run is chosen" in measure_runs.mark(_access("small"), None, 1, [], "")[1]
        measure_runs.mark(_access("small"), None, 1, [pair], "")
    run.refresh_from_db()
    assert run.invalid_reason == ""


def test_a_system_is_deleted_by_typing_its_address(
    alice: Person, bob: Person, system: System, sent: list[int]
) -> None:
    """After a preview; others than admins are told why not."""
    assert '"disabled": true' in _layout(bob.principal, "small").partition(own.LOOK)[2][:200]
    with acting(bob.principal):
        assert "needs the role" in text(measure_delete.look(_access("small"), 1))
        assert "needs the role" in measure_delete.delete(_access("small"), 1, "small")[1]
    with acting(alice.principal):
        said = text(measure_delete.look(_access("small"), 1))
        assert "Configurations" in said
        assert measure_delete.delete(_access("small"), 1, "smal")[1] == "type small to delete it for good"
        assert measure_delete.delete(_access("small"), 1, "small")[2] == "/app/"
    assert not System.objects.get().visible
    assert Job.objects.get().title == "Delete Small"


def test_strangers_learn_nothing(charlie: Person, system: System, machine: Path) -> None:
    """Neither from the page nor from any callback."""
    with acting(charlie.principal), pytest.raises(NotFound):
        _access("small")
    for module in (measure, measure_delete, measure_grid, measure_parts, measure_runs, measure_start):
        # Every callback that reads or writes is handed the access, and resolves nothing by itself.
        assert "acting" not in vars(module)
