"""Each request has a name, which its answer and the lines of the log hold; how long it took is counted."""

import logging
import re
import secrets
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from prometheus_client import Histogram

from dashboard.logs import request_id
from dashboard.turns import PutBack

_log = logging.getLogger(__name__)

HEADER = "X-Request-ID"
# What a proxy may have named the request.
_NAME = re.compile(r"[A-Za-z0-9_.-]{8,31}")
REQUEST_SECONDS = Histogram(
    "perfatlas_http_request_seconds",
    "How long requests took, by method, address pattern and status.",
    ("method", "route", "status"),
    registry=None,
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
)
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def name_requests(answer: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware, the outermost: names the request, times it, and logs it as a line of level INFO.

    The line has the pattern of the address, as `r/<str:token>/`: neither tokens nor queries.
    """

    def named(request: HttpRequest) -> HttpResponse:
        said = request.headers.get(HEADER, "")
        name = said if _NAME.fullmatch(said) else secrets.token_hex(8)
        # Not taken back: Django logs what failed after all middleware. The thread's next request has a name of its own.
        request_id.set(name)
        began = time.perf_counter()
        response = answer(request)
        seconds = time.perf_counter() - began
        if isinstance(response, PutBack):
            return response
        response[HEADER] = name
        match = request.resolver_match
        route = match.route if match is not None else "(none)"
        method = request.method if request.method in _METHODS else "(other)"
        REQUEST_SECONDS.labels(method, route, response.status_code).observe(seconds)
        _log.info("%s /%s %d in %.0f ms", method, route, response.status_code, 1000 * seconds)
        return response

    return named
