"""Inserting many plain rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
from django.db import connection, models
from numpy.typing import NDArray

# So many values are bound at once where the database tells no limit.
_MOST_VALUES = 999
# The share of new rows from which on PostgreSQL counts a table anew by itself, too.
_COUNTED_SHARE = 0.1
# PostgreSQL's columns of numbers, as their bytes travel; what stands before and behind all rows.
_BINARY = {"bigint": ">i8", "integer": ">i4", "double precision": ">f8"}
_HEADER, _END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"


def insert(model: type[models.Model], columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows of database values into these columns, without ids in return.

    `bulk_create` makes an object of each row and a clause of each value: that takes four times as long. PostgreSQL
    is quick only with COPY, and SQLite takes half as long for many rows in one statement as for one in each.
    """
    if connection.vendor == "postgresql":
        # Without the length that texts are limited to; a text of bytes would be twice as long, and take five times as long. Of
        # a document there is the text.
        types = [one.partition("(")[0] for one in _types(model, columns)]
        is_binary = "jsonb" not in types
        with _copy(model, columns, "(FORMAT BINARY)" if is_binary else "") as copy:
            if is_binary:
                copy.set_types(types)
            for row in rows:
                copy.write_row(row)
        return
    together = _rows_together(len(columns))
    for start in range(0, len(rows), together):
        some = rows[start : start + together]
        _execute(model, columns, len(some), list(chain.from_iterable(some)))


def insert_arrays(model: type[models.Model], columns: Mapping[str, NDArray[Any]]) -> None:
    """Insert columns of numbers, shape (n,) each, as `insert` does; NaN stands for null. No value becomes a row of its own.

    PostgreSQL gets the bytes that it stores: that takes a tenth of the time that text does.
    """
    names, arrays = list(columns), list(columns.values())
    if connection.vendor == "postgresql":
        kinds = [_BINARY[one] for one in _types(model, names)]
        with _copy(model, names, "(FORMAT BINARY)") as copy:
            copy.write(_HEADER + _binary_rows(arrays, kinds) + _END)
        return
    width, together = len(names), _rows_together(len(names))
    cells = [_with_nulls(one) for one in arrays]
    for start in range(0, len(arrays[0]), together):
        rows = len(cells[0][start : start + together])
        values = [None] * (width * rows)
        for place, one in enumerate(cells):
            values[place::width] = one[start : start + rows]
        _execute(model, names, rows, values)


def _types(model: type[models.Model], columns: Sequence[str]) -> list[str]:
    return [model._meta.get_field(name).db_type(connection) or "" for name in columns]  # noqa: SLF001 -- Django documents it


def _with_nulls(array: NDArray[Any]) -> list[Any]:
    """Python's numbers, None for NaN."""
    missing = np.flatnonzero(np.isnan(array))
    cells: list[Any] = array.tolist()
    for place in missing.tolist():
        cells[place] = None
    return cells


def _binary_rows(arrays: Sequence[NDArray[Any]], types: Sequence[str]) -> bytes:
    """Rows as PostgreSQL documents them for COPY: how many fields, and for each its length (-1: null) and its bytes."""
    kinds = [("fields", ">i2")]
    for place, kind in enumerate(types):
        kinds += [(f"length{place}", ">i4"), (f"value{place}", kind)]
    rows = np.empty(len(arrays[0]), dtype=kinds)
    rows["fields"] = len(arrays)
    kept = np.ones((len(rows), rows.itemsize), dtype=bool)
    # Behind the number of fields, each value follows its length.
    end = rows["fields"].itemsize
    for place, array in enumerate(arrays):
        size, missing = rows[f"value{place}"].itemsize, np.isnan(array)
        start = end + rows[f"length{place}"].itemsize
        end = start + size
        rows[f"length{place}"] = np.where(missing, -1, size)
        rows[f"value{place}"] = array
        kept[missing, start:end] = False
    every = rows.view(np.uint8).reshape(kept.shape)
    return (every if kept.all() else every[kept]).tobytes()


@contextmanager
def _copy(model: type[models.Model], columns: Sequence[str], form: str) -> Iterator[Any]:
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, columns))
    statement = f"COPY {quote(model._meta.db_table)} ({names}) FROM STDIN {form}"  # noqa: SLF001 -- Django documents it
    with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(statement) as copy:
        yield copy


def _rows_together(columns: int) -> int:
    return max((connection.features.max_query_params or _MOST_VALUES) // columns, 1)


def _execute(model: type[models.Model], columns: Sequence[str], rows: int, values: Sequence[Any]) -> None:
    """Insert so many rows, whose `values` follow each other, in one statement.

    Names come from the model, values are bound; SQLite's own place holders, since Django would look for and replace each
    of its own: that takes as long as the insertion.
    """
    quote = connection.ops.quote_name
    table, names = quote(model._meta.db_table), ", ".join(map(quote, columns))  # noqa: SLF001 -- Django documents it
    row = f"({', '.join('?' * len(columns))})"
    statement = f"INSERT INTO {table} ({names}) VALUES {', '.join([row] * rows)}"  # noqa: S608
    connection.ensure_connection()
    with connection.wrap_database_errors:
        connection.connection.execute(statement, values)


def count_anew(tables: Iterable[type[models.Model]], *, rows: int) -> None:
    """Have PostgreSQL count what those of these tables hold now that so many new `rows` change by a tenth or more.

    Until it does so by itself, minutes later, it plans as if they were empty: loading an analysis of half a million
    rows took 13 s instead of 1.5 s. To count them takes a quarter of a second, as long as a small import does.
    """
    if connection.vendor != "postgresql":
        return
    wanted = [model._meta.db_table for model in tables]  # noqa: SLF001 -- Django documents it
    with connection.cursor() as cursor:
        # The number of rows when they were counted last is -1 where they never were.
        cursor.execute(
            "SELECT relname FROM pg_class WHERE oid = ANY(%s::regclass[]) AND reltuples <= %s",
            [list(map(connection.ops.quote_name, wanted)), rows / _COUNTED_SHARE],
        )
        if names := ", ".join(connection.ops.quote_name(name) for (name,) in cursor.fetchall()):
            cursor.execute(f"ANALYZE {names}")
