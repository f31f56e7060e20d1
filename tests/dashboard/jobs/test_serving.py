"""What must be right before the server starts; else one clear line."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import LazySettings
from django.db import OperationalError
from django.db.migrations.executor import MigrationExecutor

from dashboard.management.commands import serve
from dashboard.services.serving import tables
from dashboard.services.serving.start import (
    ServeError,
    answers,
    check_key,
    check_var,
    listen,
    prepare_broker,
    served_address,
    serving_alone,
)
from dashboard.services.serving.tables import migrate
from runner.pip import build_limits
from runner.processes import run
from runner.state import open_state


@pytest.mark.parametrize(
    ("host", "is_open"),
    [("0.0.0.0", True), ("192.0.2.7", True), ("127.0.0.1", False), ("::1", False)],  # noqa: S104 -- not bound
)
def test_that_other_machines_reach_it_is_said(
    monkeypatch: pytest.MonkeyPatch, host: str, *, is_open: bool
) -> None:
    """Without listening there: no server of a test is reached from elsewhere."""
    listener = SimpleNamespace(getsockname=lambda: (host, 8000))
    for name in ("check_key", "check_var", "migrate", "prepare_broker", "queue_outdated_fits"):
        monkeypatch.setattr(serve, name, lambda **_: 0)
    monkeypatch.setattr(serve, "listen", lambda *_: nullcontext(listener))
    monkeypatch.setattr(serve, "serving_alone", lambda _: nullcontext())
    monkeypatch.setattr(serve.Command, "_serve", lambda *_, **__: None)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    told = StringIO()
    serve.Command(stderr=told).handle(host=host, port=8000, no_browser_link=True)
    assert ("put a proxy with TLS before it" in told.getvalue()) is is_open


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


@pytest.mark.parametrize("key", ["", "x", "short", "a" * 60, "ab" * 30])
def test_a_key_is_asked_for(settings: LazySettings, key: str) -> None:
    """No default key, and none that can be guessed: sessions could be forged."""
    check_key()
    settings.SECRET_KEY = key
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


def test_what_is_not_for_subjects_is_closed_to_other_accounts(settings: LazySettings, tmp_path: Path) -> None:
    """Also what an earlier version left open; the folder of subjects stays as it is."""
    settings.VAR, settings.BASE_DIR = tmp_path / "var", tmp_path
    check_var()
    (settings.VAR / "uploads").mkdir(mode=0o755)
    (settings.VAR / "runner").mkdir(mode=0o755)
    for path in (
        tmp_path / ".env",
        settings.VAR / "perfatlas.sqlite3",
        settings.VAR / "perfatlas.sqlite3-wal",
    ):
        path.touch(mode=0o644)
    (settings.VAR / "link").symlink_to("/etc/passwd")
    check_var()
    modes = {path.name: path.stat().st_mode & 0o777 for path in (*settings.VAR.iterdir(), tmp_path / ".env")}
    assert modes == {
        ".env": 0o600,
        "perfatlas.sqlite3": 0o600,
        "perfatlas.sqlite3-wal": 0o600,
        "uploads": 0o700,
        "runner": 0o755,
        "link": Path("/etc/passwd").stat().st_mode & 0o777,
    }
    assert settings.VAR.stat().st_mode & 0o777 == 0o711


def test_a_database_that_lies_elsewhere_is_closed_too(
    settings: LazySettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.VAR, settings.BASE_DIR = tmp_path / "var", tmp_path
    database = tmp_path / "elsewhere.sqlite3"
    database.touch(mode=0o644)
    default = {**settings.DATABASES["default"], "ENGINE": "django.db.backends.sqlite3", "NAME": str(database)}
    monkeypatch.setitem(settings.DATABASES, "default", default)
    check_var()
    assert database.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become somebody else")
def test_a_measured_program_cannot_read_the_database(settings: LazySettings) -> None:
    """As `nobody` it finds its own folder and nothing else: no sessions, no password hashes, no key."""
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-test-"))
    folder.chmod(0o755)
    settings.VAR, settings.BASE_DIR = folder / "var", folder
    settings.VAR.mkdir()
    closed = [settings.VAR / "perfatlas.sqlite3", settings.VAR / "uploads" / "upload.csv", folder / ".env"]
    closed[1].parent.mkdir()
    for path in closed:
        path.write_text("secret")
        path.chmod(0o644)
    try:
        check_var()
        state = open_state(settings.VAR / "runner")
        own = state.folder("subjects") / "own.txt"
        own.write_text("own")
        own.chmod(0o644)
        with state.scratch() as scratch:
            outcome = run(
                ["/bin/cat", str(own), *map(str, closed)],
                folder=scratch,
                environment={"LC_ALL": "C"},
                limits=build_limits(10.0),
                user=state.user,
            )
            listing = run(
                ["/bin/ls", str(settings.VAR)],
                folder=scratch,
                environment={"LC_ALL": "C"},
                limits=build_limits(10.0),
                user=state.user,
            )
    finally:
        shutil.rmtree(folder)
    assert outcome.output.startswith("own")
    assert outcome.output.count("Permission denied") == len(closed)
    assert "secret" not in outcome.output
    assert not listing.succeeded


def test_two_servers_do_not_share_a_folder(settings: LazySettings, tmp_path: Path) -> None:
    """The second would empty the first one's broker."""
    settings.VAR = tmp_path
    with serving_alone(), pytest.raises(ServeError, match="another `serve` already uses"), serving_alone():
        pass
    with serving_alone():
        pass


def test_links_of_commands_begin_where_the_server_was_opened_last(
    settings: LazySettings, tmp_path: Path
) -> None:
    settings.VAR = tmp_path
    assert served_address() == "http://127.0.0.1:8000"
    for address in ("http://192.0.2.7:18123", "http://127.0.0.1:81"):
        with serving_alone(address):
            assert served_address() == address
    with serving_alone():
        assert served_address() == "http://127.0.0.1:81"


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

    monkeypatch.setattr(tables, "MigrationExecutor", fail)
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


def test_a_web_server_that_answers_has_loaded_all_that_it_needs() -> None:
    code = "import sys; import dashboard.wsgi; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(told.stdout.split())
    assert {"dash", "dashboard.dash_app", "dashboard.pages.home", "ruptures"} <= loaded
    # What takes uploads, and what sends their jobs.
    assert {"dashboard.api.imports", "celery.canvas", "dashboard.services.serving.broker_files"} <= loaded


_STARTED = """
import gc, os, threading
from types import SimpleNamespace
from dashboard.services.serving.web_server import on_starting
on_starting(SimpleNamespace(cfg=SimpleNamespace(workers=1)))
from django.db import connections
opened = [one for one in connections.all(initialized_only=True) if one.connection is not None]
print(gc.get_freeze_count(), len(gc.get_objects()), "dashboard.dash_app" in __import__("sys").modules, threading.active_count(), len(opened))
"""


def test_a_web_server_loads_the_application_once_for_all_its_processes() -> None:
    """No search for cycles goes through it; neither threads nor connections are shared, which a fork would break."""
    told = subprocess.run([sys.executable, "-c", _STARTED], capture_output=True, text=True, check=True)
    kept, left, loaded, threads, opened = told.stdout.split()
    assert int(kept) > 100 * int(left)
    assert (loaded, threads, opened) == ("True", "1", "0")


def test_a_worker_imports_no_page() -> None:
    """It would take twice as long to start, and half of its memory more."""
    code = "import sys; from dashboard.celery import app; app.loader.import_default_modules(); print(*sys.modules)"
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    )
    imported = told.stdout.split()
    assert "dashboard.tasks" in imported
    # Nor what few histories need: a sixth of a second.
    assert not {"dashboard.urls", "dashboard.pages", "dash", "scipy.optimize"} & set(imported)
