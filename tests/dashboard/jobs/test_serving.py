"""What must be right before the server starts; else one clear line."""

import socket
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor

from dashboard.services.serving import start as serving
from dashboard.services.serving.start import (
    ServeError,
    answers,
    check_key,
    check_var,
    listen,
    migrate,
    prepare_broker,
    serving_alone,
)


def test_a_taken_port_is_named() -> None:
    """With what to do."""
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServeError, match=rf"port {port} \(Address already in use\).*--port"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70000), ("192.0.2.1", 0), ("not a host", 0)])
def test_an_impossible_address_is_named(host: str, port: int) -> None:
    """Out of range, not of this machine, no address at all."""
    with pytest.raises(ServeError, match=f"cannot listen on {host}"):
        listen(host, port)


def test_a_key_is_asked_for(settings: LazySettings) -> None:
    """No default key: sessions could be forged."""
    check_key()
    settings.SECRET_KEY = ""
    with pytest.raises(ServeError, match="PERFATLAS_SECRET_KEY"):
        check_key()


def test_var_must_be_a_folder_that_can_be_written(settings: LazySettings, tmp_path: Path) -> None:
    """It is made where it is absent."""
    settings.VAR = tmp_path / "new" / "var"
    check_var()
    assert settings.VAR.is_dir()
    (tmp_path / "file").touch()
    settings.VAR = tmp_path / "file"
    with pytest.raises(ServeError, match=rf"cannot write in {tmp_path / 'file'} \(File exists\)"):
        check_var()


def test_two_servers_do_not_share_a_folder(settings: LazySettings, tmp_path: Path) -> None:
    """The second would empty the first one's broker."""
    settings.VAR = tmp_path
    with serving_alone(), pytest.raises(ServeError, match="another `serve` already uses"), serving_alone():
        pass
    with serving_alone():
        pass


def test_a_broker_that_cannot_be_prepared_is_named(settings: LazySettings, tmp_path: Path) -> None:
    """A file stands where its folder should be."""
    (tmp_path / "broker").touch()
    settings.CELERY_BROKER_URL = "filesystem://"
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = dict.fromkeys(
        ("data_folder_in", "data_folder_out", "control_folder"), str(tmp_path / "broker")
    )
    with pytest.raises(ServeError, match=f"broker's folder {tmp_path / 'broker'}"):
        prepare_broker()


@pytest.mark.django_db
def test_a_migrated_database_is_left_alone() -> None:
    """A second start changes nothing."""
    assert migrate() == 0


@pytest.mark.django_db
def test_a_silent_database_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the setting that names it."""

    def fail(_connection: object) -> MigrationExecutor:
        raise OperationalError("connection refused\n")

    monkeypatch.setattr(serving, "MigrationExecutor", fail)
    with pytest.raises(ServeError, match=r"\(connection refused\): see DATABASE_URL"):
        migrate()


def test_a_port_where_nobody_answers() -> None:
    """Neither a refused connection nor a silent one counts as an answer."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        port = silent.getsockname()[1]
        assert not answers("127.0.0.1", port, timeout_seconds=0.1)
        silent.listen()
        assert not answers("127.0.0.1", port, timeout_seconds=0.1)
