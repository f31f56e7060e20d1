"""Machines: those that measure for this installation, registered and paused by their owners."""

from datetime import datetime

from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from dashboard.api.callers import caller
from dashboard.api.rows import ApiRow, Id, Page, Paging, Words
from dashboard.selectors.machines import list_machines
from dashboard.services.machines.registry import pause_machine, register_machine, remove_machine

router = Router(tags=["Machines"])


class MachineRequest(Schema):
    """How a new machine is called."""

    name: Words = Field(min_length=1, max_length=80)


class MeasuredAnswer(ApiRow):
    """A system that a machine measures; `is_same` says whether its subject is the one that is registered here."""

    system: str
    system_name: str
    environment: str
    environment_name: str
    is_same: bool


class MachineAnswer(ApiRow):
    """A machine; `job` is the title of what it measures now, blank for nothing. `seen_at` is null for one that never asked."""

    machine_id: int
    name: str
    owner: str
    is_own: bool
    paused: bool
    seen_at: datetime | None
    is_silent: bool
    job: str
    subjects: list[MeasuredAnswer]


class RegisteredAnswer(ApiRow):
    """A new machine with its secret, which is shown this once."""

    machine_id: int
    name: str
    secret: str


class PausedAnswer(ApiRow):
    """Whether a machine gets no further job."""

    machine_id: int = Field(validation_alias="pk")
    paused: bool


@router.get("/machines", response=Page[MachineAnswer], summary="Machines that you may see")
def machines(request: HttpRequest, paging: Query[Paging]) -> Page[MachineAnswer]:
    """Your own, and those that measure a system of yours, by name."""
    return paging.of(list_machines(principal=caller(request)), MachineAnswer)


@router.post("/machines", response={201: RegisteredAnswer}, summary="Register a machine")
def register(request: HttpRequest, wanted: MachineRequest) -> Status[RegisteredAnswer]:
    """Its secret opens jobs for its environments in systems that you may edit, and nothing else."""
    machine, secret = register_machine(principal=caller(request), name=wanted.name)
    return Status(201, RegisteredAnswer(machine_id=machine.pk, name=machine.name, secret=secret))


@router.post("/machines/{machine}/pause", response=PausedAnswer, summary="Pause a machine")
def pause(request: HttpRequest, machine: Id) -> PausedAnswer:
    """It gets no further job; what it measures now goes on."""
    return PausedAnswer.model_validate(
        pause_machine(principal=caller(request), machine_id=machine, paused=True)
    )


@router.post("/machines/{machine}/resume", response=PausedAnswer, summary="Let a machine go on")
def go_on(request: HttpRequest, machine: Id) -> PausedAnswer:
    """It gets jobs again."""
    return PausedAnswer.model_validate(
        pause_machine(principal=caller(request), machine_id=machine, paused=False)
    )


@router.delete("/machines/{machine}", response={204: None}, summary="Remove a machine")
def remove(request: HttpRequest, machine: Id) -> Status[None]:
    """Its secret opens nothing any more; what it measured stays, what it measures now waits for another machine."""
    remove_machine(principal=caller(request), machine_id=machine)
    return Status(204, None)
