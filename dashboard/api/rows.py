"""What all answers are made of: rows read from what selectors give, numbers, and lists page by page."""

from collections.abc import Sequence
from datetime import datetime
from math import isfinite
from typing import Annotated, Any, Generic, TypeVar

from annotated_types import Ge, Le
from ninja import Schema
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

_MOST_ROWS = 500
_LARGEST_ID = 2**63 - 1

Number = Annotated[
    float | None, BeforeValidator(lambda value: value if value is not None and isfinite(value) else None)
]
Slug = Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]{1,80}$", description="what addresses call the system")]
Id = Annotated[int, Ge(1), Le(_LARGEST_ID)]
# No database takes a character of value 0 in a text.
Words = Annotated[str, Field(max_length=400, pattern=r"^[^\x00-\x1f]*$")]


class ApiRow(BaseModel):
    """A row of an answer, read from the attributes of what a selector gave."""

    model_config = ConfigDict(from_attributes=True)


RowT = TypeVar("RowT", bound=ApiRow)


class Page(BaseModel, Generic[RowT]):
    """Some rows of a list whose order stays; `total` is how many there are in all."""

    total: int
    rows: list[RowT]


class Paging(Schema):
    """Which rows of a list are wanted."""

    limit: Annotated[int, Ge(1), Le(_MOST_ROWS), Field(description="how many rows at most")] = 100
    offset: Annotated[
        int, Ge(0), Le(2**31 - 1), Field(description="how many rows before them are left out")
    ] = 0

    def of(self, rows: Sequence[Any], kind: type[RowT]) -> Page[RowT]:
        """These of all rows, each as a row of this kind."""
        wanted = rows[self.offset : self.offset + self.limit]
        return Page(total=len(rows), rows=[kind.model_validate(row) for row in wanted])


class EstimateAnswer(ApiRow):
    """A value in the metric's unit with its 95 % interval; null where nothing tells it."""

    value: Number
    margin: Number
    low: Number
    high: Number


class RevisionAnswer(ApiRow):
    """A revision at its place in the order of revisions; an unmerged one is at that of its base, which its branch left.

    `tags` name its commit; `released_in` is the first release that holds it, "" where none is known.
    """

    name: str
    position: int
    commit: str
    message: str
    author: str
    released_at: datetime | None
    base: str
    tags: list[str]
    released_in: str

    @field_validator("tags", mode="before")
    @classmethod
    def _apart(cls, value: object) -> object:
        return value.split() if isinstance(value, str) else value
