"""What a report keeps of a view, and how it lies in the column `Report.payload`: nobody else reads or writes that."""

from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class ReportSection:
    """One part of a report: a finding, its figure, and the numbers behind it.

    `figure` is plotly's JSON form; `columns` are table heads with their units; `rows` hold numbers and texts.
    """

    finding: str
    explanation: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    figure: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class FrozenView:
    """What a view showed: the facts about its data, its sections, and the query string of the live view."""

    title: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[ReportSection, ...]
    address: str = ""

    def as_payload(self) -> dict[str, Any]:
        """The JSON to store; the title stands in a column of its own."""
        payload = asdict(self)
        del payload["title"]
        return payload


_FROZEN_VIEW = TypeAdapter(FrozenView)


def read_payload(title: str, payload: dict[str, Any]) -> FrozenView:
    """What `FrozenView.as_payload` wrote."""
    return _FROZEN_VIEW.validate_python({**payload, "title": title})
