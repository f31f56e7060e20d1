"""Revisions of unmerged branches: drawn where their branch left, compared with it, and part of no history."""

import json
from pathlib import Path

import numpy as np
import pytest

from dashboard.access import Principal, access_to
from dashboard.figures.histories import history_figure
from dashboard.figures.histories_unmerged import UNMERGED
from dashboard.importers.errors import InvalidSetting
from dashboard.models import OrderPosition, Revision, Series, System
from dashboard.pages.histories.unmerged import unmerged_card
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import History
from dashboard.selectors.two_revisions.choosing import chosen_pair, find_revisions
from dashboard.selectors.two_revisions.compared import compare_revisions
from dashboard.selectors.two_revisions.histories import difference_histories
from dashboard.services.imports.amounts import ImportOutcome
from dashboard.services.imports.importing import import_file

pytestmark = [pytest.mark.database, pytest.mark.django_db]
COMMITS = [f"{day:x}" * 40 for day in range(1, 13)]
FEATURE = "f" * 40


class Program:
    """A program of two benchmarks, measured at twelve revisions and on branches."""

    def __init__(self, operator: Principal, folder: Path) -> None:
        self._operator, self._folder = operator, folder
        self._noise = np.random.default_rng(3)
        for day, commit in enumerate(COMMITS, start=1):
            self.take_in(commit, date=f"2026-05-{day:02}T12:00:00Z")

    def take_in(
        self, commit: str, *, factor: float = 1.0, bases: tuple[str, ...] = (), **given: str
    ) -> ImportOutcome:
        """Import five runs of each benchmark at a commit."""
        rows = []
        for command, seconds in (("pack", 0.2), ("list", 0.1)):
            times = (seconds * factor * self._noise.normal(1.0, 0.01, 5)).tolist()
            mean = float(np.mean(times))
            rows.append({"command": command, "mean": mean, "user": mean, "system": 0, "times": times})
        path = self._folder / f"{commit[:8]}{len(list(self._folder.iterdir()))}.json"
        path.write_text(json.dumps({"results": rows}), encoding="utf-8")
        return import_file(
            principal=self._operator,
            format_name="benchmarks",
            path=path,
            system_name="Packer",
            given={name: (value,) for name, value in {"revision": commit, **given}.items()} | {"base": bases},
        )

    @property
    def system(self) -> System:
        """The system."""
        return access_to(self._operator, "packer").system

    def history(self) -> History:
        """The history of the wall time of one benchmark."""
        one = Series.objects.get(subject="pack", metric__clock="wall")
        return get_history(system=self.system, series_id=one.pk)


@pytest.fixture
def program(operator: Principal, tmp_path: Path) -> Program:
    """The program before any branch."""
    return Program(operator, tmp_path)


def line() -> list[str]:
    """The revisions in the order of dates."""
    return list(OrderPosition.objects.order_by("position").values_list("revision__name", flat=True))


def test_a_revision_of_a_branch_stands_at_its_base_and_moves_nothing(program: Program) -> None:
    before = program.history()
    outcome = program.take_in(FEATURE, factor=1.5, bases=(COMMITS[5],))
    after = program.history()
    assert not [one for one in outcome.remarks if "order" in one]
    assert line() == [commit[:10] for commit in COMMITS]
    assert (after.points, after.band, after.changes) == (before.points, before.band, before.changes)
    assert [(one.place.name, one.place.base, one.n) for one in after.unmerged] == [
        (FEATURE[:10], COMMITS[5][:10], 5)
    ]
    crosses = next(one for one in history_figure(after).data if one.name == UNMERGED)
    assert list(crosses.x) == [after.points[5].position]
    assert crosses.y[0] == pytest.approx(300, rel=0.05)
    assert f"{FEATURE[:10]}: 3" in str(crosses.customdata)
    assert "left 6666666666" in str(crosses.customdata)
    card = str(unmerged_card(after, "packer"))
    assert f"since={COMMITS[5][:10]}" in card
    assert f"revision={FEATURE[:10]}" in card


def test_it_is_compared_with_what_its_branch_left(program: Program) -> None:
    program.take_in(FEATURE, factor=1.5, bases=(COMMITS[5],))
    pair = chosen_pair(system=program.system, before="", after=FEATURE[:10])
    assert pair == (COMMITS[5][:10], FEATURE[:10])
    found = compare_revisions(system=program.system, before=pair[0], after=pair[1])
    assert found.after.base == COMMITS[5][:10]
    told = {row.series.label: row for row in found.rows if row.series.clock == "wall"}
    assert told["pack"].told == told["list"].told == "differs"
    assert told["pack"].relative == pytest.approx(0.5, abs=0.05)
    # The line beside it is that of its history: the branch is no part of it.
    small = difference_histories(system=program.system, compared=found, rows=found.rows)
    band = small[told["pack"].series.series_id].band
    assert max(row.estimate for row in band) < 0.25
    # In the other direction, too, and with what came long after.
    assert compare_revisions(system=program.system, before=FEATURE[:10], after=COMMITS[-1][:10]).counts[
        "differs"
    ]


def test_it_is_found_by_words_and_offered_first(program: Program) -> None:
    program.take_in(FEATURE, bases=(COMMITS[5],))
    offered, more = find_revisions(system=program.system)
    assert [place.name for place in offered][:2] == [FEATURE[:10], COMMITS[-1][:10]]
    assert not more
    assert [place.name for place in find_revisions(system=program.system, words="ffff")[0]] == [FEATURE[:10]]


def test_what_is_imported_without_a_base_later_is_merged(program: Program) -> None:
    program.take_in(FEATURE, bases=(COMMITS[5],))
    program.take_in(FEATURE, date="2026-05-20T12:00:00Z", reruns="replace")
    assert line()[-1] == FEATURE[:10]
    assert not program.history().unmerged
    assert len(program.history().points) == 13
    # What stands in the order stays there.
    program.take_in(COMMITS[2], bases=(COMMITS[1],), reruns="replace")
    assert line()[2] == COMMITS[2][:10]
    assert not program.history().unmerged


def test_a_base_that_is_not_there_is_said_and_drawn_once_it_comes(program: Program) -> None:
    base = "abcdef0" * 5 + "abcde"
    outcome = program.take_in(FEATURE, bases=(base,))
    assert outcome.remarks[-1] == f"{base} stands in no order: what ran is drawn at {base} once that does."
    assert not program.history().unmerged
    program.take_in(base, date="2026-05-20T12:00:00Z")
    assert [one.place.base for one in program.history().unmerged] == [base[:10]]


def test_a_base_that_is_the_revision_itself_or_no_name_is_refused(program: Program) -> None:
    with pytest.raises(InvalidSetting, match="is the revision that ran"):
        program.take_in(FEATURE, bases=(FEATURE,))
    with pytest.raises(InvalidSetting, match="cannot be stored"):
        program.take_in(FEATURE, bases=("x" * 121,))
    assert not Revision.objects.filter(commit=FEATURE).exists()


def test_of_several_bases_the_nearest_that_is_known_counts(program: Program) -> None:
    """Where only some revisions are measured, most bases are not."""
    unknown = ["0" * 40, "abcdef0" * 5 + "abcde"]
    outcome = program.take_in(FEATURE, bases=(*unknown, COMMITS[7], COMMITS[6]))
    assert [one.place.base for one in program.history().unmerged] == [COMMITS[7][:10]]
    outcome = program.take_in("e" * 40, bases=tuple(unknown))
    assert outcome.remarks[-1].startswith("none of 2 bases stands in an order")


def test_the_order_holds_no_unmerged_revision(program: Program) -> None:
    program.take_in(FEATURE, bases=(COMMITS[5],))
    assert FEATURE[:10] not in ordered_revisions(system=program.system).names.values()
