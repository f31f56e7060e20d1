"""The API's operations under one roof, each behind a token, and their OpenAPI document."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, wraps
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.renderers import JSONRenderer

from dashboard.api import (
    alerts,
    findings,
    histories,
    imports,
    jobs,
    machine_jobs,
    machines,
    models,
    reports,
    runs,
    steps,
    systems,
    triage,
)
from dashboard.api.callers import Token
from dashboard.api.problems import MEDIA_TYPE, Problem, problem, register, tell_unknown

PREFIX = "/api/v1/"


class _StrictJson(JSONRenderer):
    """JSON as its standard has it: a number that is none is a fault of ours, not `NaN` in the answer."""

    json_dumps_params: Mapping[str, Any] = {"allow_nan": False, "ensure_ascii": False}


class _Api(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """An operation is called as its function."""
        return operation.view_func.__name__


api = _Api(
    title="Perfatlas",
    version="1",
    description="Options, code and history of programs' performance: what the pages show and what commands start.",
    openapi_url=None,
    docs_url=None,
    auth=Token(),
    renderer=_StrictJson(),
    urls_namespace="api",
)
register(api)
_MODULES = (systems, models, histories, steps, findings, triage, alerts, jobs, runs, reports, imports)
for _module in (*_MODULES, machines, machine_jobs):
    api.add_router("", _module.router)


@lru_cache(maxsize=1)
def document() -> dict[str, Any]:
    """The OpenAPI document of all operations; any of them may answer with a problem."""
    found: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix=PREFIX)))
    schema = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    found["components"]["schemas"] |= {**schema.pop("$defs"), "Problem": schema}
    said = {
        "description": "Problem",
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in found["paths"].values():
        for operation in operations.values():
            operation["responses"] |= {"4XX": said, "5XX": said}
    return found


@require_GET
def show_document(_request: HttpRequest) -> HttpResponse:
    """The OpenAPI document, for everybody: it tells of no data."""
    return HttpResponse(json.dumps(document()), "application/json")


def _guarded(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """A view of ninja whose answers are kept nowhere, and which tells a wrong method in the shape of all errors."""

    @csrf_exempt  # a request acts by its token alone: a browser sends none by itself
    @wraps(view)
    def answer(request: HttpRequest, **named: Any) -> HttpResponseBase:
        response = view(request, **named)
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            allowed = response["Allow"]
            detail = f"{request.method} is not possible here, but {allowed}"
            response = problem(HTTPStatus.METHOD_NOT_ALLOWED, detail, headers={"Allow": allowed})
        response["Cache-Control"] = "no-store"
        return response

    return answer


def _patterns() -> Iterator[URLPattern]:
    yield path("openapi.json", show_document, name="openapi")
    for pattern in api.urls[0]:
        # Without an address is ninja's own page at the root, which is never there.
        if isinstance(pattern, URLPattern) and pattern.callback is not None and str(pattern.pattern):
            pattern.callback = _guarded(pattern.callback)
            yield pattern
    yield re_path(r"^.*$", tell_unknown)


urls = (list(_patterns()), "api")
