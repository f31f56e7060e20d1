"""A database that does not answer is told in one sentence, by pages, the API and the explorer; it is no fault of ours."""

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, OperationalError, connection
from django.test import Client

from dashboard.outages import BUSY, SILENT, remedy_of
from dashboard.pages.frame.problems import problem
from tests.people import Person


def raised(sqlstate: str | None) -> OperationalError:
    """As Django raises what PostgreSQL's library raised."""
    cause = psycopg.OperationalError("the connection is closed")
    cause.sqlstate = sqlstate
    error = OperationalError(str(cause))
    error.__cause__ = cause
    return error


@contextmanager
def silent() -> Iterator[None]:
    """Nothing that is asked of the database is answered."""

    def refuse(*_: Any) -> Any:
        raise raised("57P01")

    with connection.execute_wrapper(refuse):
        yield


@pytest.mark.parametrize("sqlstate", [None, "08006", "57P01", "57P03"])
def test_a_database_that_is_away_is_known(sqlstate: str | None) -> None:
    assert remedy_of(raised(sqlstate)) == SILENT


@pytest.mark.parametrize(
    "error", [raised("40P01"), OperationalError("database is locked"), DatabaseError("x"), OSError("x")]
)
def test_other_errors_are_none(error: Exception) -> None:
    """A deadlock, what no database tells a code of, and what none raised."""
    assert remedy_of(error) is None


def test_a_database_that_somebody_writes_to_for_long_is_told(tmp_path: Path) -> None:
    first, second = (sqlite3.connect(tmp_path / "db", timeout=0, isolation_level=None) for _ in range(2))
    with closing(first), closing(second):
        first.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError) as caught:
            second.execute("BEGIN IMMEDIATE")
    # As Django raises it.
    error = OperationalError(str(caught.value))
    error.__cause__ = caught.value
    assert remedy_of(error) == BUSY


@pytest.mark.django_db
def test_pages_and_the_api_say_so_and_to_try_again(client: Client, alice: Person) -> None:
    client.force_login(alice.user)
    client.raise_request_exception = False
    with silent():
        page = client.get("/app/")
        answer = client.get("/api/v1/systems", headers={"Authorization": "Bearer perfatlas_x"})
    assert (page.status_code, answer.status_code) == (503, 503)
    assert b"The database does not answer" in page.content
    assert answer.json()["detail"] == SILENT
    assert page["Retry-After"] == answer["Retry-After"] == "5"
    assert client.get("/app/").status_code == 200


def test_the_explorer_says_so_without_an_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        shown = str(problem(raised(None)))
    assert "The database does not answer" in shown
    assert "Something went wrong" not in shown
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]
