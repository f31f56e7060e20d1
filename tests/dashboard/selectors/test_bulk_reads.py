"""Columns of numbers that are read at once are those that are stored."""

import numpy as np
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from dashboard.models import Point
from dashboard.selectors.bulk_reads import read_arrays
from dashboard.services.bulk_inserts import insert_arrays

pytestmark = pytest.mark.django_db

COLUMNS = {"series_id": "i8", "revision_id": "i8", "n": "i8", "median": "f8", "spread": "f8"}


def test_numbers_come_as_they_are_stored() -> None:
    """The largest and the smallest, whole ones and such as no decimal tells; null is NaN."""
    rows = ([1 << 40, 2, 3], [7, 8, 9], [1, 2**31 - 1, 5], [0.1, -1e300, 5e-324], [np.nan, 1 / 3, 0.0])
    stored = {name: np.array(row, dtype=COLUMNS[name]) for name, row in zip(COLUMNS, rows, strict=True)}
    with transaction.atomic():
        insert_arrays(Point, stored | {"batch_id": np.array([1, 1, 1])})
    found = read_arrays(Point.objects.order_by("revision_id"), COLUMNS)
    for column, expected in zip(found, stored.values(), strict=True):
        assert column.dtype == expected.dtype
        np.testing.assert_array_equal(column, expected)


@pytest.mark.parametrize("asked", [{"n": 0}, {"pk__in": []}], ids=["nothing there", "nothing asked"])
def test_no_row_is_columns_without_numbers(asked: dict[str, object]) -> None:
    found = read_arrays(Point.objects.filter(**asked), COLUMNS)
    assert [len(column) for column in found] == [0] * len(COLUMNS)


def test_rows_are_read_where_queries_are_noted_down() -> None:
    """As with `PERFATLAS_DEBUG`: cursors are other ones then."""
    with CaptureQueriesContext(connection):
        assert [len(column) for column in read_arrays(Point.objects.all(), COLUMNS)] == [0] * len(COLUMNS)
