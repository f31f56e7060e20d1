"""Two revisions compared: A costs 4 s more from revision 4 on, and nothing else changed."""

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import plotly.utils
import pytest
from pytest_django import DjangoAssertNumQueries

from dashboard.access import Access, NotFound, Principal, access_to, acting, current_principal
from dashboard.figures.two_revisions_words import subtitle
from dashboard.models import HistoryFit, Point, Revision, Series, System
from dashboard.pages.lens import Lens
from dashboard.pages.two_revisions import page
from dashboard.pages.two_revisions.table import differences_table
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.two_revisions import compared as comparing
from dashboard.selectors.two_revisions import reading
from dashboard.selectors.two_revisions.choosing import chosen_pair, find_revisions
from dashboard.selectors.two_revisions.compared import compare_revisions
from dashboard.selectors.two_revisions.histories import difference_histories
from dashboard.services.histories.fits import fit_system
from tests.dashboard.gate.calls import call, signed_in
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Each test has a database of its own, in which ids and versions begin anew."""
    comparing._compared.cache_clear()


@pytest.fixture
def looking(measured: Person) -> Iterator[Person]:
    """Alice looks at the system, which is measured at all revisions but 3."""
    token = current_principal.set(measured.principal)
    yield measured
    current_principal.reset(token)


def looked_at() -> Access:
    """The system, as the one who looks may see it."""
    return access_to(acting(), "small")


def small() -> System:
    """The system."""
    return access_to(Principal.operator(), "small").system


def said(*components: Any) -> str:
    """Everything that components say, with their attributes, as JSON."""
    text = json.dumps(components, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return text.replace("\N{NO-BREAK SPACE}", " ")


def differences_of(system: System, before: str, after: str) -> Any:
    """The table of all series at two revisions."""
    found = compare_revisions(system=system, before=before, after=after)
    histories = difference_histories(system=system, compared=found, rows=found.rows)
    return differences_table(found, found.rows, histories, "small")


def history_of_a(system: System) -> History:
    """The history of the influence of A."""
    return get_history(system=system, series_id=find_series(system=system, term="A").series_id)


def plain(text: str) -> str:
    """A sentence with ordinary spaces."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_where_none_differs_it_says_why_a_history_may_tell_a_change_all_the_same(looking: Person) -> None:
    between = {"lens": Lens.read({"since": "1", "revision": "2"})}
    sentence, below, *_ = page.show(looked_at(), **between)["page"]
    assert "None of" in plain(sentence)
    assert plain(sentence).endswith("by the runs of these two alone")
    assert "a history sees the revisions around them too" in below
    sentence, below, *_ = page.show(looked_at(), lens=Lens.read({"since": "2", "revision": "4"}))["page"]
    assert "a history sees" not in below


def test_where_intervals_leave_out_zero_and_none_differs_it_says_how_many_chance_makes(
    measured: Person,
) -> None:
    """Else rows of "-50 % (-87 to -13 %)" stand as within noise, without a reason."""
    found = compare_revisions(system=small(), before="2", after="4")
    rows = tuple(replace(row, told="within") for row in found.rows)
    assert sum(row.at_least > 0 for row in rows) == 6
    assert (
        "Of 14 intervals of 95 %, 6 leave out zero, where chance alone makes about 1: none stands out"
        in plain(subtitle(replace(found, rows=rows)))
    )
    still = tuple(replace(row, at_least=0.0) for row in rows)
    assert "leave out" not in subtitle(replace(found, rows=still))


def test_each_row_says_what_its_history_tells_between_both(measured: Person) -> None:
    """The page of the history tells the same step: neither contradicts the other."""
    system = small()
    fit_system(access=access_to(measured.principal, "small"))
    table = said(differences_of(system, "1", "6"))
    change = next(one for one in history_of_a(system).changes)
    share = f"{100 * change.relative:+.0f} % of the default"
    assert f"Its history: {share}, 2 → 4, > 99 % certain" in table
    assert "Its history" not in said(differences_of(system, "5", "6"))
    # Where none is told to differ, a sentence above says that histories tell more.
    found = compare_revisions(system=system, before="1", after="6")
    within = tuple(replace(row, told="within") for row in found.rows)
    histories = difference_histories(system=system, compared=found, rows=within)
    listed = said(differences_table(found, within, histories, "small"))
    assert f"of these {len(within)} series the history tells a change between both" in listed
    assert "series the history tells" not in table
    assert "too few measured revisions" not in table


def test_where_histories_are_too_short_the_page_says_why_they_tell_nothing(measured: Person) -> None:
    """Of three revisions a history claims nothing, while two of them can be told apart by their runs."""
    system = small()
    Point.objects.filter(revision__name__in=("1", "6")).delete()
    fit_system(access=access_to(measured.principal, "small"))
    table = said(differences_of(system, "2", "4"))
    assert "The histories below have too few measured revisions to claim or deny a change" in table
    HistoryFit.objects.filter(series=HistoryFit.objects.earliest("pk").series).update(enough_data=True)
    assert "13 of the 14 histories below" in said(differences_of(system, "2", "4"))


def test_what_the_step_moved_differs_by_its_size(measured: Person) -> None:
    found = compare_revisions(system=small(), before="2", after="4")
    differing = {
        (row.series.kind, row.series.label): row.absolute
        for row in found.rows
        if row.told == "differs" and row.series.clock == "cpu"
    }
    assert differing == {
        ("configuration", "A"): pytest.approx(4.0),
        ("configuration", "A + B"): pytest.approx(4.0),
        ("term", "A"): pytest.approx(4.0),
    }
    assert all(row.is_worse for row in found.shown(told="differs"))


def test_the_most_relevant_come_first_and_nothing_is_lost(measured: Person) -> None:
    found = compare_revisions(system=small(), before="2", after="4")
    assert [row.at_least for row in found.rows] == sorted((row.at_least for row in found.rows), reverse=True)
    assert sum(found.counts.values()) == len(found.rows) == small().series.count()


def test_the_other_way_round_it_became_better(measured: Person) -> None:
    found = compare_revisions(system=small(), before="4", after="2")
    assert {row.is_worse for row in found.shown(told="differs")} == {False}


def test_nothing_differs_where_nothing_changed(measured: Person) -> None:
    assert not compare_revisions(system=small(), before="5", after="6").shown(told="differs")


def test_a_revision_that_was_not_measured_is_counted(measured: Person) -> None:
    found = compare_revisions(system=small(), before="2", after="3")
    assert dict(found.counts) == {"missing": len(found.rows)}


def test_the_same_code_is_measured_once_for_both(measured: Person) -> None:
    Revision.objects.filter(system=small(), name__in=("2", "3")).update(content="c")
    found = compare_revisions(system=small(), before="2", after="3")
    assert found.same_code
    assert dict(found.counts) == {"same": len(found.rows)}
    other = compare_revisions(system=small(), before="3", after="4")
    assert {row.before.measured_at for row in other.rows if row.before} == {"2"}


def test_of_many_series_only_points_around_both_are_read(
    measured: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = compare_revisions(system=small(), before="2", after="4")
    comparing._compared.cache_clear()
    monkeypatch.setattr(reading, "_READ", 0)
    monkeypatch.setattr(reading, "_AROUND", 1)
    near = compare_revisions(system=small(), before="2", after="4")
    assert {row.series.series_id: row.absolute for row in near.rows} == {
        row.series.series_id: row.absolute for row in whole.rows
    }


def test_an_unknown_revision_is_refused_with_its_name(measured: Person) -> None:
    with pytest.raises(NotFound, match="'9'"):
        compare_revisions(system=small(), before="9", after="4")


def test_the_number_of_queries_is_constant(
    measured: Person, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    system = small()
    with django_assert_max_num_queries(12):
        compare_revisions(system=system, before="2", after="4")
    with django_assert_max_num_queries(2):
        compare_revisions(system=system, before="2", after="4")


@pytest.mark.parametrize(
    ("before", "after", "pair"),
    [
        ("", "", ("5", "6")),
        ("", "4", ("2", "4")),
        ("2", "", ("2", "6")),
        ("6", "", ("6", "5")),
        ("1", "2", ("1", "2")),
    ],
)
def test_what_is_not_chosen_is_the_last_measured_one(
    measured: Person, before: str, after: str, pair: tuple[str, str]
) -> None:
    assert chosen_pair(system=small(), before=before, after=after) == pair


def test_revisions_are_found_by_words_of_their_message(measured: Person) -> None:
    Revision.objects.filter(name="3").update(message="Rework the parser")
    found, more = find_revisions(system=small(), words="parser rework", keep=("1",))
    assert [place.name for place in found] == ["3", "1"]
    assert more == 0


def test_the_page_tells_what_differs_and_counts_the_rest(looking: Person) -> None:
    shown = page.show(looked_at(), lens=Lens(since="2", revision="4"))
    sentence, _, problem, hidden = shown["page"]
    assert plain(sentence) == "6 of 14 series differ beyond their noise between 2 and 4: 6 worse"
    assert problem is None
    assert hidden is False
    told, table, words, pages, _ = shown["list"]
    assert "6 differ" in said(*told)
    assert "8 within noise" in said(*told)
    assert "+4.00" in said(table) or "+4.0" in said(table)
    assert (plain(words), pages) == ("6 series", 1)
    others = page.show(looked_at(), lens=Lens(since="2", revision="4", settings={"told": "within"}))
    assert others["list"][2] == "8\N{NO-BREAK SPACE}series"


def test_words_and_kind_filter_the_list(looking: Person) -> None:
    lens = Lens(since="2", revision="4", settings={"kind": "term", "find": "cpu"})
    assert page.show(looked_at(), lens=lens)["list"][2] == "1\N{NO-BREAK SPACE}series"


def test_the_page_says_that_a_revision_is_not_there(looking: Person) -> None:
    shown = page.show(looked_at(), lens=Lens(since="2", revision="nowhere"))
    assert "nowhere" in said(shown["page"][2])
    assert shown["page"][3] is True


def test_before_two_revisions_are_measured_the_page_says_how(alice: Person, system: System) -> None:
    assert "Two measured revisions are needed" in said(
        page.layout(access_to(alice.principal, "small"), "", Lens())
    )


def test_of_a_suite_no_flame_graph_is_waited_for(looking: Person) -> None:
    """Its benchmarks have no call paths; the library that would draw them is a megabyte."""
    assert "revisions-tree" in said(page.layout(looked_at(), "", Lens()))
    Series.objects.update(subject_kind=Series.SubjectKind.BENCHMARK)
    assert "revisions-tree" not in said(page.layout(looked_at(), "", Lens()))


def test_the_table_is_taken_away_with_all_its_rows(looking: Person) -> None:
    lens = Lens(since="2", revision="4", settings={"told": "within"})
    sent = page.download(looked_at(), 1, lens)
    rows = list(csv.DictReader(io.StringIO(sent["content"])))
    assert len(rows) == 8
    assert {row["told"] for row in rows} == {"within"}
    assert sent["filename"] == "small-2-4-within.csv"


def test_who_does_not_see_the_system_gets_no_row(measured: Person, charlie: Person) -> None:
    answer = call(signed_in(charlie.user), "two-sentence.children", {}, state=("small",))
    assert "differ" not in json.dumps(answer.json())
    assert "Nothing here" in json.dumps(answer.json())


def test_points_of_an_unfinished_batch_are_not_compared(measured: Person) -> None:
    point = Point.objects.filter(revision__name="4").first()
    assert point is not None
    point.batch.state = "writing"
    point.batch.save()
    assert not compare_revisions(system=small(), before="2", after="4").shown(told="differs")
