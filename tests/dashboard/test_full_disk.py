"""A full disk is told in one sentence, by commands, pages and jobs; what was stored before is kept."""

import errno
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import OperationalError, connection, transaction
from django.test import Client

import manage
from dashboard.full_disk import REMEDY, is_full
from dashboard.models import System
from dashboard.services.logins import create_login_token
from tests.dashboard.importers import comprex_sample as sample
from tests.people import Person

_POSTGRESQL = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$"


@contextmanager
def full_disk() -> Iterator[None]:
    """Let every write to the database meet the error of a full disk, the database's own."""

    def write(execute: Any, sql: str, *given: Any) -> Any:
        if not sql.startswith(("INSERT", "UPDATE")):
            return execute(sql, *given)
        if connection.vendor == "postgresql":
            return execute(_POSTGRESQL, None, False, given[-1])
        with connection.wrap_database_errors, sqlite3.connect(":memory:") as small:
            small.execute("PRAGMA max_page_count = 1")
            return small.execute("CREATE TABLE t (x)")

    with connection.execute_wrapper(write):
        yield


@pytest.mark.django_db
def test_the_databases_own_error_is_known() -> None:
    with full_disk(), transaction.atomic(), pytest.raises(OperationalError) as raised:
        System.objects.create(slug="x", name="X")
    assert is_full(raised.value)
    assert is_full(OSError(errno.EDQUOT, "Disk quota exceeded"))
    assert not is_full(OperationalError("database is locked"))
    assert not is_full(OSError(errno.EACCES, "Permission denied"))


@pytest.mark.django_db
def test_a_command_ends_with_1_and_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is half stored, and with room the same command does it."""
    arguments = [
        "import",
        "comprex",
        str(sample.as_folder(tmp_path / "toy", sample.files())),
        "--system",
        "Toy",
    ]
    monkeypatch.setattr(sys, "argv", ["manage.py", *arguments])
    monkeypatch.setattr(os, "umask", lambda _: 0)
    # A command that ends closes its connections, which are the test's.
    monkeypatch.setattr("django.core.management.base.connections.close_all", lambda: None)
    with full_disk(), transaction.atomic(), pytest.raises(SystemExit) as ended:
        manage.main()
    # A text as the code goes to standard error, and the process ends with 1.
    assert ended.value.code == REMEDY
    assert not System.objects.filter(visible=True).exists()
    call_command(*arguments, stdout=StringIO(), stderr=StringIO())
    assert System.objects.get().name == "Toy"


def test_signing_in_says_that_no_room_is_left(client: Client, alice: Person) -> None:
    client.raise_request_exception = False
    link = f"/login/{create_login_token(username='alice')}/"
    with full_disk(), transaction.atomic():
        answer = client.get(link)
    assert answer.status_code == 503
    assert b"No room is left" in answer.content


@pytest.mark.django_db
def test_other_faults_stay_faults(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*, token: str) -> None:
        raise RuntimeError(token)

    monkeypatch.setattr("dashboard.views.redeem_login_token", broken)
    client.raise_request_exception = False
    answer = client.get("/login/abc/")
    assert answer.status_code == 500
    assert b"Something went wrong" in answer.content
