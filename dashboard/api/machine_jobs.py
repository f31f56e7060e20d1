"""What a machine does with its own secret: say what it may measure, take a job, and send what came of it."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import File, Header, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from dashboard.api.callers import MachineToken
from dashboard.api.rows import ApiRow
from dashboard.services.machines.claims import How, Stop, TakenJob, beat, end, receive_runs, take
from dashboard.services.machines.registry import OfferedSubject, announce

router = Router(tags=["Machines"], auth=MachineToken())
_CLAIM = r"^[!-~]{1,120}$"
Claim = Annotated[str, Field(pattern=_CLAIM, description="as it came with the job")]
ClaimKey = Annotated[str, Header(pattern=_CLAIM, alias="Idempotency-Key", description="the claim of the job")]
Told = Annotated[str, Field(max_length=4000, pattern=r"^[^\x00]*$")]


class SubjectsRequest(Schema):
    """All subjects that are registered on the machine."""

    subjects: list[OfferedSubject] = Field(max_length=100)


class OfferedAnswer(ApiRow):
    """A subject, and why the machine gets no job of it; blank where it does."""

    name: str
    refusal: str


class SubjectsAnswer(ApiRow):
    """What became of each subject."""

    subjects: list[OfferedAnswer]


class HeartbeatRequest(Schema):
    """How a job gets on."""

    claim: Claim
    progress: Annotated[float, Field(ge=0, le=1)] = 0.0
    message: Told = ""
    lines: list[Told] = Field([], max_length=200, description="new lines for the job's log")


class HeartbeatAnswer(ApiRow):
    """Whether the job is to stop."""

    stop: Stop


class EndRequest(Schema):
    """How a job ended of which no runs are sent."""

    claim: Claim
    how: How
    message: Told = ""


class StoredAnswer(ApiRow):
    """The job that stores the runs."""

    job_id: int


@router.put("/machine/subjects", response=SubjectsAnswer, summary="Say what the machine may measure")
def offer_subjects(request: HttpRequest, wanted: SubjectsRequest) -> SubjectsAnswer:
    """They take the place of those that it said before."""
    answers = announce(machine=_machine(request), subjects=wanted.subjects)
    return SubjectsAnswer(subjects=[OfferedAnswer(name=name, refusal=why) for name, why in answers])


@router.post("/machine/take", response={200: TakenJob, 204: None}, summary="Take the next job")
def take_job(request: HttpRequest) -> Status[TakenJob | None]:
    """The oldest that is for the machine's environments, claimed for half a minute; nothing where none waits or it is paused."""
    found = take(machine=_machine(request))
    return Status(204, None) if found is None else Status(200, found)


@router.post("/machine/beat", response=HeartbeatAnswer, summary="Say how a job gets on")
def beat_job(request: HttpRequest, told: HeartbeatRequest) -> HeartbeatAnswer:
    """The claim is renewed; one that was lost is told by 409."""
    stop = beat(machine=_machine(request), **told.model_dump())
    return HeartbeatAnswer(stop=stop)


@router.post("/machine/end", response={204: None}, summary="Give a job up")
def end_job(request: HttpRequest, told: EndRequest) -> Status[None]:
    """It failed, stopped as it was asked to, or goes back to the queue (`released`)."""
    end(machine=_machine(request), **told.model_dump())
    return Status(204, None)


@router.post(
    "/machine/runs", response={202: StoredAnswer}, url_name="send_runs", summary="Send what a job measured"
)
def send_runs(
    request: HttpRequest, file: File[UploadedFile], idempotency_key: ClaimKey
) -> Status[StoredAnswer]:
    """A bundle of one batch, the runs that were asked for and nothing else. Sent again under one claim it is stored once."""
    job_id = receive_runs(
        machine=_machine(request), claim=idempotency_key, name=file.name or "", parts=file.chunks()
    )
    return Status(202, StoredAnswer(job_id=job_id))


def _machine(request: HttpRequest) -> Any:
    """The machine whose secret came with a request."""
    return request.auth  # type: ignore[attr-defined] # ninja sets it to what `MachineToken` found
