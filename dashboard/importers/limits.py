"""What the tables can hold: the longest texts, the largest numbers, the words that are known."""

import re
from hashlib import sha256
from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

# The longest texts and the largest whole number that the tables hold.
LONGEST = {
    "system": 120,
    "option": 120,
    "level": 120,
    "revision": 120,
    "commit": 64,
    "author": 120,
    "tag": 250,
    "order": 40,
    "configuration": 120,
    "workload": 120,
    "environment": 200,
    "metric": 40,
    "region key": 400,
    "region package": 200,
    "region name": 2000,
    "file": 400,
    "digest": 64,
    "batch format": 40,
    "batch source": 400,
    "message": 400,
    "correction": 80,
    "term": 400,
    "subject": 400,
    "benchmark version": 80,
    "feature model": 120,
}
LARGEST = 2**31 - 1
# Beyond, squares overflow and sums lose everything else: no measurement is that large.
FARTHEST = 1e100
_ADDRESS = re.compile(r"\S@\S")
# Control characters and ends of lines; and what turns the order of all that follows it on a screen, as U+202E.
_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def _without_address(author: str) -> str:
    if _ADDRESS.search(author):
        raise PydanticCustomError("author", "holds an address of e-mail: write the name alone")
    return author


def hidden_character(text: str) -> str:
    """The first character of a name that nobody sees and that changes what is seen, as `U+0007`; "" where there is none."""
    found = _HIDDEN.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""


Value = Annotated[float, Ge(-FARTHEST), Le(FARTHEST)]
Position = Annotated[int, Ge(0), Le(LARGEST)]
OptionName = Annotated[str, MinLen(1), MaxLen(LONGEST["option"])]
LevelLabel = Annotated[str, MinLen(1), MaxLen(LONGEST["level"])]
RevisionName = Annotated[str, MinLen(1), MaxLen(LONGEST["revision"])]
WorkloadName = Annotated[str, MinLen(1), MaxLen(LONGEST["workload"])]
RegionKey = Annotated[str, MinLen(1), MaxLen(LONGEST["region key"])]
Author = Annotated[str, MaxLen(LONGEST["author"]), AfterValidator(_without_address)]
Digest = Annotated[str, MinLen(1), MaxLen(LONGEST["digest"])]
Aggregator = Literal["median", "mean"]
Better = Literal["lower", "higher"]
Clock = Literal["wall", "cpu", "count", "none"]
Kind = Literal["plain", "profiled"]
Status = Literal["ok", "failed", "timeout", "killed"]
Scalar = bool | int | float | str


def shortened(text: str, longest: int, *, ellipsis: str = "_") -> str:
    """`text`, or its start with a mark of all of it, in at most `longest` characters: different texts stay different."""
    if len(text) <= longest:
        return text
    mark = f"{ellipsis}{sha256(text.encode()).hexdigest()[:8]}"
    return text[: longest - len(mark)] + mark
