"""What people say of changes, note at revisions, and mark of runs; each can be taken back."""

from typing import Annotated
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from dashboard.access import Access, Refused
from dashboard.api.callers import reading, writing
from dashboard.api.findings import ChangeState
from dashboard.api.histories import AnnotationAnswer
from dashboard.api.rows import ApiRow, Id, Page, Paging, Slug, Words
from dashboard.selectors.histories.annotations import load_annotations
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.triaged import named_change
from dashboard.selectors.history_list.findings import named_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.triage import owners_of
from dashboard.services.annotations import annotate, remove_annotation
from dashboard.services.run_validity import mark_invalid, restore
from dashboard.services.triage import TriageWords, triage_changes, undo_triage

router = Router(tags=["Triage"])
_MOST_RUNS = 5_000
ChangeName = Annotated[str, Field(pattern=r"^[0-9a-f]{64}-\d{1,18}-\d{1,18}-[01][01]$")]
Note = Annotated[str, Field(max_length=4000, pattern=r"^[^\x00]*$")]
RunIds = Annotated[list[Id], Field(min_length=1, max_length=_MOST_RUNS)]


class TriageRequest(Schema):
    """What is said of a change; what is left out stays as it was, blank text takes it away."""

    state: ChangeState | None = None
    owner: Words | None = Field(None, description="the account of a member of the system")
    note: Note | None = None
    link: Words | None = None

    def words(self, access: Access) -> TriageWords:
        """As the service takes it. Raises `Refused` for an owner who is no member."""
        owner_id = 0 if self.owner == "" else None
        if self.owner:
            members = {name: pk for pk, name in owners_of(access)}
            if self.owner not in members:
                raise Refused(f"{self.owner!r} is no member of the system: give them a role first")
            owner_id = members[self.owner]
        return TriageWords(self.state, owner_id, self.note, self.link)


class StatementAnswer(ApiRow):
    """What was said in one action, of so many changes; `action` takes it back."""

    action: UUID
    changes: int


class AnnotationRequest(Schema):
    """What there is to know at a revision, or from it to a last one; of one series where that is given."""

    kind: Words = Field(description="`benchmark`, `machine`, `release` or `note`")
    first: Words
    last: Words = ""
    text: Words
    link: Words = ""
    series_id: Id | None = None


class InvalidRequest(Schema):
    """Runs that are to count nowhere any more, and why."""

    run_ids: RunIds
    reason: Words


class RunsRequest(Schema):
    """Runs that are to count again."""

    run_ids: RunIds


class AnnotationNumberAnswer(ApiRow):
    """The number of a new annotation."""

    annotation_id: int


class CountAnswer(ApiRow):
    """How many were changed by it."""

    changed: int


@router.post(
    "/systems/{system}/findings/{finding}/triage", response=StatementAnswer, summary="Say what a finding is"
)
def triage_finding(
    request: HttpRequest, system: Slug, finding: ChangeName, said: TriageRequest, *, beside: bool = False
) -> StatementAnswer:
    """Of all its histories; with `beside` of all findings at its revision."""
    access = writing(request, system)
    named = named_changes(access.system, HistoryQuery(state="all"), finding, beside=beside)
    action = triage_changes(access=access, changes=named, words=said.words(access))
    return StatementAnswer(action=action, changes=len(named))


@router.post(
    "/systems/{system}/changes/{change}/triage", response=StatementAnswer, summary="Say what a change is"
)
def triage_change(
    request: HttpRequest, system: Slug, change: ChangeName, said: TriageRequest
) -> StatementAnswer:
    """Of one history alone."""
    access = writing(request, system)
    named = [named_change(access.system, change)]
    action = triage_changes(access=access, changes=named, words=said.words(access))
    return StatementAnswer(action=action, changes=len(named))


@router.post(
    "/systems/{system}/triage/{action}/undo", response=CountAnswer, summary="Take back what was said"
)
def take_back(request: HttpRequest, system: Slug, action: UUID) -> CountAnswer:
    """Where nobody said anything since."""
    return CountAnswer(changed=undo_triage(access=writing(request, system), action=action))


@router.get(
    "/systems/{system}/annotations", response=Page[AnnotationAnswer], summary="What is noted at revisions"
)
def annotations(request: HttpRequest, system: Slug, paging: Query[Paging]) -> Page[AnnotationAnswer]:
    """By their place in the order of revisions; those of single histories are among them."""
    of = reading(request, system).system
    found = load_annotations(of, ordered_revisions(system=of))
    rows = [*found.whole, *(row for own in found.own.values() for row in own)]
    return paging.of(sorted(rows, key=lambda row: (row.first.position, row.annotation_id)), AnnotationAnswer)


@router.post(
    "/systems/{system}/annotations",
    response={201: AnnotationNumberAnswer},
    summary="Note something at revisions",
)
def note(request: HttpRequest, system: Slug, said: AnnotationRequest) -> Status[AnnotationNumberAnswer]:
    """Histories begin a new level where the benchmark was changed."""
    made = annotate(access=writing(request, system), **said.model_dump())
    return Status(201, AnnotationNumberAnswer(annotation_id=made))


@router.delete(
    "/systems/{system}/annotations/{annotation}", response={204: None}, summary="Take an annotation away"
)
def forget(request: HttpRequest, system: Slug, annotation: Id) -> Status[None]:
    """For all who see the system."""
    remove_annotation(access=writing(request, system), annotation_id=annotation)
    return Status(204, None)


@router.post("/systems/{system}/runs/invalidate", response=CountAnswer, summary="Mark runs invalid")
def invalidate_runs(request: HttpRequest, system: Slug, said: InvalidRequest) -> CountAnswer:
    """They count nowhere any more; their measurements are kept."""
    access = writing(request, system)
    return CountAnswer(changed=mark_invalid(access=access, run_ids=said.run_ids, reason=said.reason))


@router.post("/systems/{system}/runs/restore", response=CountAnswer, summary="Let runs count again")
def restore_runs(request: HttpRequest, system: Slug, said: RunsRequest) -> CountAnswer:
    """Those that were marked invalid."""
    return CountAnswer(changed=restore(access=writing(request, system), run_ids=said.run_ids))
