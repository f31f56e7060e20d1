"""All operations of the API by the application's own list, with what each is asked for in tests."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from dashboard.api.application import document


class Operation(NamedTuple):
    """One operation: `path` is below `/api/v1`, `query` what it needs there, `body` what is sent to it."""

    name: str
    method: str
    path: str
    query: str = ""

    def address(self, places: Mapping[str, str]) -> str:
        """Where it is called, of the system whose things these are. A new name in braces says there what it means."""
        return (self.path + self.query).format(**places)

    @property
    def is_of_a_system(self) -> bool:
        """Whether its address names something that belongs to one system."""
        return "{" in self.path


# What must be asked for beyond the address; an operation that needs something says so here.
_QUERIES: dict[str, str] = {"regions_of_term": "?term=A"}
OPERATIONS = tuple(
    Operation(
        about["operationId"],
        method.upper(),
        path.removeprefix("/api/v1"),
        _QUERIES.get(about["operationId"], ""),
    )
    for path, methods in document()["paths"].items()
    for method, about in methods.items()
)


def named(operation: Operation) -> str:
    """What a test of an operation is called by."""
    return operation.name


def listed(answer: Any) -> Any:
    """The rows of an answer that is a page; None of another one."""
    found = answer.json()
    return found.get("rows") if isinstance(found, dict) and "total" in found else None
