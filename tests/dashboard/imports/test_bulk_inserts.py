"""Rows that are inserted in bulk: every value arrives, however many statements it takes, and faults are Django's."""

import math

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from dashboard.models import Point
from dashboard.services.bulk_inserts import count_anew, insert, insert_arrays

pytestmark = pytest.mark.django_db

COLUMNS = ("series_id", "revision_id", "batch_id", "n", "median", "spread")


def test_every_row_arrives_as_it_is() -> None:
    # More than one statement holds, with an odd rest.
    rows = [(7, number, 9, 1, math.pi / number, None if number % 2 else 0.1) for number in range(1, 1_235)]
    with transaction.atomic():
        insert(Point, COLUMNS, rows)
    assert list(Point.objects.order_by("revision_id").values_list(*COLUMNS)) == rows


def test_columns_of_numbers_arrive_as_rows_do() -> None:
    """NaN is null, of whole numbers as large as the columns take; none at all is no statement."""
    rows = [(7, n, 9, 2**31 - n, math.pi / n, None if n % 3 else -1e308) for n in range(1, 1_235)]
    columns = {name: np.array(column) for name, column in zip(COLUMNS, zip(*rows, strict=True), strict=True)}
    columns["spread"] = columns["spread"].astype(np.float64)
    with transaction.atomic():
        insert_arrays(Point, columns)
        insert_arrays(Point, {name: column[:0] for name, column in columns.items()})
    assert list(Point.objects.order_by("revision_id").values_list(*COLUMNS)) == rows


def test_columns_twice_are_an_integrity_error_of_django() -> None:
    columns = dict(zip(COLUMNS, np.array([[7, 7], [8, 8], [9, 9], [1, 1], [1, 1], [1, 1]]), strict=True))
    with pytest.raises(IntegrityError), transaction.atomic():
        insert_arrays(Point, columns)


def test_no_reference_of_a_point_is_checked_and_no_index_is_there_twice() -> None:
    """See docs/adr/0008-points-without-foreign-keys.md: each costs millions of checks, or of entries, in an import."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, "dashboard_point").values()
    assert not [one for one in found if one["foreign_key"]]
    indexes = {tuple(one["columns"]) for one in found if one["index"] or one["unique"]}
    assert indexes - {("id",)} == {("series_id", "revision_id"), ("batch_id",)}


def test_nothing_inserted_is_no_statement() -> None:
    with transaction.atomic():
        insert(Point, COLUMNS, [])
    assert not Point.objects.exists()


def test_a_row_twice_is_an_integrity_error_of_django() -> None:
    row = (7, 8, 9, 1, 1.0, None)
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(Point, COLUMNS, [row, row])
    assert not Point.objects.exists()


def test_tables_are_counted_anew_where_a_tenth_of_their_rows_is_new() -> None:
    """And where they never were; of SQLite nothing is asked."""

    def counted(rows: int) -> bool:
        with CaptureQueriesContext(connection) as asked:
            count_anew((Point,), rows=rows)
        return any("ANALYZE" in one["sql"] for one in asked)

    is_counted_by_us = connection.vendor == "postgresql"
    with transaction.atomic():
        if is_counted_by_us:
            # A count outlives the rollback of other tests, and PostgreSQL counts by itself: of a new file nothing is known,
            # and nobody else counts it while it is locked.
            with connection.cursor() as cursor:
                cursor.execute("TRUNCATE dashboard_point")
        insert(Point, COLUMNS, [(7, number, 9, 1, 1.0, None) for number in range(100)])
        assert counted(1) == is_counted_by_us
        assert not counted(9)
        assert counted(10) == is_counted_by_us
