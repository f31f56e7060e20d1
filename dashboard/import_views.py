"""Importing in the browser: upload a file, map its columns or give its settings, and let a job import it."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from dashboard.access import AccessError, Principal, Refused
from dashboard.import_forms import (
    TOLD,
    choices,
    entered,
    in_the_form,
    mapping_form,
    mark_faults,
    mark_role,
    settings_fields,
)
from dashboard.importers.errors import ImporterError, InvalidBundle, InvalidSetting
from dashboard.importers.preview import most_repetitions, preview_file, preview_table
from dashboard.importers.registry import FORMATS
from dashboard.selectors.jobs import job_detail
from dashboard.services.imports.importing import find_target
from dashboard.services.imports.jobs import (
    ImportRequest,
    cancel_import,
    start_import,
    upload_to_try_again,
)
from dashboard.services.imports.uploads import (
    Upload,
    drop_upload,
    find_upload,
    receive_upload,
    settle_format,
)
from dashboard.uploads import MAX_UPLOAD

_LIMIT = f"{MAX_UPLOAD >> 20} MB"


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def choose(request: HttpRequest) -> HttpResponse:
    """Choose a format, a file and a system; the file goes to the folder of uploads."""
    values = {"format": TOLD, "system": request.GET.get("system", "")}
    errors: dict[str, str] = {}
    if request.method == "POST":
        values = {name: request.POST.get(name, "").strip() for name in values}
        upload = _receive(request, values, errors)
        if upload is not None:
            return redirect("import-file", token=upload.token)
    about = {"values": values, "errors": errors, "formats": choices(), "limit": _LIMIT}
    status = HTTPStatus.BAD_REQUEST if errors else HTTPStatus.OK
    return render(request, "import_choose.html", about, status=status)


def _receive(request: HttpRequest, values: dict[str, str], errors: dict[str, str]) -> Upload | None:
    """The uploaded file; None, with what is wrong at which field, where it cannot be taken."""
    principal = _principal(request)
    file = request.FILES.get("file")
    if values["format"] not in {*FORMATS, TOLD}:
        errors["format"] = "Choose what the file holds."
    try:
        find_target(principal, values["system"])
    except (Refused, AccessError) as error:
        errors["system"] = str(error)
    if file is None:
        errors["file"] = f"Choose a file of at most {_LIMIT}."
    if errors or file is None:
        return None
    try:
        upload = receive_upload(
            principal=principal,
            name=file.name or "",
            parts=file.chunks(),
            format_name=values["format"],
            system_name=values["system"],
        )
        return settle_format(upload) if upload.format_name == TOLD else upload
    except Refused as error:
        errors["file"] = str(error)
        return None


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Say what the columns or settings of a file are, look at what would come in, and start the job."""
    upload = _found(lambda: find_upload(principal=_principal(request), token=token))
    given = entered(FORMATS[upload.format_name], request.POST)
    about: dict[str, Any] = {"upload": upload, "title": FORMATS[upload.format_name].title, "error": ""}
    try:
        if upload.format_name == "csv":
            about["table"], chosen = mapping_form(upload.path, given, request.POST)
            given = {**given, "map": chosen}
        found = None
        if upload.format_name == "csv":
            found = preview_table(path=upload.path, given=given)
        elif upload.is_checked_at_once:
            found = preview_file(format_name=upload.format_name, path=upload.path, given=given)
        if request.method == "POST" and "start" in request.POST:
            job_id = start_import(principal=_principal(request), token=token, given=given)
            return redirect("import-job", job_id=job_id)
        about["preview"] = found
        about["repetitions"] = most_repetitions(found.records) if found else 0
    except InvalidBundle as error:
        about["error"] = "The file cannot be imported like this."
        about["lines"] = [in_the_form(line) for line in error.lines()]
        mark_faults(about.get("table"), error)
    except InvalidSetting as error:
        column = mark_role(about.get("table"), error)
        about["error"] = f"{column}: {error.problem}." if column else in_the_form(str(error))
        about["setting"] = error.setting
    except (ImporterError, Refused, AccessError) as error:
        about["error"] = in_the_form(str(error))
    about["fields"] = settings_fields(FORMATS[upload.format_name], request.POST, about.get("setting", ""))
    status = HTTPStatus.BAD_REQUEST if about["error"] and request.method == "POST" else HTTPStatus.OK
    return render(request, "import_confirm.html", about, status=status)


@never_cache
@login_required
@require_GET
def follow(request: HttpRequest, job_id: int) -> HttpResponse:
    """How an import gets on, and what came of it."""
    job = _found(lambda: job_detail(principal=_principal(request), job_id=job_id))
    if job.kind != ImportRequest.kind:
        raise Http404(f"job {job_id} is no import")
    percent = round(100 * job.progress)
    upload = upload_to_try_again(principal=_principal(request), job_id=job_id)
    about = {"job": job, "result": job.result, "percent": percent, "token": upload.token if upload else ""}
    return render(request, "import_job.html", about)


@login_required
@require_POST
def cancel(request: HttpRequest, job_id: int) -> HttpResponse:
    """Stop an import: nothing of it stays."""
    _found(lambda: cancel_import(principal=_principal(request), job_id=job_id))
    return redirect("import-job", job_id=job_id)


@login_required
@require_POST
def discard(request: HttpRequest, token: str) -> HttpResponse:
    """Take an upload away that is not to be imported, for another one."""
    upload = _found(lambda: find_upload(principal=_principal(request), token=token))
    drop_upload(upload.token)
    return redirect("import")


def _found(read: Callable[[], Any]) -> Any:
    """What `read` gives; a page that says there is nothing where the person may not see it."""
    try:
        return read()
    except AccessError as error:
        raise Http404(str(error)) from None


def _principal(request: HttpRequest) -> Principal:
    return Principal.of_account(request.user)
