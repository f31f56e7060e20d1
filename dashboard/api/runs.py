"""Runs: single executions, with what they printed and why some do not count."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from dashboard.api.callers import reading
from dashboard.api.rows import ApiRow, Id, Number, Page, Paging, Slug, Words
from dashboard.selectors.configurations import find_configuration
from dashboard.selectors.releases import revision_called
from dashboard.selectors.runs import RunFilter, list_runs

router = Router(tags=["Runs"])


class RunQuery(Schema):
    """Which runs are wanted."""

    revision: Words = ""
    configuration: Words = Field("", description="`default`, `a=on,b=off`, or the name of a configuration")
    batch: Id | None = None
    failed: bool = False
    invalid: bool = False


class RunAnswer(ApiRow):
    """One execution and the ids that it is stored under; times in seconds, null where none was stored.

    `slower` is how much longer reference runs beside it took than usual, a share. One with an `invalid_reason` counts nowhere.
    """

    run_ids: list[int]
    batch_id: int
    revision: str
    configuration: str
    workload: str
    environment: str
    repetition: int
    kinds: list[str]
    status: str
    message: str
    output: str
    started_at: datetime | None
    wall_seconds: Number
    cpu_seconds: Number
    slower: Number
    invalid_reason: str
    invalidated_by: str


@router.get("/systems/{system}/runs", response=Page[RunAnswer], summary="Runs of a system")
def runs(
    request: HttpRequest, system: Slug, wanted: Query[RunQuery], paging: Query[Paging]
) -> Page[RunAnswer]:
    """The newest batches first. `limit`, `offset` and `total` count stored runs: a profiled one may share a row with a plain one."""
    access, written = reading(request, system), wanted.configuration
    asked = RunFilter(
        revision=revision_called(access.system, wanted.revision),
        configuration=find_configuration(access=access, written=written) if written else "",
        batch_id=wanted.batch,
        failed=wanted.failed,
        invalid=wanted.invalid,
    )
    rows, total = list_runs(access=access, wanted=asked, limit=paging.limit, offset=paging.offset)
    return Page(total=total, rows=[RunAnswer.model_validate(row) for row in rows])
