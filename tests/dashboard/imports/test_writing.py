"""Points of a large import that are written over two connections are those that one writes, and nothing is left where either fails."""

from collections.abc import Collection
from pathlib import Path
from threading import current_thread, main_thread

import pytest
from django.db import transaction

from dashboard.access import Principal
from dashboard.models import Batch, Point, Series, System
from dashboard.services.imports import batches, rows
from dashboard.services.imports.errors import ImportLost
from dashboard.services.imports.importing import import_file
from dashboard.services.imports.writing import may_write_beside, write_beside
from tests.dashboard.importers import asv_sample as sample

pytestmark = pytest.mark.django_db(transaction=True)


def take_in(path: Path, name: str) -> list[tuple[str, str, int, float, float | None]]:
    """What an import of the sample stores."""
    import_file(
        principal=Principal.operator(),
        format_name="asv",
        path=sample.write(sample.folder(4), path / name),
        system_name=name,
    )
    columns = ("series__subject", "revision__name", "n", "median", "spread")
    found = Point.objects.filter(series__system__name=name)
    return sorted(found.values_list(*columns), key=repr)


def test_points_of_two_connections_are_those_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = take_in(tmp_path, "One")
    for name in ("MANY", "CHUNK"):
        monkeypatch.setattr(rows, name, 2)
    assert take_in(tmp_path, "Two") == expected != []


def test_an_import_whose_other_connection_fails_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_batches: Collection[int]) -> None:
        raise ImportLost("swept away")

    for name in ("MANY", "CHUNK"):
        monkeypatch.setattr(rows, name, 1)
    monkeypatch.setattr(batches, "hold", refuse)
    # Else there may be nothing left for the other one.
    monkeypatch.setattr(
        rows, "write_beside", lambda starts, write, _, hold: write_beside(starts, write, hold, hold)
    )
    monkeypatch.setattr(rows, "may_write_beside", lambda: True)
    with pytest.raises(ImportLost):
        take_in(tmp_path, "Lost")
    assert not any(model.objects.exists() for model in (Batch, Point, Series, System))


def test_batches_are_held_only_while_they_are_written(tmp_path: Path) -> None:
    take_in(tmp_path, "Held")
    if not may_write_beside():
        return
    (batch,) = Batch.objects.all()
    with pytest.raises(ImportLost), transaction.atomic():
        batches.hold([batch.pk])
    Batch.objects.update(state=Batch.State.WRITING)
    with transaction.atomic():
        batches.hold([batch.pk])


@pytest.mark.parametrize("fails_here", [True, False], ids=["this thread", "the other thread"])
def test_what_fails_in_either_ends_both(*, fails_here: bool) -> None:
    written: list[int] = []

    def fail(start: int) -> None:
        if (current_thread() is main_thread()) is fails_here:
            raise ImportLost("swept away")
        written.append(start)

    with pytest.raises(ImportLost):
        write_beside(iter(range(1_000_000)), fail, lambda: None, lambda: None)
    assert len(written) < 1_000_000
