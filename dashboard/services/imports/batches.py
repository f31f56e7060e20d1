"""Batches while they are written: who writes them, that they live, and sweeping them away."""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction
from django.utils import timezone

from dashboard.importers.records import BatchRecord
from dashboard.models import Batch, Environment, Metric, Series, SourceText, System
from dashboard.selectors.batch_manifests import (
    BatchManifest,
    batches_being_written,
    manifest_of,
    save_manifest,
)
from dashboard.services.imports.errors import ImportLost, ImportRefused
from dashboard.services.imports.reference import Created
from dashboard.services.jobs.leases import is_gone, new_owner
from dashboard.services.system_tables import references_to, referring_first, ways_to

# A writer on another machine is taken for dead after this silence; here its process tells.
_SILENCE = timedelta(minutes=10)
_CHUNK = 1_000
# Rows taken away in one transaction: well under a second.
_TAKEN_AWAY = 5_000
_SHARED = (Environment, Metric, SourceText)


def begin(system: System, batches: Sequence[BatchRecord]) -> list[int]:
    """Make invisible batches for this process; their ids. The first one keeps the books for all.

    Raises `ImportRefused` while another import writes to the system.
    """
    if writing(system):
        raise ImportRefused([f"another import into {system.name} is under way. Try again when it has ended."])
    # While a batch is written its manifest holds this instead of what the source says.
    writer = new_owner()
    rows = [
        Batch(
            system=system,
            format=one.format,
            digest=one.digest,
            source=one.source,
            manifest=BatchManifest(writer=writer, created={}).as_json(),
        )
        for one in batches
    ]
    return [row.pk for row in Batch.objects.bulk_create(rows)]


def writing(system: System) -> bool:
    """Whether an import writes to the system."""
    return batches_being_written().filter(system=system).exists()


def beat(batches: Collection[int]) -> None:
    """Say that the writer lives; raises `ImportLost` where its batches were swept away meanwhile."""
    alive = Batch.objects.filter(pk__in=batches, state=Batch.State.WRITING).update(written_at=timezone.now())
    _check_alive(batches, alive)


def hold(batches: Collection[int]) -> None:
    """Keep these batches from being taken away until the transaction ends, beside the writer that tells it lives.

    Raises `ImportLost` where they were swept away. On PostgreSQL.
    """
    table = connection.ops.quote_name(Batch._meta.db_table)  # noqa: SLF001 -- Django documents it
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT id FROM {table} WHERE id = ANY(%s) AND state = %s FOR KEY SHARE",  # noqa: S608 -- its own name
            [list(batches), Batch.State.WRITING],
        )
        _check_alive(batches, cursor.rowcount)


def note_created(batches: Sequence[int], created: Created) -> None:
    """Keep the ids of rows that this import made, to take them away again if it fails."""
    beat(batches)
    first = Batch.objects.get(pk=batches[0])
    noted = manifest_of(first).created
    save_manifest(first, created=noted | {name: noted.get(name, []) + ids for name, ids in created.items()})


def abandoned() -> dict[int, list[int]]:
    """The batches of dead imports, by system."""
    found: dict[int, list[int]] = {}
    for batch in batches_being_written().order_by("pk"):
        silent = timezone.now() - batch.written_at > _SILENCE
        if silent or is_gone(manifest_of(batch).writer):
            found.setdefault(batch.system_id, []).append(batch.pk)
    return found


def sweep(batches: Sequence[int]) -> None:
    """Take away invisible batches, what hangs on them, the rows made for them, and a system that was only theirs.

    Rows that somebody else uses by now stay. Each step is a transaction of its own; a sweep that is cut short
    is finished by the next one.
    """
    held = Batch.objects.filter(pk__in=batches, state=Batch.State.WRITING).order_by("pk")
    systems = set(held.values_list("system_id", flat=True))
    created: dict[str, list[int]] = {}
    for batch in held:
        for name, ids in manifest_of(batch).created.items():
            created.setdefault(name, []).extend(ids)
    for batch in held:
        for model, way in ways_to(Batch).items():
            for ids in ids_in_chunks(model, **{way: batch.pk}):
                models.QuerySet[Any](model).filter(pk__in=ids).delete()
    # The batch that keeps the books goes last.
    for table in referring_first(apps.get_model("dashboard", name) for name in created):
        delete_unused(table, created[table.__name__], swept=batches)
    Series.objects.filter(system_id__in=systems, points=None).delete()
    held.delete()
    for system in System.objects.filter(pk__in=systems, visible=False):
        if not system.batches.exists():
            system.delete()


def ids_in_chunks(model: type[models.Model], **of: int) -> Iterator[list[int]]:
    """The ids of rows, some thousands at a time until none is left: who asks takes each chunk away. For services."""
    rows = models.QuerySet[Any](model).filter(**of).order_by()
    while ids := list(rows.values_list("pk", flat=True)[:_TAKEN_AWAY]):
        yield ids


def delete_unused(model: type[models.Model], ids: Sequence[int], *, swept: Collection[int] = ()) -> None:
    """Take away those rows that no other row refers to. For services.

    Rows that systems share stay while an import writes batches other than those `swept`: it may have found them, and
    not yet have written what refers to them.
    """
    if model in _SHARED and batches_being_written().exclude(pk__in=swept).exists():
        return
    for start in range(0, len(ids), _CHUNK):
        with transaction.atomic():
            unused = set(ids[start : start + _CHUNK])
            for field in references_to(model):
                name = field.attname
                rows = models.QuerySet[Any](field.model).filter(**{f"{name}__in": list(unused)})
                unused -= set(rows.values_list(name, flat=True))
            models.QuerySet[Any](model).filter(pk__in=unused).delete()


def _check_alive(batches: Collection[int], alive: int) -> None:
    if alive != len(batches):
        raise ImportLost("the import was taken for dead and swept away by another process. Start it again.")
