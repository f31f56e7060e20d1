"""Histories: the series of a system, one of them with its band and changes, and which revisions to measure next."""

from datetime import datetime
from typing import Annotated, Literal

from annotated_types import Ge, Le
from django.http import HttpRequest
from ninja import Query, Router

from dashboard.api.callers import reading
from dashboard.api.rows import ApiRow, Id, Number, Page, Paging, RevisionAnswer, Slug, Words
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.next_revisions import propose
from dashboard.selectors.histories.series import list_series
from dashboard.selectors.histories.triaged import changes_by_hand, triage_of_history

router = Router(tags=["Histories"])
Kind = Literal["configuration", "term", "region", "benchmark"]


class SeriesAnswer(ApiRow):
    """What is measured over revisions: whose curve it is, of which metric, and where."""

    series_id: int
    kind: str
    label: str
    workload: str
    environment: str
    quantity: str
    unit: str
    clock: str
    better: str
    points: int


class PointAnswer(ApiRow):
    """The median of `n` measurements at a revision; `same_as` names the revision of the same code that was measured instead."""

    revision: str
    position: int
    n: int
    median: Number
    spread: Number
    same_as: str


class BandAnswer(ApiRow):
    """The history at a position, measured or not: its estimate, and where it lies with 50 % and with 95 %."""

    position: int
    estimate: Number
    lower_50: Number
    upper_50: Number
    lower_95: Number
    upper_95: Number


class TriageAnswer(ApiRow):
    """What people said of a change, who said it last, and when; `new` where nobody did."""

    state: str
    owner: str
    note: str
    link: str
    said_by: str
    said_at: datetime | None


class ChangeAnswer(ApiRow):
    """A step later than `before` and not later than `after`; with 95 % after `earliest` and not after `latest`.

    `relative` is its size as a share of the level before, from `low` to `high` with 95 %. A candidate may have happened.
    `released_in` are the first releases of the revisions that it may have come with, oldest first, "" for none that is known yet.
    """

    key: str
    before: RevisionAnswer
    after: RevisionAnswer
    earliest: RevisionAnswer
    latest: RevisionAnswer
    size: Number
    relative: Number
    low: Number
    high: Number
    certainty: Number
    is_candidate: bool
    is_slower: bool
    released_in: list[str]
    triage: TriageAnswer


class PlacedChangeAnswer(ApiRow):
    """A change that somebody set by hand between two revisions, and that no search finds."""

    key: str
    before: str
    after: str
    relative: Number
    triage: TriageAnswer


class DriftAnswer(ApiRow):
    """A slow drift of the last level, from one measured revision to the last one."""

    first: RevisionAnswer
    last: RevisionAnswer
    relative: Number
    low: Number
    high: Number
    certainty: Number
    is_candidate: bool
    is_slower: bool


class AnnotationAnswer(ApiRow):
    """What somebody noted from one revision to a last one; of one history alone where it is own."""

    annotation_id: int
    kind: str
    text: str
    link: str
    author: str
    created_at: datetime
    first: RevisionAnswer
    last: RevisionAnswer
    is_own: bool


class UnmergedPointAnswer(ApiRow):
    """What was measured on a branch that is not merged: no part of the history."""

    place: RevisionAnswer
    n: int
    median: Number
    spread: Number


class HistoryAnswer(ApiRow):
    """A series with its points, its band over all revisions, its changes, and what is noted at revisions.

    `enough_data` is false where the points are too few to claim or deny any change; `seen_from` is the smallest step,
    a share, that would mostly be seen. `unmerged` are the newest of all points of unmerged branches.
    """

    series: SeriesAnswer
    order: str
    points: list[PointAnswer]
    band: list[BandAnswer]
    enough_data: bool
    seen_from: Number
    changes: list[ChangeAnswer]
    by_hand: list[PlacedChangeAnswer]
    drift: DriftAnswer | None
    annotations: list[AnnotationAnswer]
    unmerged: list[UnmergedPointAnswer]
    all_unmerged: int


class NextRevisionAnswer(ApiRow):
    """A revision worth measuring, with the reason; `gain` is by how much the history would be known better, a share."""

    place: RevisionAnswer
    reason: str
    gain: Number


class ProposalAnswer(ApiRow):
    """The revisions worth measuring, the best first; `stop` says why tracking would measure none of them now.

    `seconds` is what one of them should take; null where nothing tells.
    """

    rows: list[NextRevisionAnswer]
    seconds: Number
    stop: str
    measured: int
    unbuildable: int


@router.get("/systems/{system}/series", response=Page[SeriesAnswer], summary="The series of a system")
def series(
    request: HttpRequest, system: Slug, paging: Query[Paging], kind: Kind | None = None, text: Words = ""
) -> Page[SeriesAnswer]:
    """Those that have a point, by kind and name; with all words of `text` in their label."""
    kinds, words = () if kind is None else (kind,), text.casefold().split()
    rows = list_series(system=reading(request, system).system, kinds=kinds)
    found = [one for one in rows if all(word in one.label.casefold() for word in words)]
    return paging.of(found, SeriesAnswer)


@router.get("/systems/{system}/series/{series}", response=HistoryAnswer, summary="One history")
def history(request: HttpRequest, system: Slug, series: Id) -> HistoryAnswer:
    """Points, the band over all revisions, changes with their certainty and what people said of them."""
    of = reading(request, system).system
    found = get_history(system=of, series_id=series)
    changes = [
        {
            **{name: getattr(change, name) for name in ChangeAnswer.model_fields if hasattr(change, name)},
            "key": key.text,
            "triage": triage,
        }
        for change, (key, triage) in zip(found.changes, triage_of_history(of, found), strict=True)
    ]
    by_hand = [
        {
            "key": key.text,
            "before": triage.placed[0],
            "after": triage.placed[1],
            "relative": triage.placed_relative,
            "triage": triage,
        }
        for key, triage in changes_by_hand(of, found)
        if triage.placed
    ]
    names = (
        "series",
        "points",
        "band",
        "enough_data",
        "seen_from",
        "drift",
        "annotations",
        "unmerged",
        "all_unmerged",
    )
    return HistoryAnswer.model_validate(
        {
            **{name: getattr(found, name) for name in names},
            "order": found.order.name,
            "changes": changes,
            "by_hand": by_hand,
        }
    )


@router.get("/systems/{system}/series/{series}/next", response=ProposalAnswer, summary="What to measure next")
def next_revisions(
    request: HttpRequest,
    system: Slug,
    series: Id,
    order: Words = "",
    count: Annotated[int, Ge(1), Le(100)] = 5,
) -> ProposalAnswer:
    """The revisions that would tell most of a history, each with the reason."""
    of = reading(request, system).system
    return ProposalAnswer.model_validate(propose(system=of, series_id=series, order=order, count=count))
