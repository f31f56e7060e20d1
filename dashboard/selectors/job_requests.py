"""The one way from a typed request to `Job.parameters` and back: each kind of job has one frozen request class."""

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import TypeAdapter

Request = TypeVar("Request")


def stored_request(request: object) -> dict[str, Any]:
    """The fields of a request (a dataclass) as JSON, for `Job.parameters`."""
    adapter: TypeAdapter[Any] = TypeAdapter(type(request))
    found: dict[str, Any] = adapter.dump_python(request, mode="json")
    return found


def read_request(request_type: type[Request], parameters: Mapping[str, Any]) -> Request:
    """The request that a job's parameters hold; fields that an earlier version did not store have their defaults.

    Raises `pydantic.ValidationError` for parameters of another kind of job.
    """
    return TypeAdapter(request_type).validate_python(parameters)
