"""Reading many plain numbers."""

from collections.abc import Mapping
from contextlib import suppress
from struct import Struct
from typing import Any

import numpy as np
from django.core.exceptions import EmptyResultSet
from django.db import connection, models
from django.db.models import F, Value
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

# So many rows are read at once where each comes as a row.
_TOGETHER = 20_000
# Of what PostgreSQL copies out: what stands before the first field, of a field, and before the elements of an array.
_BEFORE_FIELDS, _LENGTH, _BEFORE_ELEMENTS = 21, Struct(">i"), 20


def read_arrays(rows: models.QuerySet[Any], columns: Mapping[str, str]) -> list[NDArray[Any]]:
    """These columns of numbers by their numpy types, shape (n,) each and in any order of rows; null is NaN.

    PostgreSQL gives the bytes that it stores: to make a row of Python's objects of each takes ten times as long, and so does COPY of
    one row after the other.
    """
    if connection.vendor == "postgresql":
        with suppress(EmptyResultSet):
            return _copied(rows, columns)
    found = rows.values_list(*columns).iterator(chunk_size=_TOGETHER)
    cells = list(zip(*found, strict=True)) or [()] * len(columns)
    return [np.array(cell, dtype=kind) for cell, kind in zip(cells, columns.values(), strict=True)]


def _copied(rows: models.QuerySet[Any], columns: Mapping[str, str]) -> list[NDArray[Any]]:
    """Each column as one array of PostgreSQL, as it documents them for COPY: of one row that holds them all."""
    cells, types = [], []
    for name, kind in columns.items():
        field = rows.model._meta.get_field(name.removesuffix("_id"))  # noqa: SLF001 -- Django documents it
        # An element that is null would be shorter than the others.
        cells.append(Coalesce(F(name), Value(float("nan"))) if field.null else F(name))
        size = 4 if field.db_type(connection) == "integer" else 8
        types.append(np.dtype([("length", ">i4"), ("value", f">{kind[0]}{size}")]))
    inner, bound = rows.values_list(*cells).query.sql_with_params()
    names = [f"cell{place}" for place in range(len(cells))]
    arrays = ", ".join(f"array_agg({name})" for name in names)
    statement = f"SELECT {arrays} FROM ({inner}) AS rows ({', '.join(names)})"  # noqa: S608 -- Django's own, values bound
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.cursor.copy(f"COPY ({statement}) TO STDOUT (FORMAT BINARY)", bound) as copy,
    ):
        content = b"".join(copy)
    found, start = [], _BEFORE_FIELDS
    for kind, of_elements in zip(columns.values(), types, strict=True):
        (size,) = _LENGTH.unpack_from(content, start)
        start += _LENGTH.size
        if size > _BEFORE_ELEMENTS:
            elements = np.frombuffer(content[start + _BEFORE_ELEMENTS : start + size], dtype=of_elements)
            found.append(elements["value"].astype(kind))
        else:
            found.append(np.zeros(0, dtype=kind))
        start += max(size, 0)
    return found
