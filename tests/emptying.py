"""What a test that commits has written is taken away, and nothing else.

Django empties every table and writes its own rows anew: a tenth of a second of processor time, for each such test.
"""

from django.core.management import call_command
from django.db import connection, transaction

# Written by the migrations, of the code alone.
_KEPT = {"django_content_type", "auth_permission"}
# Of all tables together: rows that were deleted or rolled back stay in PostgreSQL's files until a table is truncated.
_MOST_BYTES = 32 * 1024 * 1024


def empty() -> None:
    """Leave the database as migrations leave it, but for sequences, which go on."""
    if _stored_bytes() > _MOST_BYTES:
        call_command("flush", interactive=False, verbosity=0, reset_sequences=False)
        return
    tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
    quoted = {table: connection.ops.quote_name(table) for table in tables - _KEPT}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            " UNION ALL ".join(
                f"SELECT '{table}' WHERE EXISTS (SELECT 1 FROM {name})"  # noqa: S608 -- our own tables
                for table, name in quoted.items()
            )
        )
        # In any order: references are looked at when the transaction ends.
        for (table,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {quoted[table]}")  # noqa: S608 -- likewise


def _stored_bytes() -> int:
    """What the files of all tables take, their dead rows as well; SQLite uses the room of those again."""
    if connection.vendor == "sqlite":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = current_schema()::regnamespace"
        )
        return int(cursor.fetchone()[0])
