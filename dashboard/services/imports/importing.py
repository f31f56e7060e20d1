"""Importing a file into a system."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from analytics.progress import Progress, no_progress
from dashboard.access import Access, Forbidden, NotFound, Permission, Principal, access_to
from dashboard.importers.common_records import batch_record
from dashboard.importers.errors import SourceError
from dashboard.importers.limits import LONGEST, hidden_character
from dashboard.importers.records import BatchRecord, Imported, SystemRecords
from dashboard.importers.registry import FORMATS
from dashboard.importers.settings import NO_SETTINGS, ImportSettings, check, identity
from dashboard.importers.source import GoOn, ImportSource, open_source
from dashboard.importers.unmerged import BASE
from dashboard.models import Batch, Membership, Point, Run, System
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.record_columns import RowIds
from dashboard.services import audit, data_versions
from dashboard.services.histories.fit_jobs import queue_fits
from dashboard.services.histories.fits import fit_system
from dashboard.services.histories.region_searches import contexts_to_search
from dashboard.services.imports import batches
from dashboard.services.imports.amounts import ImportOutcome, amounts_of
from dashboard.services.imports.conflicts import check_names, conflicts, fit_options
from dashboard.services.imports.errors import ImportRefused
from dashboard.services.imports.held_points import compare_points, replace_points
from dashboard.services.imports.hybrid_models import without_older_rules, write_hybrids
from dashboard.services.imports.options_and_orders import rank_by_date, settle_bases, write_options_and_orders
from dashboard.services.imports.reference import Created, write_reference
from dashboard.services.imports.rows import write_rows
from dashboard.services.performance_models.full_factorial import FACTORIAL_FORMATS, make_factorial_models
from dashboard.services.performance_models.term_histories import refresh_term_points
from dashboard.services.points import TOGETHER, SeriesKey, keys_of_batches, update_points

# The histories of so few are fitted right away: in about a second.
FEW_SERIES = 100
_SLUG_LENGTH = 80


def import_file(
    *,
    principal: Principal,
    format_name: str,
    path: Path,
    system_name: str,
    given: ImportSettings = NO_SETTINGS,
    progress: Progress = no_progress,
    go_on: GoOn = lambda: None,
    accept: Callable[[SystemRecords], None] = lambda _: None,
) -> ImportOutcome:
    """Import the file or folder at `path` into the system called `system_name`, which is made if need be.

    All or nothing: nobody sees anything of it before everything is written. Into a system that exists already, needs
    the role editor; who makes a system becomes its admin. `given` are the format's settings. `progress` hears what is
    being done, and `go_on` is called all the time while files are read and rows are written, `accept` with what was
    read before any of it is; what they raise ends the import. Raises `ImporterError` for a bad file or setting, `ImportRefused` where it does not fit the system, `NotFound` and `Forbidden`.
    """
    # A dead import may have left an invisible system of this very name: it goes before the target is looked for.
    sweep_abandoned()
    access = find_target(principal, system_name)
    system = None if access is None else access.system
    progress(0.05, "reading and checking")
    file_format = FORMATS[format_name]
    check(given, file_format.settings, file_format.name)
    with open_source(path, lone=file_format.files is None, go_on=go_on) as source:
        if system is not None and _holds(system, source, file_format.files, given):
            return ImportOutcome(system.slug, system.name, is_new=False)
        read = without_older_rules(file_format.read(source, given))
        imported = settle_bases(system, read, given.get(BASE.name, ()))
        accept(imported.records)
    check_names(imported.records, format_name)
    n_points = len(imported.records.points.series)
    measured_anew: Sequence[Point] = ()
    if system is not None:
        progress(0.3, "comparing with what is there")
        records = fit_options(system, imported.records)
        new, problems, measured_anew = compare_points(system, records, replaces=imported.replaces)
        if problems := [*conflicts(system, records), *problems]:
            raise ImportRefused(problems)
        imported = replace(imported, records=new)
    batch_records = imported.records.batches
    if all(one.digest != imported.digest for one in batch_records):
        # None of them is the file itself: one behind them stands for it.
        batch_records += (batch_record(format_name, imported.digest, source.title),)
    target, ids = _begin(system, system_name, imported, batch_records)
    try:
        row_ids = _write(target, imported, ids, progress, go_on)
        progress(0.85, "making it visible")
        changed = _publish(
            principal, target, imported, batch_records, row_ids=row_ids, measured_anew=measured_anew
        )
    except BaseException:  # also an interrupt by the keyboard must leave nothing
        batches.sweep(ids)
        raise
    _search(access_to(principal, target.slug), imported, changed, progress)
    replaced = len(measured_anew)
    held = n_points - len(imported.records.points.series) - replaced
    return ImportOutcome(target.slug, target.name, True, imported.records, held, replaced, imported.remarks)


def _search(access: Access, imported: Imported, changed: int, progress: Progress) -> None:
    """Fit and search what came in: histories of benchmarks at once where they are few, many and regions in a job."""
    if any(one.configuration is None for one in imported.records.series):
        progress(0.95, "fitting the histories")
        (queue_fits if changed > FEW_SERIES else fit_system)(access=access)
    elif contexts_to_search(system=access.system):
        queue_fits(access=access)


def sweep_abandoned() -> int:
    """Take away what imports left whose process died; returns how many there were."""
    imported = batches.abandoned()
    for ids in imported.values():
        batches.sweep(ids)
    return len(imported)


def find_target(principal: Principal, system_name: str) -> Access | None:
    """The access to the system of that name or address; None where the import makes it. One query where it is there.

    A hidden one is what a dead import left: swept away before this one writes. Raises `ImportRefused` and `Forbidden`.
    """
    slug = slugify(system_name)[:_SLUG_LENGTH]
    if not slug or len(system_name) > LONGEST["system"]:
        problem = (
            f"{system_name!r} is no name for a system: use up to {LONGEST['system']} characters, at least one "
            "of them a letter from a to z or a digit."
        )
        raise ImportRefused([problem])
    access = None
    try:
        access = access_to(principal, slug, Permission.EDIT)
    except NotFound:
        system = System.objects.filter(slug=slug).first()
        if system is not None and system.visible:
            raise ImportRefused([f"the name {system_name!r} is taken. Choose another one."]) from None
        if not principal.may_begin_systems:
            raise Forbidden(
                f"there is no system {system_name!r}, and this token may make none: it reads only, or is of one system"
            ) from None
    else:
        system = access.system
    if system is not None and system_name not in {system.name, system.slug}:
        raise ImportRefused(
            [f"the address {slug!r} belongs to the system {system.name!r}. Choose another name."]
        )
    # One that is there keeps its name.
    if system is None and (hidden := hidden_character(system_name)):
        raise ImportRefused(
            [f"the system's name holds the character {hidden}, which nobody sees: leave it out."]
        )
    return access


def _holds(system: System, source: ImportSource, files: Iterable[str] | None, given: ImportSettings) -> bool:
    """Whether the system has received exactly this content, read in this way."""
    try:
        digest = identity(source, files, given)
    except SourceError:
        return False  # damaged: told with all other faults when the files are read
    return Batch.objects.filter(system=system, digest=digest, state=Batch.State.VISIBLE).exists()


def _begin(
    system: System | None, name: str, imported: Imported, given: tuple[BatchRecord, ...]
) -> tuple[System, list[int]]:
    with transaction.atomic():
        if system is None:
            system, made = System.objects.get_or_create(
                slug=slugify(name)[:_SLUG_LENGTH],
                defaults={
                    "name": name,
                    "description": imported.records.description,
                    "false_alarm_rate": imported.records.false_alarm_rate,
                    "host_link": imported.records.host_link,
                },
            )
            if not made and system.visible:
                raise ImportRefused([f"the name {name!r} was taken meanwhile. Choose another one."])
        # From here on its rows stay: nobody deletes a system that an import writes to.
        elif not System.objects.select_for_update().filter(pk=system.pk, slug=system.slug).exists():
            raise ImportRefused([f"{system.name} was deleted meanwhile. Start the import again."])
        return system, batches.begin(system, given)


def _write(system: System, imported: Imported, ids: list[int], progress: Progress, go_on: GoOn) -> RowIds:
    """Write everything beneath invisible batches; the ids of its rows."""

    def beat() -> None:
        go_on()
        batches.beat(ids)

    def note(created: Created) -> None:
        go_on()
        batches.note_created(ids, created)

    progress(0.4, "writing revisions, configurations and regions")
    row_ids = write_reference(system, imported.records, note)
    row_ids.put("batches", ids)
    progress(0.5, f"writing {amounts_of(imported.records)}")
    write_rows(system, imported.records, row_ids, beat)
    # Histories that are only this import's are written ahead: nobody else moves their points.
    own = sorted(keys_of_batches(ids) - _keys_of_others(system, ids), key=astuple)
    for start in range(0, len(own), TOGETHER):
        with transaction.atomic():
            beat()
            update_points(system=system, keys=own[start : start + TOGETHER], unseen=ids)
    return row_ids


def _keys_of_others(system: System, ids: Sequence[int]) -> frozenset[SeriesKey]:
    """The histories that other, visible batches have runs of."""
    others = Batch.objects.filter(system=system, state=Batch.State.VISIBLE).exclude(pk__in=ids)
    return keys_of_batches(list(others.values_list("pk", flat=True)))


def _publish(
    principal: Principal,
    system: System,
    imported: Imported,
    given: tuple[BatchRecord, ...],
    *,
    row_ids: RowIds,
    measured_anew: Sequence[Point],
) -> int:
    """Show everything at once: one transaction flips the batches and moves what depends on them.

    Returns how many imported series have other points than before.
    """
    ids, series = row_ids.of("batches"), row_ids.of("series")
    moved = {one.series_id for one in measured_anew}
    grown = {series[position] for position in np.unique(imported.records.points.series).tolist()} - moved
    with transaction.atomic():
        # Serialises with whoever else moves this system's points.
        System.objects.select_for_update().get(pk=system.pk)
        batches.beat(ids)
        try:
            for pk, one in zip(ids, given, strict=True):
                Batch.objects.filter(pk=pk).update(state=Batch.State.VISIBLE, manifest=dict(one.manifest))
        except IntegrityError:
            raise ImportRefused([f"{system.name} received the same data meanwhile."]) from None
        write_options_and_orders(system, imported.records, row_ids)
        if imported.records.host_link:
            # Where it is known already, by this machine's own subject perhaps, that stays.
            System.objects.filter(pk=system.pk, host_link="").update(host_link=imported.records.host_link)
        if measured_anew:
            replace_points(measured_anew, ids[0])
        shared = keys_of_batches(ids) & _keys_of_others(system, ids)
        update_points(system=system, keys=shared)
        rank_by_date(system, imported.records)
        if given[-1].format in FACTORIAL_FORMATS:
            make_factorial_models(system=system, batch=Batch.objects.get(pk=ids[-1]))
        of_batches = MeasurementContext.of_runs(Run.objects.filter(batch_id__in=ids))
        refresh_term_points(system=system, contexts=of_batches)
        revisions = Run.objects.filter(batch_id__in=ids).values_list("revision_id", flat=True).distinct()
        data_versions.bump(
            system=system, revisions=list(revisions), series=sorted(moved), grown=sorted(grown)
        )
        write_hybrids(system, imported.records, row_ids)
        if not system.visible and principal.user_id is not None:
            Membership.objects.create(system=system, user_id=principal.user_id, role=Membership.Role.ADMIN)
        System.objects.filter(pk=system.pk).update(visible=True)
        last = given[-1]
        audit.record(
            principal, "import", system.slug, format=last.format, source=last.source, digest=imported.digest
        )
    return len(moved) + len(grown)
