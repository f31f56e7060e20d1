"""Machines of others to read: who owns which, what each may measure, where it is and what it does now."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from dashboard.access import NotFound, Principal, seen_by
from dashboard.models import Job, Machine, MachineSubject, Subject, System

# What the owner of a lease that a machine holds begins with: `machine:ID:job:random part`.
CLAIMED = "machine"


@dataclass(frozen=True, slots=True)
class MachineSystemRow:
    """A system that a machine measures; `is_same`: its subject there is the one that is registered here."""

    system: str
    system_name: str
    environment: str
    environment_name: str
    is_same: bool


@dataclass(frozen=True, slots=True)
class MachineRow:
    """A machine, and what it does: `job` is the title of what it measures now, "" for nothing.

    `subjects` are of the systems that whoever asks may see; `is_own` says whether they may pause and remove it.
    """

    machine_id: int
    name: str
    owner: str
    is_own: bool
    paused: bool
    seen_at: datetime | None
    is_silent: bool
    job: str
    job_id: int | None
    subjects: tuple[MachineSystemRow, ...]


@dataclass(frozen=True, slots=True)
class MachineChoice:
    """A machine that may measure a system, where its times belong to; `absence` says why not now, "" where it may."""

    machine: str
    environment: str
    environment_name: str
    absence: str


def list_machines(*, principal: Principal) -> tuple[MachineRow, ...]:
    """One's own machines, and those that measure a system that one may see, by name. Constant number of queries."""
    seen = dict(System.objects.filter(seen_by(principal), visible=True).values_list("pk", "name"))
    found = Machine.objects.filter(_own(principal) | Q(subjects__system__in=seen)).distinct()
    machines = list(found.select_related("owner"))
    digests = dict(Subject.objects.values_list("system_id", "digest"))
    subjects: dict[int, list[MachineSystemRow]] = defaultdict(list)
    rows = MachineSubject.objects.filter(machine__in=machines, system__in=seen).select_related("system")
    for one in rows:
        about = (one.system.slug, one.system.name, one.environment, one.environment_name)
        subjects[one.machine_id].append(MachineSystemRow(*about, digests.get(one.system_id) == one.digest))
    working = {int(job.owner.split(":")[1]): job for job in held_jobs()}
    own = set(Machine.objects.filter(_own(principal)).values_list("pk", flat=True))
    return tuple(
        MachineRow(
            machine_id=one.pk,
            name=one.name,
            owner=one.owner.get_username(),
            is_own=one.pk in own,
            paused=one.paused,
            seen_at=one.seen_at,
            is_silent=one.is_silent,
            job=_title(working.get(one.pk), seen),
            job_id=working[one.pk].pk if one.pk in working and working[one.pk].system_id in seen else None,
            subjects=tuple(subjects[one.pk]),
        )
        for one in machines
    )


def find_machine(*, principal: Principal, machine_id: int) -> Machine:
    """A machine that one may see. Raises `NotFound`."""
    systems = System.objects.filter(seen_by(principal), visible=True)
    known = Machine.objects.filter(_own(principal) | Q(subjects__system__in=systems), pk=machine_id)
    machine = known.first()
    if machine is None:
        raise NotFound(f"there is no machine {machine_id} that you can see")
    return machine


def machines_of(system: System, digest: str, environment: str = "") -> tuple[MachineChoice, ...]:
    """The machines that may measure a system's subject of this digest, in one environment or all. One query."""
    rows = MachineSubject.objects.filter(system=system, digest=digest).select_related("machine")
    if environment:
        rows = rows.filter(environment=environment)
    return tuple(
        MachineChoice(
            one.machine.name,
            one.environment,
            one.environment_name,
            "paused" if one.machine.paused else "not there now" if one.machine.is_silent else "",
        )
        for one in rows.order_by("machine__name")
    )


def able_machines(*, system: System) -> tuple[MachineChoice, ...]:
    """The machines that may measure the registered subject of a system. Two queries."""
    digest = Subject.objects.filter(system=system).values_list("digest", flat=True).first()
    return () if digest is None else machines_of(system, digest)


def held_jobs(machine: int | None = None) -> QuerySet[Job]:
    """The jobs that machines, or one of them, hold now. For selectors and services."""
    begins = f"{CLAIMED}:" if machine is None else f"{CLAIMED}:{machine}:"
    return Job.objects.filter(state=Job.State.RUNNING, owner__startswith=begins)


def _own(principal: Principal) -> Q:
    """The condition that a machine is one's own; by a token of one system none is."""
    if (principal.user_id is None and not principal.is_superuser) or principal.only_system is not None:
        return Q(pk__in=[])
    return Q() if principal.is_superuser else Q(owner_id=principal.user_id)


def _title(job: Job | None, seen: Collection[int]) -> str:
    if job is None:
        return ""
    return job.title if (job.system_id or 0) in seen else "a system that you do not see"
