"""What `serve` starts: the checks before it, its children, and the wait until the server answers."""

import fcntl
import http.client
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from dashboard.celery import ONE_THREAD
from dashboard.models import Job
from dashboard.services.serving.broker_files import prepare_folders
from dashboard.services.serving.child_processes import Child
from dashboard.services.serving.programs import web_server, worker

_SHORTEST_KEY = 32
_FEWEST_SIGNS = 8
# What is kept for measured programs, which may run as another account; `runner_state` is the state in it.
_SUBJECTS_FOLDER = "runner"
_LOCK = "serve.lock"
PORT = 8000


class ServeError(Exception):
    """Why the server cannot start, in one line for the person at the terminal."""


def check_key() -> None:
    """Raise `ServeError` without a secret key, or with one that can be guessed."""
    try:
        key = settings.SECRET_KEY
    except ImproperlyConfigured:
        key = ""
    if not key:
        raise ServeError(
            "no secret key: set PERFATLAS_SECRET_KEY in the environment or in .env (`make demo` writes one)"
        )
    if len(key) < _SHORTEST_KEY or len(set(key)) < _FEWEST_SIGNS:
        raise ServeError(
            f"the secret key can be guessed: give PERFATLAS_SECRET_KEY at least {_SHORTEST_KEY} random characters"
        )


def check_var() -> None:
    """Make `var/`. Raise `ServeError` where it cannot be made or written.

    Other accounts are left nothing in it but the way to what subjects need; nor the file with the secret key. Files of
    earlier versions are open: database and sessions, uploads, messages of the broker, logs. What belongs to another
    account is left as it is.
    """
    folder = Path(settings.VAR)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        folder.chmod(0o711)
        outside = [Path(settings.BASE_DIR) / ".env"]
        database = settings.DATABASES["default"]
        if database["ENGINE"].endswith("sqlite3"):
            # It may lie elsewhere.
            outside += [Path(f"{database['NAME']}{ending}") for ending in ("", "-wal", "-shm")]
        for path in (*folder.iterdir(), *(path for path in outside if path.is_file())):
            # Another command may be at work: what a database keeps beside itself comes and goes.
            with suppress(FileNotFoundError):
                _close_to_others(path)
    except OSError as error:
        raise ServeError(
            f"cannot write in {folder} ({error.strerror}): make it writable, or set PERFATLAS_VAR to a folder that is"
        ) from error


def _close_to_others(path: Path) -> None:
    status = path.lstat()
    is_ours = status.st_uid == os.getuid() and not stat.S_ISLNK(status.st_mode)
    if is_ours and path.name != _SUBJECTS_FOLDER:
        path.chmod(0o700 if stat.S_ISDIR(status.st_mode) else 0o600)


@contextmanager
def serving_alone(address: str = "") -> Iterator[None]:
    """Hold `var/` for this process alone, which serves at an `address`, if any; other commands name it in links.

    Raise `ServeError` where others use it; the kernel frees it when this one dies.
    """
    file = _locked(fcntl.LOCK_EX)
    try:
        if address:
            os.ftruncate(file, 0)
            os.write(file, address.encode())
        yield
    finally:
        os.close(file)


def served_address() -> str:
    """Where `serve` is opened, or was last; where it serves by itself if it never did."""
    lock = Path(settings.VAR) / _LOCK
    return (lock.read_text(encoding="utf-8") if lock.is_file() else "") or f"http://127.0.0.1:{PORT}"


def hold_var() -> None:
    """Hold `var/` together with others that do so, as long as this process lives and whatever program it becomes.

    Raise `ServeError` where `serve` or `restore` has it for itself.
    """
    os.set_inheritable(_locked(fcntl.LOCK_SH), True)


def _locked(how: int) -> int:
    file = os.open(Path(settings.VAR) / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(file)
        raise ServeError(
            f"another `serve` already uses {settings.VAR}, or a worker does: stop it, or set PERFATLAS_VAR to another folder"
        ) from error
    return file


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raise `ServeError` where the address is not to be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ServeError(
            f"cannot listen on {host}, port {port} ({reason}): stop what uses it, or choose another with --port"
        ) from error
    return listener


def prepare_broker() -> None:
    """Make the embedded broker's folders and empty them: the rows know what waits. Raise `ServeError`."""
    if not settings.CELERY_BROKER_URL.startswith("filesystem:"):
        return
    try:
        prepare_folders(settings.CELERY_BROKER_TRANSPORT_OPTIONS)
    except OSError as error:
        raise ServeError(f"cannot prepare the broker's folder {error.filename} ({error.strerror})") from error


def child_processes(listener: socket.socket) -> list[Child]:
    """Those to be started: the web server on the listening socket, and one worker for each queue."""
    environment = os.environ | ONE_THREAD
    web = web_server(f"fd://{listener.fileno()}")
    return [
        Child("the web server", web, environment, (listener.fileno(),)),
        *(Child(f"the worker of queue {queue!r}", worker(queue), environment) for queue in Job.Queue.values),
    ]


def reachable_at(host: str) -> str:
    """An address at which a server that listens on `host` is reached from this machine."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 -- compared, not bound


def public_address(host: str, port: int) -> str:
    """Where people open the server; `host` as of `reachable_at`. Behind a proxy that is what the proxy is called."""
    if settings.PUBLIC_URL:
        return str(settings.PUBLIC_URL)
    if settings.SECURE_SSL_REDIRECT:
        return str(next(iter(settings.CSRF_TRUSTED_ORIGINS), f"https://{settings.ALLOWED_HOSTS[0]}"))
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def answers(host: str, port: int, *, timeout_seconds: float) -> bool:
    """Whether the web server answers and does not fail; `host` as of `reachable_at`."""
    allowed = next((name for name in settings.ALLOWED_HOSTS if not name.startswith(("*", "."))), host)
    client = http.client.HTTPConnection(host, port, timeout=timeout_seconds)
    try:
        # As a proxy asks: behind TLS all else is led to https://.
        client.request("GET", "/healthz", headers={"Host": allowed, "X-Forwarded-Proto": "https"})
        return client.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
    except (OSError, http.client.HTTPException):
        return False
    finally:
        client.close()
