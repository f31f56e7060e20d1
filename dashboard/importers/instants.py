"""Points in time as files write them: ISO 8601 with a time zone."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BeforeValidator


def read_instant(text: object) -> datetime:
    """The time that `text` writes, in UTC. Raises `ValueError` for anything but ISO 8601 with a time zone."""
    if not isinstance(text, str):
        raise ValueError("is no text")  # noqa: TRY004 -- the one error of this function
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        raise ValueError("has no time zone")
    try:
        return instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("is out of range") from None


def write_instant(value: datetime) -> str:
    """The text of a time."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


Instant = Annotated[
    datetime | None, BeforeValidator(lambda value: None if value is None else read_instant(value))
]
