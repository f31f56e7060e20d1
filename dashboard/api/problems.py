"""The one shape of all errors of the API: problem details (RFC 9457), with the places of what is wrong in a request."""

import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from pydantic import BaseModel

from dashboard.access import Forbidden, NotFound, Refused
from dashboard.outages import RETRY_SECONDS, remedy_of
from dashboard.selectors.computed_once import Busy
from dashboard.services.imports.errors import FileRefused
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.tokens import TokenRefused, TooManyTokens
from runner.errors import RunnerError

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
_RETRY_SECONDS = "300"
_BUSY_SECONDS = "60"


class FieldFault(BaseModel):
    """What is wrong at one place of a request: `query.limit`, `body.state`, `header.authorization`.

    In a file that was sent also where there, which value, and what to do; `line` counts from 1, 0 where no line is meant.
    """

    place: str
    message: str
    file: str = ""
    line: int = 0
    column: str = ""
    value: str = ""
    remedy: str = ""


class Problem(BaseModel):
    """Why a request was not answered. `title` is the same for each `status`, `detail` says what and what to do."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldFault]


def problem(
    status: HTTPStatus,
    detail: str,
    faults: Sequence[FieldFault] = (),
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """An answer in the shape of all errors."""
    told = Problem(type="about:blank", title=status.phrase, status=status, detail=detail, errors=list(faults))
    return HttpResponse(told.model_dump_json(), MEDIA_TYPE, status, headers=headers)


def tell_unknown(request: HttpRequest, **_: str) -> HttpResponse:
    """What is at an address below the API's at which there is nothing."""
    return problem(HTTPStatus.NOT_FOUND, f"there is nothing at {request.path}")


def register(api: NinjaAPI) -> None:
    """Have the API tell every exception in that shape."""
    for kind, tell in _TOLD.items():
        api.add_exception_handler(kind, tell)


def _unauthorized(_request: HttpRequest, error: Any) -> HttpResponse:
    if isinstance(error, TooManyTokens):
        return problem(HTTPStatus.TOO_MANY_REQUESTS, str(error), headers={"Retry-After": _RETRY_SECONDS})
    known = isinstance(error, TokenRefused)
    detail = str(error) if known else "send a token: Authorization: Bearer perfatlas_..."
    fault = FieldFault(place="header.authorization", message=detail)
    return problem(HTTPStatus.UNAUTHORIZED, detail, [fault], {"WWW-Authenticate": "Bearer"})


def _invalid(_request: HttpRequest, error: Any) -> HttpResponse:
    # The names of the function's parameters are no places of a request: `body.wanted.state` is `body.state`.
    faults = [
        FieldFault(place=".".join(str(part) for part in one["loc"]), message=one["msg"])
        for one in error.errors
    ]
    detail = "; ".join(f"{one.place}: {one.message}" for one in faults)
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, faults)


def _wrong_file(_request: HttpRequest, error: Any) -> HttpResponse:
    faults = [
        FieldFault(
            place="body.file",
            message=fault.problem,
            **{name: getattr(fault, name) for name in ("file", "line", "column", "value", "remedy")},
        )
        for fault in error.faults
    ]
    if not faults:
        faults = [FieldFault(place="body.settings" if error.setting else "body.file", message=str(error))]
    return problem(HTTPStatus.UNPROCESSABLE_ENTITY, str(error), faults)


def _unforeseen(request: HttpRequest, error: Any) -> HttpResponse:
    if (remedy := remedy_of(error)) is not None:
        return problem(HTTPStatus.SERVICE_UNAVAILABLE, remedy, headers={"Retry-After": RETRY_SECONDS})
    _log.error("%s %s failed", request.method, request.path, exc_info=error)
    return problem(
        HTTPStatus.INTERNAL_SERVER_ERROR, "something went wrong here; the log of the server says what"
    )


def _unreadable(_request: HttpRequest, error: Any) -> HttpResponse:
    return problem(HTTPStatus.BAD_REQUEST, f"the request cannot be read: {error}")


_TOLD: dict[type[Exception], Any] = {
    Exception: _unforeseen,
    # What Django makes of a form before anybody asked for it: too many fields, no sound parts.
    SuspiciousOperation: _unreadable,
    MultiPartParserError: _unreadable,
    AuthenticationError: _unauthorized,
    TokenRefused: _unauthorized,
    ValidationError: _invalid,
    HttpError: lambda _request, error: problem(HTTPStatus(error.status_code), str(error)),
    Http404: lambda request, _error: tell_unknown(request),
    NotFound: lambda _request, error: problem(HTTPStatus.NOT_FOUND, str(error)),
    Forbidden: lambda _request, error: problem(HTTPStatus.FORBIDDEN, str(error)),
    FileRefused: _wrong_file,
    RequestInvalid: lambda _request, error: problem(
        HTTPStatus.UNPROCESSABLE_ENTITY,
        str(error),
        [FieldFault(place=f"body.{error.field}", message=str(error))],
    ),
    RunnerError: lambda _request, error: problem(HTTPStatus.CONFLICT, str(error)),
    Refused: lambda _request, error: problem(HTTPStatus.CONFLICT, str(error)),
    Busy: lambda _request, error: problem(
        HTTPStatus.SERVICE_UNAVAILABLE, str(error), headers={"Retry-After": _BUSY_SECONDS}
    ),
}
