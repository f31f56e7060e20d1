"""Findings: what changed in a system at which revision, in how many histories; and two revisions side by side."""

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from dashboard.api.callers import reading
from dashboard.api.histories import SeriesAnswer, TriageAnswer
from dashboard.api.rows import ApiRow, Number, Page, Paging, RevisionAnswer, Slug, Words
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.two_revisions.choosing import chosen_pair
from dashboard.selectors.two_revisions.compared import compare_revisions

router = Router(tags=["Findings"])
ChangeState = Literal["new", "acknowledged", "infrastructure", "expected", "noise", "fixed"]


class FindingQuery(Schema):
    """Which findings are wanted: without `state` those that are not done with."""

    revision: Words = Field(
        "", description="that may have come with this revision: its name, or how its commit begins"
    )
    text: Words = Field("", description="with all these words in the name of a history")
    state: Literal["", "all"] | ChangeState = ""
    only_worse: bool = False


class ListedChangeAnswer(ApiRow):
    """The change of one history between two measured revisions; `error` is half of the 95 % interval of `relative`."""

    before: str
    after: str
    at: datetime | None
    relative: Number
    error: Number
    certainty: Number
    is_worse: bool
    is_slow: bool
    of_share: bool


class ChangedHistoryAnswer(ApiRow):
    """A history that shows a finding, and its change; `region` is the key of a region, whose history has no series."""

    series_id: int
    region: str
    label: str
    environment: str
    quantity: str
    unit: str
    last: ListedChangeAnswer


class FindingAnswer(ApiRow):
    """One change at one revision, in so many histories, the surest first; `shown` are some of them.

    `verdict` is `told`, or why it is not. `moved_from` and `moved_to` name what a cost moved between. `released_in` are the first releases
    of the revisions that it may have come with, oldest first, "" for none that is known yet.
    """

    key: str
    verdict: str
    before: str
    after: str
    at: datetime | None
    histories: int
    shown: list[ChangedHistoryAnswer]
    moved_from: list[str]
    moved_to: list[str]
    released_in: list[str]
    triage: TriageAnswer


class FilteredAnswer(ApiRow):
    """Findings that are not told, for one reason: how many, and the first of them."""

    verdict: str
    total: int
    rows: list[FindingAnswer]


class FindingsAnswer(Page[FindingAnswer]):
    """Findings that are told, a page of them; those that are not, by the reason; those that people set by hand.

    `unfitted` histories were not searched yet, nor were the regions of `unsearched` configurations.
    """

    filtered: list[FilteredAnswer]
    by_hand: list[FindingAnswer]
    unfitted: int
    unsearched: int
    states: dict[str, int]


class ComparedValueAnswer(ApiRow):
    """What a series is at a revision: the median of so many runs; `measured_at` is the revision of the same code that ran."""

    value: Number
    runs: int
    measured_at: str


class DifferenceAnswer(ApiRow):
    """A series at two revisions: the differences with their 95 % intervals, and how they are told.

    `false_discovery_rate` is the share of noise among all that is told, if all as clear as this one are; one that is confirmed has at
    most the false-alarm rate of the system.
    """

    series: SeriesAnswer
    told: str
    is_confirmed: bool
    before: ComparedValueAnswer | None
    after: ComparedValueAnswer | None
    absolute: Number
    relative: Number
    low: Number
    high: Number
    false_discovery_rate: Number
    is_worse: bool


class ComparisonAnswer(Page[DifferenceAnswer]):
    """All series of a system at two revisions, those that differ most at least first; `counts` says how many are told how."""

    before: RevisionAnswer
    after: RevisionAnswer
    same_code: bool
    middle: Number
    counts: dict[str, int]


class ComparisonQuery(Schema):
    """Which two revisions; where one is left out, the last one measured, or the one before the other."""

    before: Words = ""
    after: Words = ""
    told: Literal["differs", "within", "same", "unknown", "missing"] = "differs"
    text: Words = ""


@router.get("/systems/{system}/findings", response=FindingsAnswer, summary="What changed, and where")
def findings(
    request: HttpRequest, system: Slug, wanted: Query[FindingQuery], paging: Query[Paging]
) -> FindingsAnswer:
    """The newest first: each change once, with all histories that show it."""
    query = HistoryQuery(**wanted.model_dump(), size=paging.offset + paging.limit)
    found = found_changes(reading(request, system).system, query)
    return FindingsAnswer.model_validate(
        {
            "total": found.total,
            "rows": found.told[paging.offset :],
            "filtered": [
                {"verdict": verdict, "total": many, "rows": rows} for verdict, many, rows in found.filtered
            ],
            "by_hand": found.by_hand,
            "unfitted": found.unfitted,
            "unsearched": found.unsearched,
            "states": dict(found.states),
        }
    )


@router.get("/systems/{system}/comparison", response=ComparisonAnswer, summary="Two revisions side by side")
def comparison(
    request: HttpRequest, system: Slug, wanted: Query[ComparisonQuery], paging: Query[Paging]
) -> ComparisonAnswer:
    """Every series at two revisions, with what differs beyond its noise."""
    of = reading(request, system).system
    before, after = chosen_pair(system=of, before=wanted.before, after=wanted.after)
    found = compare_revisions(system=of, before=before, after=after)
    page = paging.of(found.shown(told=wanted.told, text=wanted.text), DifferenceAnswer)
    return ComparisonAnswer(
        **dict(page),
        before=RevisionAnswer.model_validate(found.before),
        after=RevisionAnswer.model_validate(found.after),
        same_code=found.same_code,
        middle=found.middle,
        counts={str(told): many for told, many in found.counts.items()},
    )
