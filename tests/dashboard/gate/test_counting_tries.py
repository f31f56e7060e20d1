"""Tries are counted once each, whoever counts beside one, and forgotten after minutes."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connection, connections
from django.utils import timezone

from dashboard.models import TryCount
from dashboard.services.tries import BRAKE_MINUTES, count_try, tries

THREADS, EACH = 4, 5


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_no_try_is_lost_when_several_are_counted_at_once() -> None:
    """As threads and processes of the web server do; the first ones make the row."""
    begin = Barrier(THREADS)
    told: list[int] = []

    def count() -> None:
        begin.wait()
        told.extend(count_try(("alice", "192.0.2.1")) for _ in range(EACH))
        connections.close_all()

    threads = [Thread(target=count) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == list(range(1, THREADS * EACH + 1))
    assert tries(("alice", "192.0.2.1")) == THREADS * EACH
    assert tries(("alice", "192.0.2.2")) == 0


@pytest.mark.django_db
def test_after_the_minutes_it_begins_anew() -> None:
    assert [count_try("x"), count_try("x"), count_try("y")] == [1, 2, 1]
    earlier = timezone.now() - timedelta(minutes=BRAKE_MINUTES)
    TryCount.objects.update(ends_at=earlier)
    assert tries("x") == 0
    assert [count_try("x"), count_try("x")] == [1, 2]
    assert tries("x") == 2


@pytest.mark.django_db
def test_who_tried_is_not_stored() -> None:
    count_try(("alice", "192.0.2.1"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM dashboard_trycount")
        assert "alice" not in str(cursor.fetchall())
