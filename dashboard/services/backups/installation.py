"""Backing up a whole installation, and restoring one from a backup. Both are the operator's alone."""

import os
import shutil
import tempfile
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from analytics.progress import Progress, no_progress
from dashboard.access import Forbidden, Principal, Refused
from dashboard.services import audit
from dashboard.services.backups.archives import (
    DATABASE,
    KEPT_FOLDERS,
    BackupManifest,
    BackupReader,
    BackupWriter,
    read_backup,
)
from dashboard.services.backups.databases import (
    check_copy,
    copy_database,
    other_connections,
    replace_database,
)

_COPYING = 0.6
# An installation with one of these is not empty.
_TELLING = {"systems": "dashboard_system", "accounts": "auth_user", "reports": "dashboard_report"}


def back_up(*, principal: Principal, path: Path, progress: Progress = no_progress) -> BackupManifest:
    """Write a backup of everything to a new file that only its owner may read; others may work on meanwhile.

    The database is as it was at one moment; files of `var/` are read after it. Raises `Refused` where the file is there
    or cannot be written, or where the database is damaged, and `Forbidden`.
    """
    _check_operator(principal)
    if path.exists():
        raise Refused(f"{path} is there already: choose another name, nothing is overwritten")
    try:
        workplace = tempfile.TemporaryDirectory(prefix=".perfatlas-backup-", dir=path.parent)
    except OSError as error:
        raise Refused(f"cannot write in {path.parent} ({error.strerror})") from error
    with workplace as name:
        copy, whole = Path(name, "copy"), Path(name, "backup.zip")
        made_at = timezone.now().isoformat(timespec="seconds")
        rows = copy_database(copy, report=lambda share: progress(_COPYING * share, "copying the database"))
        writer = BackupWriter(whole)
        progress(_COPYING, "packing")
        with copy.open("rb") as source:
            writer.add(DATABASE, source)
        copy.unlink()
        writer.add_folders(settings.VAR)
        recorded = MigrationRecorder(connection).applied_migrations()
        applied = tuple(sorted(f"{app}.{name}" for app, name in recorded))
        manifest = BackupManifest(made_at, connection.vendor, applied, rows)
        writer.finish(manifest)
        whole.chmod(0o600)
        with whole.open("rb") as packed:
            os.fsync(packed.fileno())
        whole.rename(path)
    audit.record(principal, "back up", "", file=path.name, bytes=path.stat().st_size)
    return manifest


def check_backup(*, principal: Principal, path: Path) -> BackupManifest:
    """Read the whole backup and compare it with its manifest, as restoring would; change nothing.

    Raises `Refused` with the reason why it cannot be restored here, and `Forbidden`.
    """
    _check_operator(principal)
    with read_backup(path) as backup, tempfile.TemporaryDirectory(dir=settings.VAR) as folder:
        _checked_copy(backup, Path(folder))
        return backup.manifest


def restore(
    *, principal: Principal, path: Path, replace: bool = False, progress: Progress = no_progress
) -> BackupManifest:
    """Put a backup in the place of this installation, whose server and workers must not run.

    All of it is checked before anything is touched; the database changes in one transaction. Tables of an earlier
    version are brought up to date. Raises `Refused` with the reason: the backup is damaged, of a newer version or of
    another database; something is here already and `replace` is not set; others use the database. Raises `Forbidden`.
    """
    _check_operator(principal)
    progress(0.0, "checking the backup")
    with read_backup(path) as backup, tempfile.TemporaryDirectory(dir=settings.VAR) as name:
        folder, manifest = Path(name), backup.manifest
        copy = _checked_copy(backup, folder)
        if (held := _held()) and not replace:
            raise Refused(
                f"this installation is not empty: {', '.join(held)}. Add --replace to put the backup in its place; what is "
                "here now is then gone, so take a backup of it first"
            )
        if others := other_connections():
            raise Refused(
                f"the database has {others} other connections: stop the server and all workers first"
            )
        backup.extract_folders(folder)
        progress(0.5, "replacing the database")
        replace_database(copy, manifest.rows)
        for kept in KEPT_FOLDERS:
            shutil.rmtree(settings.VAR / kept, ignore_errors=True)
            if (folder / kept).is_dir():
                (folder / kept).rename(settings.VAR / kept)
    progress(0.9, "bringing tables up to date")
    call_command("migrate", verbosity=0, interactive=False)
    audit.record(principal, "restore", "", file=path.name, made_at=manifest.made_at)
    return manifest


def _check_operator(principal: Principal) -> None:
    if not principal.is_operator:
        raise Forbidden("backups are made and restored by a command on the server")


def _checked_copy(backup: BackupReader, folder: Path) -> Path:
    """The backup's database in a file, checked as far as that is possible without restoring it. Raises `Refused`."""
    manifest = backup.manifest
    if manifest.engine != connection.vendor:
        raise Refused(
            f"this is a backup of {manifest.engine}, but DATABASE_URL names {connection.vendor}: restore it into its own "
            "kind of database; `export` and `import` carry single systems from one to the other"
        )
    on_disk = MigrationLoader(None).disk_migrations
    known = {f"{app}.{name}" for app, name in on_disk}
    # A migration that took the place of others leaves their names in the table, too.
    known |= {f"{app}.{name}" for migration in on_disk.values() for app, name in migration.replaces}
    if unknown := sorted(set(manifest.migrations) - known):
        raise Refused(
            f"this backup was made by a newer Perfatlas: its tables have {unknown[-1]}, which this one does not know. "
            "Update first"
        )
    copy = folder / "copy"
    backup.extract_database(copy)
    check_copy(copy, manifest.rows)
    return copy


def _held() -> list[str]:
    """What is in this installation, in words; empty where nothing is. Its tables may be of any version."""
    present, held = set(connection.introspection.table_names()), []
    with connection.cursor() as cursor:
        for words, table in _TELLING.items():
            if table in present:
                cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 -- names of our own tables
                if count := cursor.fetchone()[0]:
                    held.append(f"{count} {words}")
    return held
