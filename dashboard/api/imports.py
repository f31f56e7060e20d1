"""Imports: a file of any known format, sent by a program, becomes a job."""

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import File, Form, Header, Router, Schema, Status
from ninja.errors import ValidationError
from ninja.files import UploadedFile
from pydantic import Field

from dashboard.api.callers import caller
from dashboard.api.jobs import JobAnswer
from dashboard.api.rows import Words
from dashboard.selectors.jobs import job_detail
from dashboard.services.imports.jobs import send_import

router = Router(tags=["Imports"])
Key = Annotated[str, Header(max_length=200, pattern=r"^[!-~]*$", alias="Idempotency-Key")]


class ImportForm(Schema):
    """What a file holds and where it belongs: as the arguments of `manage.py import`."""

    format: Words = Field(description="as `csv` or `bundle`; `manage.py import --list` names them")
    system: Words = Field(description="the system's name or address; it is made where there is none")
    settings: list[Words] = Field(
        [], description="settings of the format, as `map=A=option` for `--map A=option`"
    )

    @property
    def given(self) -> dict[str, tuple[str, ...]]:
        """The settings by name. Raises `ValidationError`."""
        found: dict[str, tuple[str, ...]] = {}
        for one in self.settings:
            name, equals, value = one.partition("=")
            if not equals:
                told = {"loc": ("body", "settings"), "msg": f"{one!r} is not written as NAME=VALUE"}
                raise ValidationError([told])
            found[name.strip()] = (*found.get(name.strip(), ()), value)
        return found


@router.post("/imports", response={202: JobAnswer}, url_name="send_file", summary="Import a file")
def send_file(
    request: HttpRequest,
    response: HttpResponse,
    form: Form[ImportForm],
    file: File[UploadedFile],
    idempotency_key: Key = "",
) -> Status[JobAnswer]:
    """The job that imports it. Sent again with the same key, the same file answers the same job; another one is refused.

    Files up to 2 MB are checked before the answer, larger ones by the job. All of a file comes in, or nothing.
    """
    principal = caller(request)
    job_id = send_import(
        principal=principal,
        name=file.name or "",
        parts=file.chunks(),
        format_name=form.format,
        system_name=form.system,
        given=form.given,
        key=idempotency_key,
    )
    response["Location"] = reverse("api:job", kwargs={"job": job_id})
    return Status(202, JobAnswer.model_validate(job_detail(principal=principal, job_id=job_id)))
