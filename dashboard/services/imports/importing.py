"""Importing a file into a system."""

from collections.abc import Callable, Iterable
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from dashboard.access import NotFound, Permission, Principal, require
from dashboard.importers.errors import SourceError
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import BatchRecord, Imported
from dashboard.importers.registry import FORMATS
from dashboard.importers.source import Source, open_source
from dashboard.models import Batch, Membership, Run, System
from dashboard.services import audit, data_versions
from dashboard.services.imports import batches
from dashboard.services.imports.conflicts import conflicts
from dashboard.services.imports.errors import ImportRefused
from dashboard.services.imports.reference import write_reference
from dashboard.services.imports.rows import write_rows
from dashboard.services.points import TOGETHER, SeriesKey, keys_of_batches, update_points
from dashboard.services.term_points import refresh_term_points

Tell = Callable[[str], None]
_SLUG_LENGTH = 80


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did and how much came in; nothing where the system held the same content already."""

    system_slug: str
    system_name: str
    is_new: bool
    runs: int = 0
    configurations: int = 0
    regions: int = 0
    revisions: int = 0
    remarks: tuple[str, ...] = ()


def import_file(
    *, principal: Principal, format_name: str, path: Path, system_name: str, tell: Tell = lambda _: None
) -> ImportOutcome:
    """Import the file or folder at `path` into the system called `system_name`, which is made if need be.

    All or nothing: nobody sees anything of it before everything is written. Into a system that exists already, needs
    the role editor; who makes a system becomes its admin. `tell` hears what is being done. Raises `ImporterError`
    for a bad file, `ImportRefused` where it does not fit the system, `NotFound` and `Forbidden`.
    """
    system = find_target(principal, system_name)
    sweep_abandoned()
    tell("reading and checking")
    known = FORMATS[format_name]
    with open_source(path) as source:
        if system is not None and _holds(system, source, known.files):
            return ImportOutcome(system.slug, system.name, is_new=False)
        found = known.read(source)
        title = source.title
    if system is not None and (problems := conflicts(system, found.records)):
        raise ImportRefused(problems)
    given = _batches(found, format_name, title)
    target, ids = _begin(system, system_name, found, given)
    try:
        _write(target, found, ids, tell)
        tell("making it visible")
        _publish(principal, target, found, ids, given)
    except BaseException:  # also an interrupt by the keyboard must leave nothing
        batches.sweep(ids)
        raise
    return ImportOutcome(
        system_slug=target.slug,
        system_name=target.name,
        is_new=True,
        runs=len(found.records.runs),
        configurations=len(found.records.configurations),
        regions=len(found.records.regions),
        revisions=len(found.records.revisions),
        remarks=found.remarks,
    )


def sweep_abandoned() -> int:
    """Take away what imports left whose process died; returns how many there were."""
    found = batches.abandoned()
    for ids in found.values():
        batches.sweep(ids)
    return len(found)


def find_target(principal: Principal, system_name: str) -> System | None:
    """The system of that name or address, if there is one. Raises `ImportRefused`, `NotFound`, `Forbidden`."""
    slug = slugify(system_name)[:_SLUG_LENGTH]
    if not slug or len(system_name) > LONGEST["system"]:
        problem = (
            f"{system_name!r} is no name for a system: use up to {LONGEST['system']} characters, at least one "
            "of them a letter from a to z or a digit."
        )
        raise ImportRefused([problem])
    system = System.objects.filter(slug=slug).first()
    if system is None:
        return None
    if system.visible:
        try:
            require(principal, slug, Permission.EDIT)
        except NotFound:
            raise ImportRefused([f"the name {system_name!r} is taken. Choose another one."]) from None
    if system_name not in {system.name, system.slug}:
        raise ImportRefused(
            [f"the address {slug!r} belongs to the system {system.name!r}. Choose another name."]
        )
    return system


def _holds(system: System, source: Source, files: Iterable[str]) -> bool:
    """Whether the system has received exactly this content."""
    try:
        digest = source.digest(files)
    except SourceError:
        return False  # damaged: told with all other faults when the files are read
    return Batch.objects.filter(system=system, digest=digest, state=Batch.State.VISIBLE).exists()


def _batches(found: Imported, format_name: str, title: str) -> tuple[BatchRecord, ...]:
    """The records' batches; behind them, where none of them is the file itself, one that stands for the file."""
    given = found.records.batches
    if any(one.digest == found.digest for one in given):
        return given
    return (*given, BatchRecord(format_name, found.digest, title[: LONGEST["batch source"]]))


def _begin(
    system: System | None, name: str, found: Imported, given: tuple[BatchRecord, ...]
) -> tuple[System, list[int]]:
    with transaction.atomic():
        if system is None:
            system, made = System.objects.get_or_create(
                slug=slugify(name)[:_SLUG_LENGTH],
                defaults={"name": name, "description": found.records.description},
            )
            if not made and system.visible:
                raise ImportRefused([f"the name {name!r} was taken meanwhile. Choose another one."])
        return system, batches.begin(system, given)


def _write(system: System, found: Imported, ids: list[int], tell: Tell) -> None:
    tell("writing options, configurations and regions")
    places = write_reference(system, found.records, partial(batches.note_created, ids))
    rows = len(found.records.region_measurements.run) + len(found.records.measurements.run)
    tell(f"writing {len(found.records.runs)} runs with {rows} measurements")
    write_rows(system, found.records, places, ids, partial(batches.beat, ids))
    # Histories that are only this import's are written ahead: nobody else moves their points.
    own = sorted(keys_of_batches(ids) - _keys_of_others(system, ids), key=astuple)
    for start in range(0, len(own), TOGETHER):
        with transaction.atomic():
            batches.beat(ids)
            update_points(system=system, keys=own[start : start + TOGETHER], unseen=ids)


def _keys_of_others(system: System, ids: list[int]) -> frozenset[SeriesKey]:
    """The histories that other, visible batches have runs of."""
    others = Batch.objects.filter(system=system, state=Batch.State.VISIBLE).exclude(pk__in=ids)
    return keys_of_batches(list(others.values_list("pk", flat=True)))


def _publish(
    principal: Principal,
    system: System,
    found: Imported,
    ids: list[int],
    given: tuple[BatchRecord, ...],
) -> None:
    """Show everything at once: one transaction flips the batches and moves what depends on them."""
    with transaction.atomic():
        # Serialises with whoever else moves this system's points.
        System.objects.select_for_update().get(pk=system.pk)
        batches.beat(ids)
        try:
            for pk, one in zip(ids, given, strict=True):
                Batch.objects.filter(pk=pk).update(state=Batch.State.VISIBLE, manifest=dict(one.manifest))
        except IntegrityError:
            raise ImportRefused([f"{system.name} received the same data meanwhile."]) from None
        shared = keys_of_batches(ids) & _keys_of_others(system, ids)
        update_points(system=system, keys=shared)
        for batch in Batch.objects.filter(pk__in=ids):
            refresh_term_points(system=system, batch=batch)
        revisions = Run.objects.filter(batch_id__in=ids).values_list("revision_id", flat=True).distinct()
        data_versions.bump(system=system, revisions=list(revisions))
        if not system.visible and principal.user_id is not None:
            Membership.objects.create(system=system, user_id=principal.user_id, role=Membership.Role.ADMIN)
        System.objects.filter(pk=system.pk).update(visible=True)
        audit.record(
            principal=principal,
            action="import",
            system_slug=system.slug,
            details={"format": given[-1].format, "source": given[-1].source, "digest": found.digest},
        )
