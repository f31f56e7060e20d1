"""Registering machines, pausing them and taking them away; what each of them may measure, as it says itself."""

import secrets
from collections.abc import Iterable, Sequence
from typing import Annotated

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from pydantic import BaseModel, ConfigDict, Field

from dashboard.access import Forbidden, Permission, Principal, Refused, permission_of, seen_by
from dashboard.models import Machine, MachineSubject, Subject, System
from dashboard.selectors.machines import find_machine, held_jobs
from dashboard.services import audit
from dashboard.services.jobs.leases import requeued
from dashboard.services.jobs.queueing import stop_if_asked
from dashboard.services.logins import digest
from dashboard.services.plain_lines import check_line
from dashboard.services.tokens import PREFIX, TokenRefused, refuse_unknown, remember_owner
from runner.fingerprints import MachineFingerprint

MOST_OF_A_USER = 50
_LONGEST_NAME = 80
_Text = Annotated[str, Field(max_length=200, pattern=r"^[^\x00-\x1f]*$")]


class Fingerprint(BaseModel):
    """The fields of `MachineFingerprint`, as a machine says them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    processor: _Text
    architecture: _Text
    cores: Annotated[int, Field(ge=1, le=100_000)]
    memory_gigabytes: Annotated[int, Field(ge=0, le=10_000_000)]
    operating_system: _Text
    kernel: _Text
    interpreter: _Text
    settings: Annotated[tuple[tuple[_Text, _Text], ...], Field(max_length=1000)]


class OfferedSubject(BaseModel):
    """A subject that is registered on a machine: its name, the digest of its folder, and where its times would belong to."""

    model_config = ConfigDict(frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=120, pattern=r"^[^\x00-\x1f]*$")]
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{1,64}$")]
    environment: Fingerprint


def register_machine(*, principal: Principal, name: str) -> tuple[Machine, str]:
    """A machine of the acting user, and its secret, which is stored only as its hash.

    Raises `Refused` for a name that cannot be, and `Forbidden` for who may edit no system, and by a token of one system.
    """
    _check_scope(principal)
    name = name.strip()
    owner = User.objects.filter(pk=principal.user_id or 0, is_active=True).first()
    if owner is None:
        raise Refused("a machine belongs to an account: register it with a token of yours")
    if not _edited(principal, System.objects.filter(seen_by(principal), visible=True)):
        raise Forbidden(
            "a machine measures for systems that its owner may edit, and you may edit none by this token"
        )
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise Refused(f"name: a machine's name has 1 to {_LONGEST_NAME} characters")
    check_line(name, "name: it")
    if Machine.objects.filter(owner=owner).count() >= MOST_OF_A_USER:
        raise Refused(f"you have {MOST_OF_A_USER} machines: remove one first")
    secret = f"{PREFIX}machine_{secrets.token_urlsafe(32)}"
    with transaction.atomic():
        machine, is_new = Machine.objects.get_or_create(
            owner=owner, name=name, defaults={"token_digest": digest(secret)}
        )
        if not is_new:
            raise Refused(f"name: you have a machine {name!r} already: remove it, or choose another name")
        audit.record(principal, "register machine", "", machine=machine.pk, name=name)
    return machine, secret


def pause_machine(*, principal: Principal, machine_id: int, paused: bool) -> Machine:
    """Let a machine have no further job, or have jobs again; what it measures now goes on. Raises `NotFound` and `Forbidden`."""
    machine = _own_machine(principal, machine_id)
    if Machine.objects.filter(pk=machine.pk).exclude(paused=paused).update(paused=paused):
        verb = "pause machine" if paused else "resume machine"
        audit.record(principal, verb, "", machine=machine.pk, name=machine.name)
    machine.paused = paused
    return machine


def remove_machine(*, principal: Principal, machine_id: int) -> str:
    """Take a machine away; its name. What it measures now waits for another one. Raises `NotFound` and `Forbidden`."""
    machine = _own_machine(principal, machine_id)
    with transaction.atomic():
        held = list(held_jobs(machine.pk))
        held_jobs(machine.pk).update(**requeued(timezone.now()))
        for job in held:
            stop_if_asked(job)
        audit.record(principal, "remove machine", "", machine=machine.pk, name=machine.name)
        machine.delete()
    return machine.name


def machine_of_secret(*, secret: str, address: str) -> Machine:
    """The machine that acts by a secret, which was seen just now. Raises `TokenRefused`. One query and one write."""
    machine = (
        Machine.objects.select_related("owner").filter(token_digest=digest(secret)).first()
        if secret.startswith(PREFIX)
        else None
    )
    if machine is None:
        refuse_unknown(
            secret, address, "this machine is unknown: register it by `manage.py machine register`"
        )
    if not machine.owner.is_active:
        raise TokenRefused("the account of this machine's owner is locked")
    remember_owner(secret, machine.owner_id)
    Machine.objects.filter(pk=machine.pk).update(seen_at=timezone.now())
    return machine


def announce(*, machine: Machine, subjects: Sequence[OfferedSubject]) -> tuple[tuple[str, str], ...]:
    """Keep what the machine may measure from now on; each name with why it may not, "" where it may."""
    known = {one.name: one for one in Subject.objects.select_related("system")}
    answers, rows = [], {}
    for offered in subjects:
        here = known.get(offered.name)
        if here is None or not owner_may_edit(machine, here.system):
            answers.append(
                (offered.name, "no subject of this name is registered there of a system that you may edit")
            )
            continue
        found = MachineFingerprint(**offered.environment.model_dump())
        rows[here.system_id] = MachineSubject(
            machine=machine,
            system=here.system,
            digest=offered.digest,
            environment=found.digest,
            environment_name=found.name[:200],
        )
        same = offered.digest == here.digest
        answers.append((offered.name, "" if same else "the subject's folder there differs from the one here"))
    with transaction.atomic():
        machine.subjects.all().delete()
        MachineSubject.objects.bulk_create(rows.values())
    return tuple(answers)


def owner_may_edit(machine: Machine, system: System) -> bool:
    """Whether the machine's owner may edit a system now: else the machine has no business there. For services."""
    return system.visible and bool(_edited(Principal.of_account(machine.owner), [system]))


def _edited(principal: Principal, systems: Iterable[System]) -> list[System]:
    granted = ((system, permission_of(principal, system)) for system in systems)
    return [system for system, one in granted if one is not None and one.value >= Permission.EDIT.value]


def _own_machine(principal: Principal, machine_id: int) -> Machine:
    machine = find_machine(principal=principal, machine_id=machine_id)
    if not principal.is_superuser and machine.owner_id != principal.user_id:
        raise Forbidden(f"{machine.name} is for its owner {machine.owner} to pause and remove")
    _check_scope(principal)
    return machine


def _check_scope(principal: Principal) -> None:
    """Machines are of the account and measure for all its systems: a token of one system is not for them. Raises `Forbidden`."""
    if principal.only_system is not None:
        raise Forbidden("this token is of one system, and a machine measures for all of its owner's")
    if principal.scope.permission.value < Permission.EDIT.value:
        raise Forbidden("this token reads only")
