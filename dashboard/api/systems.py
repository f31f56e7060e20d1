"""Systems: which ones the caller sees, and what was measured of each."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, Generic, Self, TypeVar

from annotated_types import Ge, Le
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import BaseModel, ConfigDict, Field

from dashboard.api.callers import caller
from dashboard.selectors.systems import SystemRow, list_systems

router = Router(tags=["Systems"])
_MOST_ROWS = 500


class ApiRow(BaseModel):
    """A row of an answer, read from the attributes of what a selector gave."""

    model_config = ConfigDict(from_attributes=True)


RowT = TypeVar("RowT", bound=ApiRow)


class Paging(Schema):
    """Which rows of a list are wanted."""

    limit: Annotated[int, Ge(1), Le(_MOST_ROWS), Field(description="how many rows at most")] = 100
    offset: Annotated[
        int, Ge(0), Le(2**31 - 1), Field(description="how many rows before them are left out")
    ] = 0

    def of(self, rows: Sequence[Any]) -> Sequence[Any]:
        """These of all rows."""
        return rows[self.offset : self.offset + self.limit]


class Page(BaseModel, Generic[RowT]):
    """Some rows of a list whose order stays; `total` is how many there are in all."""

    total: int
    rows: list[RowT]


class MeasuredRow(ApiRow):
    """What was measured of a system; runs marked invalid do not count. `at` is when the last run started."""

    revisions: int
    configurations: int
    workloads: int
    runs: int
    failed: int
    at: datetime | None


class SystemAnswer(ApiRow):
    """A system: `slug` is what addresses call it."""

    slug: str
    name: str
    description: str
    options: int
    regions: int
    measured: MeasuredRow

    @classmethod
    def of(cls, row: SystemRow) -> Self:
        """The answer for a row of the list."""
        return cls(
            slug=row.system.slug,
            name=row.system.name,
            description=row.system.description,
            options=row.options,
            regions=row.regions,
            measured=MeasuredRow.model_validate(row.measured),
        )


@router.get("/systems", response=Page[SystemAnswer], summary="Systems that you may see, by name")
def systems(request: HttpRequest, paging: Query[Paging]) -> Page[SystemAnswer]:
    """Each with what was measured of it."""
    rows = list_systems(principal=caller(request))
    return Page(total=len(rows), rows=[SystemAnswer.of(row) for row in paging.of(rows)])
