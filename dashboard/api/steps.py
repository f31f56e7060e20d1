"""What a step of a history is made of: terms, regions, and the commits that it may have come with."""

from collections.abc import Sequence
from typing import Self

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from dashboard.access import Refused
from dashboard.api.callers import reading
from dashboard.api.histories import SeriesAnswer
from dashboard.api.rows import ApiRow, Id, Number, RevisionAnswer, Slug, Words
from dashboard.selectors.explanations.explained import explain_change, explain_step
from dashboard.selectors.explanations.rows import ExplainedStep, TouchedCommit
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import last_change
from dashboard.services.explaining import touched_commits

router = Router(tags=["Histories"])


class StepQuery(Schema):
    """Between which two measured revisions: without them the step is the last change of the history."""

    before: Words = Field("", description="with `after`; both or none")
    after: Words = ""


class StepPartAnswer(ApiRow):
    """What a part adds to the step, in the metric's unit, with its 95 % interval; null ends where runs do not tell it."""

    key: str
    amount: Number
    low: Number
    high: Number


class StepTermAnswer(StepPartAnswer):
    """The part of a term, by its key and in words."""

    label: str


class StepRegionAnswer(StepPartAnswer):
    """The part of a region; `body` is `changed`, `same`, `added`, `removed`, or blank where that is not known."""

    name: str
    file: str
    body: str
    term: str
    is_program: bool


class StepCommitAnswer(ApiRow):
    """A revision that the step may have come with, and which of the regions that moved it touched."""

    revision: RevisionAnswer
    touches: list[str]


class StepAnswer(ApiRow):
    """A step between two measured revisions; terms sum to it with their rest, and so do regions. Null where nothing tells them.

    `missing` says what is not known, and `needed` which configurations would tell it if they were measured at both.
    """

    series: SeriesAnswer
    before: RevisionAnswer
    after: RevisionAnswer
    step: StepPartAnswer
    terms: list[StepTermAnswer] | None
    rest_of_terms: StepPartAnswer | None
    untold: list[str]
    regions: list[StepRegionAnswer] | None
    rest_of_regions: StepPartAnswer | None
    commits: list[StepCommitAnswer]
    missing: list[str]
    needed: list[str]

    @classmethod
    def of(cls, found: ExplainedStep, commits: Sequence[TouchedCommit]) -> Self:
        """The answer for a step and the commits of its bracket."""
        names = ("series", "before", "after", "step", "untold", "missing", "needed")
        terms, regions = found.terms, found.of_regions
        parts = () if terms is None else (*terms.parts, *terms.folded)
        as_part = StepPartAnswer.model_validate
        return cls.model_validate(
            {
                **{name: getattr(found, name) for name in names},
                "terms": None
                if terms is None
                else [{**dict(as_part(one)), "label": found.labels[one.key]} for one in parts],
                "rest_of_terms": None if terms is None else terms.rest,
                "regions": None
                if regions is None
                else [
                    {
                        **dict(as_part(one.part)),
                        **{
                            name: getattr(one, name)
                            for name in ("name", "file", "body", "term", "is_program")
                        },
                    }
                    for one in found.regions
                ],
                "rest_of_regions": None if regions is None else regions.rest,
                "commits": [{"revision": one.place, "touches": one.moved} for one in commits],
            }
        )


@router.get("/systems/{system}/series/{series}/step", response=StepAnswer, summary="What a step is made of")
def step(request: HttpRequest, system: Slug, series: Id, wanted: Query[StepQuery]) -> StepAnswer:
    """The step of a history between two revisions, split into terms and into regions, as far as runs tell."""
    if bool(wanted.before) != bool(wanted.after):
        raise Refused("name both revisions, before and after, or none for the last change")
    access = reading(request, system)
    history = get_history(system=access.system, series_id=series)
    if wanted.before:
        found = explain_step(
            system=access.system, series=history.series, before=wanted.before, after=wanted.after
        )
    elif history.changes:
        found = explain_change(system=access.system, history=history, change=last_change(history.changes))
    else:
        raise Refused("the history has no change: name two revisions, before and after")
    return StepAnswer.of(found, touched_commits(access=access, found=found))
