"""A backup is one moment of the installation, whoever writes; restoring it brings exactly that moment back, or changes nothing."""

import fcntl
import io
import os
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from dashboard.access import Forbidden, Principal, Refused
from dashboard.models import AuditEntry, Report, System
from dashboard.services.backups.archives import BackupManifest, BackupWriter
from dashboard.services.backups.installation import back_up, check_backup, restore
from tests.conftest import ROOT
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_var(settings: LazySettings, tmp_path: Path) -> None:
    settings.VAR = tmp_path / "var"
    settings.VAR.mkdir()


def _rows() -> dict[str, list[Any]]:
    """Every row of every table, the audit trail apart, which the backup itself writes to."""
    tables = (model for model in apps.get_models() if model is not AuditEntry)
    return {model._meta.db_table: sorted(map(repr, model._default_manager.values_list())) for model in tables}


@contextmanager
def _writers(count: int = 3) -> Iterator[threading.Event]:
    """Threads that each write two rows in one transaction, again and again; the event tells that all have begun."""
    stop, begun = threading.Event(), threading.Barrier(count + 1)

    def write(writer: int) -> None:
        number = 0
        while not stop.is_set():
            with transaction.atomic():
                System.objects.create(slug=f"w{writer}-{number}", name="x")
                AuditEntry.objects.create(actor="writer", action="pair", system_slug=f"w{writer}-{number}")
            if not number:
                begun.wait(60)
            number += 1
        connection.close()

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(count)]
    for thread in threads:
        thread.start()
    try:
        begun.wait(60)
        yield stop
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def test_a_backup_under_load_is_one_moment(operator: Principal, tmp_path: Path) -> None:
    """Of what writers store in one transaction it has both rows or none, and what it counted comes back."""
    backup = tmp_path / "backup.zip"
    with _writers():
        manifest = back_up(principal=operator, path=backup)
    after = System.objects.count()
    assert 0 < manifest.rows["dashboard_system"] <= after
    System.objects.create(slug="later", name="Later")
    restore(principal=operator, path=backup, replace=True)
    systems = set(System.objects.values_list("slug", flat=True))
    assert len(systems) == manifest.rows["dashboard_system"]
    assert systems == set(AuditEntry.objects.filter(action="pair").values_list("system_slug", flat=True))
    assert "later" not in systems
    connection.check_constraints()


def test_every_row_and_every_needed_file_comes_back(
    operator: Principal, alice: Person, system: System, tmp_path: Path, settings: LazySettings
) -> None:
    """Reports with their numbers, accounts and roles among them; ids go on where they were."""
    report = Report.objects.create(
        system=system, title="R", view="x", payload={"n": 1.5, "t": "µ"}, data_version=1, software_version="1"
    )
    for place in (
        "uploads/" + "a" * 32 + "/file/x.csv",
        "evaluations/markdown/runs.json",
        "bundles/cached.br",
    ):
        (settings.VAR / place).parent.mkdir(parents=True, exist_ok=True)
        (settings.VAR / place).write_text(place)
    before = _rows()
    backup = tmp_path / "backup.zip"
    back_up(principal=operator, path=backup)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"var", "backup.zip"}
    call_command("flush", interactive=False, verbosity=0)
    for place in ("uploads", "evaluations", "bundles"):
        (settings.VAR / place).rename(tmp_path / place)
    restore(principal=operator, path=backup)
    assert _rows() == before
    assert (
        Report.objects.create(
            system=system, title="S", view="x", payload={}, data_version=1, software_version="1"
        ).pk
        > report.pk
    )
    assert (settings.VAR / "uploads" / ("a" * 32) / "file" / "x.csv").read_text().endswith("x.csv")
    assert (settings.VAR / "evaluations/markdown/runs.json").is_file()
    # Made anew when it is asked for.
    assert not (settings.VAR / "bundles").exists()
    assert AuditEntry.objects.filter(action="restore", actor="operator").count() == 1


def test_what_is_there_is_not_replaced_unasked(operator: Principal, system: System, tmp_path: Path) -> None:
    backup = tmp_path / "backup.zip"
    back_up(principal=operator, path=backup)
    System.objects.create(slug="later", name="Later")
    with pytest.raises(Refused, match=r"not empty: 2 systems\. Add --replace"):
        restore(principal=operator, path=backup)
    assert System.objects.count() == 2
    with pytest.raises(Refused, match="there already"):
        back_up(principal=operator, path=backup)


def test_a_backup_of_a_newer_version_is_refused(operator: Principal, system: System, tmp_path: Path) -> None:
    """By the name of the migration that is unknown here; nothing changes."""
    backup = tmp_path / "backup.zip"
    MigrationRecorder(connection).record_applied("dashboard", "9999_later")
    back_up(principal=operator, path=backup)
    MigrationRecorder(connection).record_unapplied("dashboard", "9999_later")
    for call in (check_backup, restore):
        with pytest.raises(Refused, match=r"newer Perfatlas: its tables have dashboard\.9999_later"):
            call(principal=operator, path=backup)
    assert System.objects.count() == 1


def test_a_damaged_backup_is_refused_before_anything_changes(
    operator: Principal, system: System, tmp_path: Path
) -> None:
    """Bytes that differ, an end that is missing, members that the manifest does not name."""
    backup = tmp_path / "backup.zip"
    back_up(principal=operator, path=backup)
    check_backup(principal=operator, path=backup)
    whole = backup.read_bytes()
    with zipfile.ZipFile(backup) as opened:
        at = opened.getinfo("database").header_offset + 200
    backup.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
    with pytest.raises(Refused, match="is damaged: the checksum is not that of database"):
        restore(principal=operator, path=backup, replace=True)
    backup.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Refused, match="no ZIP file, or it was cut off"):
        restore(principal=operator, path=backup, replace=True)
    backup.write_bytes(whole)
    with zipfile.ZipFile(backup, "a") as opened:
        opened.writestr("var/uploads/../../x", "x")
    with pytest.raises(Refused, match=r"holds more than its manifest names: var/uploads"):
        restore(principal=operator, path=backup, replace=True)
    assert System.objects.count() == 1


def _written(path: Path, database: bytes, **changes: Any) -> Path:
    """A backup whose checksums are right, with a database of our own."""
    writer = BackupWriter(path)
    writer.add("database", io.BytesIO(database))
    told: dict[str, Any] = {"made_at": "now", "engine": connection.vendor, "migrations": (), "rows": {}}
    writer.finish(BackupManifest(**(told | changes)))
    return path


def test_a_database_that_cannot_be_restored_changes_nothing(
    operator: Principal, system: System, tmp_path: Path
) -> None:
    """Its last statement fails, or it is no database at all: the tables are as they were."""
    bad = _written(tmp_path / "bad.zip", b"CREATE TABLE public.one (x int);\nSELECT 1 / 0;\n")
    with pytest.raises(Refused, match=r"damaged|cannot be restored: division by zero"):
        restore(principal=operator, path=bad, replace=True)
    assert System.objects.get().slug == "small"
    other = _written(tmp_path / "other.zip", b"x", engine="oracle")
    with pytest.raises(Refused, match="a backup of oracle, but DATABASE_URL names"):
        restore(principal=operator, path=other, replace=True)


def test_a_script_that_somebody_else_wrote_runs_nothing_on_this_machine(
    operator: Principal, system: System, tmp_path: Path
) -> None:
    """The words of `psql` mean nothing, wherever they stand, and what is here stays; the file that it starts is never there."""
    mark = tmp_path / "mark"
    rows = "CREATE TABLE public.one (x text);\nCOPY public.one (x) FROM stdin;\n"
    scripts = (
        f"\\! touch {mark}\n",
        f"SELECT 1; \\! touch {mark}\n",
        f"SELECT 1 \\g |touch {mark}\n",
        f"/*\nCOPY public.one (x) FROM stdin;\n*/ \\! touch {mark}\n\\.\n",
        f"{rows}\\.\n\\set x `touch {mark}`\n",
        f"\\restrict x `touch {mark}`\n",
        f"{rows}a\n\\.\n\\copy public.one from program 'touch {mark}'\n",
    )
    for at, script in enumerate(scripts):
        bad = _written(tmp_path / f"{at}.zip", script.encode())
        with pytest.raises(Refused, match=r"damaged|cannot be restored: syntax error|unterminated"):
            restore(principal=operator, path=bad, replace=True)
    assert not mark.exists()
    assert System.objects.get().slug == "small"


def test_only_the_operator_makes_and_restores_backups(alice: Person, tmp_path: Path) -> None:
    for call in (back_up, check_backup, restore):
        with pytest.raises(Forbidden, match="by a command on the server"):
            call(principal=alice.principal, path=tmp_path / "backup.zip")
    assert not (tmp_path / "backup.zip").exists()


def test_while_a_server_uses_the_place_nothing_is_restored(
    operator: Principal, tmp_path: Path, settings: LazySettings
) -> None:
    backup = tmp_path / "backup.zip"
    back_up(principal=operator, path=backup)
    with (settings.VAR / "serve.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(CommandError, match="another `serve`") as refused:
            call_command("restore", str(backup))
    assert refused.value.returncode == 2


@pytest.mark.once  # Processes and files of a new installation; the service is asked of both databases above.
def test_the_commands_carry_an_installation_to_a_new_place(tmp_path: Path) -> None:
    """Neither the folder nor any table need be there before."""

    def manage(place: str, *arguments: str) -> str:
        here = {
            "PERFATLAS_VAR": str(tmp_path / place),
            "DATABASE_URL": f"sqlite:///{tmp_path / place}/p.sqlite3",
        }
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=os.environ | here | {"DJANGO_SETTINGS_MODULE": "dashboard.settings"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout

    backup = str(tmp_path / "b.zip")
    assert "rows of sqlite as of" in manage("old", "backup", backup)
    assert "is restored" in manage("new", "restore", backup)
    assert stat.S_IMODE((tmp_path / "new/p.sqlite3").stat().st_mode) == 0o600
