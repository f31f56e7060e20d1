"""What people said of the changes of a system, matched to the changes that its fits find now."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from analytics.findings.triage import ChangePlace, same_places
from dashboard.access import Access, NotFound
from dashboard.models import System, TriagedChange, TriageEntry, TriageState
from dashboard.selectors.members import accounts_of

# From what waits for somebody to what is done with; a list leaves the latter out until they are asked for.
OPEN = (TriageState.NEW.value, TriageState.ACKNOWLEDGED.value, TriageState.INFRASTRUCTURE.value)
DONE = (TriageState.EXPECTED.value, TriageState.NOISE.value, TriageState.FIXED.value)
STATES = (*OPEN, *DONE)
_KEY = re.compile(r"([0-9a-f]{64})-(\d{1,18})-(\d{1,18})-([01])([01])")


class ChangeKey(NamedTuple):
    """A change of one series as pages name it: the identity of the series, and revisions by their ids."""

    identity: str
    before: int
    after: int
    is_worse: bool
    is_slow: bool = False

    @classmethod
    def read(cls, text: str) -> "ChangeKey":
        """The key that a page sent back. Raises `NotFound`."""
        if (found := _KEY.fullmatch(text)) is None:
            raise NotFound("there is no such change")
        identity, before, after, is_worse, is_slow = found.groups()
        return cls(identity, int(before), int(after), is_worse == "1", is_slow == "1")

    @property
    def text(self) -> str:
        """What a page holds of it."""
        return f"{self.identity}-{self.before}-{self.after}-{self.is_worse:d}{self.is_slow:d}"


@dataclass(frozen=True, slots=True)
class Triage:
    """What holds of a change: its state, who takes care of it, a note and a link, who said so and when.

    `placed` are the revisions between which `placed_by` set it by hand, by name, with its size where no fit tells it, a
    share of the level before. `triage_id` is None where nobody said anything. `states` counts, of a change of many histories, those in each state.
    """

    state: str = TriageState.NEW.value
    owner: str = ""
    note: str = ""
    link: str = ""
    said_by: str = ""
    said_at: datetime | None = None
    triage_id: int | None = None
    states: Mapping[str, int] | None = None
    placed: tuple[str, str] | None = None
    placed_by: str = ""
    placed_relative: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether a list shows it without being asked to."""
        return self.state in OPEN


UNTOUCHED = Triage()


@dataclass(frozen=True, slots=True)
class TriageStatement:
    """One entry of the past of a change: who said what, and when."""

    author: str
    said_at: datetime
    state: str
    owner: str
    note: str
    link: str
    is_undo: bool
    placed: str


def stored_triage(system: System, identity: str = "") -> dict[str, list[TriagedChange]]:
    """The changes that people spoke of, by the identity of their series; of one series where given. One query."""
    rows = TriagedChange.objects.filter(system=system, closed=False).order_by("pk")
    rows = rows.select_related("owner", "placed_before", "placed_after")
    found: dict[str, list[TriagedChange]] = {}
    for row in rows.filter(series_identity=identity) if identity else rows:
        found.setdefault(row.series_identity, []).append(row)
    return found


def matched_triage(
    rows: Iterable[TriagedChange], places: Sequence[ChangePlace], ranks: Mapping[int, int]
) -> dict[int, TriagedChange]:
    """Which of the `rows` of one series speaks of which of its changes, by their index in `places`.

    `places` are all changes of the series, counted in revisions as `ranks` counts these (ids): which is which cannot be
    told of a part of them.
    """
    placed = [row for row in rows if row.before_id in ranks and row.after_id in ranks]
    known = [
        ChangePlace(ranks[row.before_id], ranks[row.after_id], row.is_worse, row.is_slow) for row in placed
    ]
    return {index: placed[at] for index, at in same_places(known, places).items()}


def triage_of(row: TriagedChange | None) -> Triage:
    """What holds of a change by its row; `UNTOUCHED` where there is none."""
    if row is None:
        return UNTOUCHED
    return Triage(
        state=row.state,
        owner=row.owner.get_username() if row.owner else "",
        note=row.note,
        link=row.link,
        said_by=row.said_by,
        said_at=row.said_at,
        triage_id=row.pk,
        placed=(row.placed_before.name, row.placed_after.name)
        if row.placed_before and row.placed_after
        else None,
        placed_by=row.placed_by,
        placed_relative=row.placed_relative,
    )


def alone_by_hand(
    rows: Iterable[TriagedChange], found: Collection[int]
) -> tuple[tuple[ChangeKey, Triage], ...]:
    """The changes among the rows that were set by hand and that no fit finds: those not among the ids `found`."""
    return tuple(
        (ChangeKey(row.series_identity, row.before_id, row.after_id, row.is_worse), triage_of(row))
        for row in rows
        if row.placed_by and row.pk not in found
    )


def joint_triage(parts: Sequence[Triage]) -> Triage:
    """What holds of changes that are told as one: the state that waits most, and what was said of that one last."""
    if len(parts) == 1:
        return parts[0]
    states = dict.fromkeys(STATES, 0)
    for one in parts:
        states[one.state] += 1
    state = next(name for name, many in states.items() if many)
    first = max((one for one in parts if one.state == state), key=lambda one: one.triage_id or 0)
    return replace(first, states={name: many for name, many in states.items() if many})


def past_of(system: System, triage_id: int) -> tuple[TriageStatement, ...]:
    """All that was said of a change of the system, the newest first. One query."""
    entries = TriageEntry.objects.filter(change_id=triage_id, change__system=system).select_related("owner")
    return tuple(
        TriageStatement(
            one.author,
            one.said_at,
            one.state,
            one.owner.get_username() if one.owner else "",
            one.note,
            one.link,
            one.is_undo,
            one.placed,
        )
        for one in entries.order_by("-pk")
    )


def owners_of(access: Access) -> tuple[tuple[int, str], ...]:
    """Who may take care of a change, by name: the members of the system and of its teams, and whoever asks. Two queries.

    An administrator of the whole installation sees the system without being its member.
    """
    members = dict(accounts_of(access.system).values_list("pk", "username"))
    own = access.principal.user_id
    if own is not None:
        members.setdefault(own, access.principal.name)
    return tuple(sorted(members.items(), key=lambda one: one[1]))
