"""Inserting many plain rows."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from django.db import connection, models

# So many values are bound at once where the database tells no limit.
_MOST_VALUES = 999


def insert(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows of database values into these columns, without ids in return.

    `bulk_create` makes an object of each row and a clause of each value: that takes four times as long. PostgreSQL
    is quick only with COPY, and SQLite takes half as long for many rows in one statement as for one in each.
    """
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)  # noqa: SLF001 -- Django documents it
    names = ", ".join(map(quote, columns))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with connection.wrap_database_errors, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        together = max((connection.features.max_query_params or _MOST_VALUES) // len(columns), 1)
        row = f"({', '.join('?' * len(columns))})"
        for start in range(0, len(rows), together):
            some = rows[start : start + together]
            # Names come from the model, values are bound; SQLite's own place holders, since Django would look for and
            # replace each of its own: that takes as long as the insertion.
            statement = f"INSERT INTO {table} ({names}) VALUES {', '.join([row] * len(some))}"  # noqa: S608
            with connection.wrap_database_errors:
                connection.connection.execute(statement, list(chain.from_iterable(some)))


def count_anew(tables: Iterable[type[models.Model]]) -> None:
    """Have PostgreSQL count what tables hold now.

    Until it does so by itself, minutes later, it plans as if they were empty: loading an analysis of half a million
    rows took 13 s instead of 1.5 s.
    """
    if connection.vendor == "postgresql":
        quote = connection.ops.quote_name
        names = ", ".join(quote(model._meta.db_table) for model in tables)  # noqa: SLF001 -- Django documents it
        with connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {names}")
