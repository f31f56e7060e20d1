"""Processes of a run copy a database that was migrated once."""

import os
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from tools import migrated

# Before the first test asks for a database.
IMPORTED_AT = timezone.now()


@pytest.mark.django_db
def test_the_database_of_this_process_was_migrated_before_the_process_began() -> None:
    """On both engines."""
    name = migrated.FILE if connection.vendor == "sqlite" else migrated.DATABASE
    if not os.environ.get(name):
        pytest.skip("no run of `make test`: this process migrated by itself")
    first = MigrationRecorder(connection).migration_qs.order_by("applied").first()
    assert first is not None
    assert first.applied < IMPORTED_AT


def test_a_file_that_cannot_be_migrated_is_not_copied(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each process then migrates by itself, and its tests fail with the reason."""
    monkeypatch.setattr(migrated, "ROOT", tmp_path)
    assert migrated.migrated_file(tmp_path) == {}


def test_outside_of_a_run_nothing_is_copied(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The folder stays as it is."""
    monkeypatch.delenv(migrated.FILE, raising=False)
    migrated.copy_to(tmp_path / "database")
    assert not list(tmp_path.iterdir())
