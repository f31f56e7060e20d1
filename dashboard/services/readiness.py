"""Whether this installation can do its work: database, tables, broker and workers, each in a word without any detail."""

import threading
import time
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import Error, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from kombu.connection import Connection
from kombu.exceptions import OperationalError as BrokerError

from dashboard.models import Job
from dashboard.services.jobs.presence import seen_lately

OK = "ok"
NO_ANSWER = "does not answer"
# Whoever asks more often than that is told again what was found last.
_KEPT_SECONDS = 2.0
# One looks at a time; whoever waits for so long hears that there is no answer.
_PATIENCE_SECONDS = 3.0
_BROKER_SECONDS = 1.0
_looking = threading.Lock()
_found: tuple[float, dict[str, str]] | None = None


def readiness() -> dict[str, str]:
    """What each part says: `ok`, or in words why not. It is ready when all say `ok`.

    Answered within some seconds, and looked at every two seconds at most, however many ask: nobody signs in for it.
    """
    global _found  # noqa: PLW0603 -- one memory for the process is what it is for
    if not _looking.acquire(timeout=_PATIENCE_SECONDS):
        return {"database": NO_ANSWER}
    try:
        if _found is None or time.monotonic() - _found[0] > _KEPT_SECONDS:
            _found = (time.monotonic(), _look())
        return _found[1]
    finally:
        _looking.release()


def _look() -> dict[str, str]:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        tables = _tables()
        # Without its table nobody can have been seen.
        workers = "unknown"
        if tables == OK:
            seen = seen_lately()
            silent = [queue for queue in Job.Queue.values if not seen.get(queue)]
            workers = f"none of queue {' and '.join(silent)} was seen lately" if silent else OK
    except Error:
        return {"database": NO_ANSWER, "broker": _broker()}
    return {"database": OK, "tables": tables, "broker": _broker(), "workers": workers}


@cache
def _migrations() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Of each migration on disk the names that say that it was applied: its own, or all that it took the place of."""
    on_disk = MigrationLoader(None).disk_migrations
    wanted = {
        f"{app}.{name}": frozenset(f"{a}.{n}" for a, n in migration.replaces)
        for (app, name), migration in on_disk.items()
    }
    return wanted, frozenset(wanted).union(*wanted.values())


def _tables() -> str:
    wanted, known = _migrations()
    applied = {f"{app}.{name}" for app, name in MigrationRecorder(connection).applied_migrations()}
    missing = sum(
        1
        for name, replaced in wanted.items()
        if name not in applied and not (replaced and replaced <= applied)
    )
    if missing:
        return f"of an earlier version: {missing} migrations are not applied"
    return OK if applied <= known else "of a newer version"


def _broker() -> str:
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"])
        return OK if folder.is_dir() else "has no folder: nothing was started yet"
    try:
        options = settings.CELERY_BROKER_TRANSPORT_OPTIONS
        address = settings.CELERY_BROKER_URL
        with Connection(address, transport_options=options, connect_timeout=_BROKER_SECONDS) as opened:  # type: ignore[no-untyped-call] # kombu has no types here
            opened.ensure_connection(max_retries=1, interval_start=0, timeout=_BROKER_SECONDS)
    except (BrokerError, OSError):
        return NO_ANSWER
    return OK
