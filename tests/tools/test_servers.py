"""Throw-away servers answer while they are needed and are gone afterwards."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import redis

from tools import servers
from tools.servers import Unavailable, throwaway_postgresql, throwaway_redis


def _postgresql_is_installed() -> bool:
    try:
        servers._postgresql_program("initdb")
    except Unavailable:
        return False
    return True


def test_a_throwaway_postgresql_answers_and_is_stopped() -> None:
    """Not as root; its folder goes with it."""
    if not _postgresql_is_installed():
        pytest.skip("PostgreSQL is not installed")
    with throwaway_postgresql() as address:
        with psycopg.connect(f"{address}/postgres") as connection:
            row = connection.execute("SHOW data_directory").fetchone()
            owner = connection.execute("SELECT pg_backend_pid()").fetchone()
        assert row is not None
        assert owner is not None
        folder = Path(row[0])
        assert folder.stat().st_uid != 0
    assert not folder.exists()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(f"{address}/postgres", connect_timeout=3)


@pytest.mark.redis
def test_a_throwaway_redis_answers_and_is_stopped() -> None:
    """Also when the block ends by an exception."""
    if shutil.which("redis-server") is None:
        pytest.skip("Redis is not installed")
    address = ""

    def work() -> None:
        nonlocal address
        with throwaway_redis() as address, redis.Redis.from_url(address) as client:
            assert client.ping()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    with redis.Redis.from_url(address) as client, pytest.raises(redis.ConnectionError):
        client.ping()


@pytest.mark.redis
def test_the_database_of_a_run_is_its_own(redis_url: str) -> None:
    """A second run that starts meanwhile gets another one, and clears it at its end."""
    with redis.Redis.from_url(redis_url) as mine:
        mine.set("mine", 1)
        with servers.redis_server() as other_url, redis.Redis.from_url(other_url) as other:
            assert other.get("mine") is None
            other.set("theirs", 1)
        assert mine.get("mine") == b"1"
        mine.delete("mine")
    with redis.Redis.from_url(other_url) as other, suppress(redis.ConnectionError):
        assert other.get("theirs") is None


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message tells which program is missing."""
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(Unavailable, match="redis-server is not installed"), throwaway_redis():
        pass
    with pytest.raises(Unavailable, match="initdb is not installed"), throwaway_postgresql():
        pass


def test_no_account_is_given_up_where_there_is_none_to_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """An ordinary user starts PostgreSQL as itself."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert servers._unprivileged_account() is None
