"""A full disk: recognised in what databases and files raise, and told in one sentence, so that nobody looks for a fault of ours."""

import errno
import sqlite3

from django.db import DatabaseError

REMEDY = "no room is left on the disk: free some, then try again; what was stored before is kept"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
# PostgreSQL's disk_full, appendix A of its manual.
_POSTGRESQL_FULL = "53100"


def is_full(error: BaseException | None) -> bool:
    """Whether a full disk is behind this error or one of those that it was raised from."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        # Both databases say so by a code of their own, below Django's error.
        if (
            isinstance(error, sqlite3.Error)
            and getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        ):
            return True
        if getattr(error, "sqlstate", None) == _POSTGRESQL_FULL:
            return True
        error = error.__cause__ or (error.__context__ if isinstance(error, DatabaseError) else None)
    return False
