"""The page of histories, its callbacks called as ordinary functions."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import plotly.utils
import pytest
from dash import no_update
from dash.exceptions import PreventUpdate
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.access import Access, Principal, access_to, acting, current_principal
from dashboard.models import Batch, Job, Revision, Run, System
from dashboard.pages.histories import next as histories_next
from dashboard.pages.histories import page as histories
from dashboard.pages.histories import track
from dashboard.pages.histories.parts import revision_steps
from dashboard.pages.lens import Lens
from dashboard.pages.saved_views import page as saved_views
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.next_revisions import propose
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.series import list_series
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.saved_views import save_view
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def looking(measured: Person) -> Iterator[Person]:
    """Alice looks at the system, which is measured at all revisions but 3."""
    token = current_principal.set(measured.principal)
    yield measured
    current_principal.reset(token)


def test_every_point_of_a_history_is_reached_by_keys(measured: Person) -> None:
    """They went nowhere: only the mouse chose a revision."""
    history = get_history(system=System.objects.get(slug="small"), series_id=series_of("A"))
    names = [point.revision for point in history.measured]
    assert stepped_to(history, "") == [names[-1], ""]
    assert stepped_to(history, names[1]) == [names[0], names[2]]
    # One that was not measured lies between all.
    assert stepped_to(history, "3") == ["2", "4"]


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the system could be measured here."""
    monkeypatch.setattr(histories_next, "measuring_refusal", lambda **_: "")


def said(*components: Any) -> str:
    """Everything that components say, with their attributes, as JSON."""
    text = json.dumps(components, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return text.replace("\N{NO-BREAK SPACE}", " ")


def series_of(label: str) -> int:
    """The history of a configuration by CPU time."""
    rows = list_series(system=access_to(Principal.operator(), "small").system)
    return next(row.series_id for row in rows if row.label == label and row.clock == "cpu")


def stepped_to(history: History, now: str) -> list[str]:
    """Where the buttons lead that the keys [ and ] press; "" for none."""
    both = [(one.disabled, one.to_plotly_json()["props"]) for one in revision_steps(history, now).children]
    return ["" if off else json.loads(props["data-lens"])["revision"] for off, props in both]


def number_of(revision: str) -> str:
    """The id of a revision, as the form holds it."""
    return str(Revision.objects.get(name=revision).pk)


def looked_at() -> Access:
    """The system, as the one who looks may see it."""
    return access_to(acting(), "small")


def offered() -> dict[str, Any]:
    """What the page keeps of a proposal for the default configuration."""
    return {
        "series": series_of("default"),
        "revisions": {number_of("3"): "3"},
        "seconds": None,
        "allowed": True,
    }


def offer(before: dict[str, Any] | None) -> tuple[Any, ...]:
    """What is proposed for the configuration A: it takes longer from 4 on."""
    return histories_next.show_next(
        looked_at(), Lens(settings={"series": str(series_of("A"))}), "0", "5", before
    )


@pytest.mark.usefixtures("looking")
def test_what_tells_most_is_offered_with_its_reason_to_be_taken_away_where_nothing_can_run() -> None:
    above, hidden, unsent, _, choice, ticked, kept, exported = offer(None)
    assert "No subject is registered" in said(above)
    assert (hidden, unsent) == (False, True)
    assert "unmeasured revision between 2 and 4" in said(choice)
    assert (ticked, list(kept["revisions"].values()), kept["allowed"]) == ([], ["3"], False)
    assert "Take this list away" in said(exported)
    assert "git log" not in said(exported), "3 is the name of no commit"


@pytest.mark.usefixtures("looking", "registered")
def test_nothing_is_ticked_where_tracking_would_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offer(None)[5] == [number_of("3")]
    monkeypatch.setattr(
        histories_next, "propose", lambda **asked: replace(propose(**asked), stop="nothing is hidden")
    )
    above, *_, ticked, kept, _ = offer(None)
    assert "It may be enough: nothing is hidden." in said(above)
    assert (ticked, list(kept["revisions"].values())) == ([], ["3"])


@pytest.mark.usefixtures("looking", "registered")
def test_ticks_stay_while_results_arrive_and_begin_anew_with_another_history() -> None:
    *_, kept, _ = offer(None)
    assert offer(kept)[5] is no_update
    assert offer({**kept, "series": 0})[5] == [number_of("3")]


@pytest.mark.usefixtures("looking")
def test_with_nothing_left_it_is_said_and_revisions_that_never_ran_are_counted(batch: Batch) -> None:
    run = batch.runs.first()
    assert run is not None
    run.pk, run.status, run.repetition = None, "failed", 1
    run.revision = Revision.objects.get(name="3")
    run.save()
    above, hidden, _, _, choice, _, _, exported = offer(None)
    assert "Every revision of this order was measured, or cannot be." in said(above)
    assert "1 revision" in said(above)
    assert "never ran" in said(above)
    assert (hidden, choice, exported) == (True, [], None)


@pytest.mark.parametrize(
    ("ticked", "others", "every", "words", "disabled"),
    [
        ([], None, "Tick all", "Measure", True),
        (["a"], "", "Tick all", "Measure 1 revision, about 40 s", False),
        (["a", "b", "measured by now"], " ", "Tick none", "Measure 2 revisions, about 1 min", False),
        (["a"], "v1..v2", "Tick all", "Measure 1 revision and others", False),
        ([], "v1", "Tick all", "Measure what is written", False),
    ],
)
def test_the_button_says_what_it_would_measure_and_for_how_long(
    ticked: list[str], others: str | None, every: str, words: str, *, disabled: bool
) -> None:
    kept = {"series": 1, "revisions": {"a": "1.0", "b": "1.1"}, "seconds": 40.0, "allowed": True}
    button, told, rests = histories_next.tell_total(ticked, others, kept)
    assert (button, told.replace("\N{NO-BREAK SPACE}", " "), rests) == (every, words, disabled)
    assert histories_next.tell_total(ticked, others, {**kept, "allowed": False})[2]


def test_all_are_ticked_by_one_button_and_none_by_the_same() -> None:
    kept = {"series": 1, "revisions": {"a": "1.0", "b": "1.1"}, "seconds": None, "allowed": True}
    assert histories_next.tick_all(1, ["a"], kept) == ["a", "b"]
    assert histories_next.tick_all(2, ["a", "b"], kept) == []


@pytest.mark.usefixtures("looking")
def test_ticked_and_written_revisions_are_sent_together(monkeypatch: pytest.MonkeyPatch) -> None:
    requests = []

    def start(*, request: Any, **_: Any) -> int:
        requests.append(request)
        return 7

    monkeypatch.setattr(histories_next, "start_measuring", start)
    told, wake, ticks, others = histories_next.start(
        looked_at(), ticked=[number_of("3"), "0"], offered=offered(), others="v1..v2, every=10,"
    )
    assert (requests[0].revisions, requests[0].revision_ids) == (("3", "v1..v2", "every=10"), ())
    assert requests[0].configurations == ("default",)
    assert ("Sent to the worker" in said(told), ticks, others) == (True, [], "")
    assert wake is not no_update
    with pytest.raises(PreventUpdate):
        histories_next.start(looked_at(), ticked=[], offered=offered(), others="")
    histories_next.start(looked_at(), ticked=[number_of("3")], offered=offered(), others="")
    assert requests[1].revision_ids == (int(number_of("3")),), "by id, where nothing has to be read"


@pytest.mark.usefixtures("looking")
def test_a_refusal_is_told_and_leaves_what_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: Any) -> int:
        raise RequestInvalid("revisions", "'odd' is no revision")

    monkeypatch.setattr(histories_next, "start_measuring", refuse)
    told, wake, ticks, others = histories_next.start(looked_at(), ticked=[], offered=offered(), others="odd")
    assert "'odd' is no revision" in said(told)
    assert (ticks, others, wake) == (no_update,) * 3


@pytest.mark.usefixtures("looking")
def test_a_revision_with_the_code_of_a_measured_one_says_where_it_was_measured() -> None:
    Revision.objects.filter(name__in=("2", "3")).update(content="c" * 64)
    _, subtitle, _, _, figure, table, _, card, _ = histories.show(looked_at(), Lens(revision="3"), None, "0")
    assert "5 of 6 revisions measured, 1 more hold the same code" in said(subtitle)
    assert "same code as 2, measured there" in said(card)
    assert "Influences here" not in said(card)
    assert "same code as 2, measured there" in said(table)
    (hollow,) = [trace for trace in figure.data if trace.name == "same code"]
    assert [row[1] for row in hollow.customdata] == ["same code as 2, measured there"]


@pytest.mark.usefixtures("looking")
def test_a_job_is_shown_with_its_buttons_and_the_page_follows_its_state(system: System) -> None:
    assert histories.watch(looked_at(), None, None, "0") == ([], False, no_update)
    job = Job.objects.create(kind="track", title="Track Small", system=system, state="paused", progress=0.4)
    cards, _, version = histories.watch(looked_at(), None, None, "0")
    assert version != "0"
    text = said(cards)
    assert "paused at 40 %" in text
    assert ('"does": "resume"' in text, '"does": "pause"' in text) == (True, False)
    Job.objects.filter(pk=job.pk).update(state="queued")
    assert histories.watch(looked_at(), None, None, version)[2] not in (no_update, version)


@pytest.mark.usefixtures("looking")
def test_the_trails_of_a_history_say_what_was_chosen_and_why_they_stopped(system: System) -> None:
    step = {
        "revision": "3",
        "reason": "1 unmeasured revision between 2 and " + "a" * 40,
        "gain": 0.01,
        "equal": 1,
        "seconds": 3.2,
        "outcome": "measured",
    }
    runs = Run.objects.filter(configuration__assignments={}).order_by("-pk")
    earlier, batch = (
        Batch.objects.create(
            system=system,
            format="track",
            digest=digest,
            state=Batch.State.VISIBLE,
            manifest={"trail": [step] * n},
        )
        for digest, n in (("t", 1), ("u", 10))
    )
    for run, own in zip(runs[:2], (earlier, batch), strict=True):
        Run.objects.filter(pk=run.pk).update(batch=own)
    job = Job.objects.create(
        kind="track", title="t", system=system, state="queued", checkpoint={"batch": batch.pk}
    )
    assert "It stopped" not in said(track.show_log(looked_at(), Lens(), "0"))
    Job.objects.filter(pk=job.pk).update(state="failed", error="the disk is full")
    assert "It stopped: the disk is full." in said(track.show_log(looked_at(), Lens(), "0"))
    batch.manifest["stopped"] = "the budget is spent"
    batch.save()
    assert "stopped" not in said(
        track.show_log(looked_at(), Lens(settings={"series": str(series_of("A"))}), "0")
    )
    text = said(track.show_log(looked_at(), Lens(), "0"))
    assert "An earlier job, 1 choice" in text
    assert "the budget is spent" in text
    assert "between 2 and aaaaaaaaaa;" in text
    assert "stands for 1 further revision with the same code; took 3 s" in text
    assert "2 earlier choices" in text


def test_the_series_that_a_page_begins_with_is_not_asked_for_again() -> None:
    """One that a person chooses comes into the address, also that of the beginning after another one."""
    lens = Lens(term="A")
    assert histories.choose_series(lens, "63", "63") == lens
    chosen = histories.choose_series(lens, "64", "63")
    assert chosen == Lens().setting(series="64")
    assert histories.choose_series(chosen, "63", "63") == Lens().setting(series="63")


def test_the_list_of_saved_views_says_which_history_was_chosen(looking: Person) -> None:
    for name, series in (("one", str(series_of("A + B"))), ("gone", "999999"), ("long", "9" * 40)):
        save_view(access=looked_at(), name=name, section="histories", query=f"series={series}&find=slow")
    listed = said(saved_views.layout(looked_at(), "", Lens()))
    assert '"Histories · A + B, CPU time · with the words slow"' in listed
    assert '"Histories · with the words slow"' in listed


def test_more_saved_views_of_histories_ask_the_database_no_more(looking: Person) -> None:
    asked = []
    for name in ("one", "two", "three"):
        save_view(
            access=looked_at(),
            name=name,
            section="histories",
            query=f"series={series_of('A + B')}&find={name}",
        )
        with CaptureQueriesContext(connection) as queries:
            saved_views.layout(looked_at(), "", Lens())
        asked.append(len(queries))
    assert asked == asked[:1] * 3
