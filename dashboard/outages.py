"""What is nobody's fault here and passes: a full disk, a database that does not answer or that is busy. Told in one sentence."""

import sqlite3

from django.db import InterfaceError, OperationalError

from dashboard import full_disk

SILENT = "the database does not answer: try again in a moment; what was stored before is kept"
BUSY = (
    "another command or job has been writing to the database for long, and SQLite lets one write at a time: try again when it is done, "
    "or use PostgreSQL; what was stored before is kept"
)
# When programs may ask again.
RETRY_SECONDS = "5"
# PostgreSQL's connection_exception, and those of operator_intervention that end sessions or let nobody in: appendix A of its manual.
_SILENT_CODES = ("08", "57P01", "57P02", "57P03", "57P04")


def remedy_of(error: BaseException | None) -> str | None:
    """What to do about this error, where an outage is behind it; None for others."""
    if full_disk.is_full(error):
        return full_disk.REMEDY
    while error is not None:
        cause = error.__cause__
        if isinstance(error, (OperationalError, InterfaceError)) and type(cause).__module__.startswith(
            "psycopg"
        ):
            # Who does not answer gives no code either.
            code = getattr(cause, "sqlstate", None)
            if code is None or code.startswith(_SILENT_CODES):
                return SILENT
        # Above the lowest byte stands which kind of busy.
        if isinstance(error, sqlite3.Error) and (
            getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
        ):
            return BUSY
        error = cause
    return None
