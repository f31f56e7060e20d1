"""What stands in `deploy/`: its files agree with each other and with the settings, and its processes do their work.

The command lines of `compose.yaml` run as processes, with the settings of `perfatlas.env.example`, against a PostgreSQL and a
Redis of this machine, behind nginx with the configuration of `deploy/`.
"""

import contextlib
import os
import re
import secrets
import shutil
import signal
import ssl
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import psycopg
import pytest
import yaml

from dashboard.models import Job
from tests.project.tracked import ROOT
from tools.documents_settings import settings_read
from tools.servers import Unavailable, free_port, redis_server, throwaway_postgresql

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
_PATIENCE_SECONDS = 240.0


def _example() -> dict[str, str]:
    lines = (DEPLOY / "perfatlas.env.example").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def _compose() -> dict[str, Any]:
    composed: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return composed


def _commands() -> dict[str, list[str]]:
    """The command of each service of ours, by its name."""
    services = _compose()["services"]
    return {name: one["command"] for name, one in services.items() if one.get("image") == "perfatlas"}


def test_the_example_names_settings_that_there_are() -> None:
    """And what is secret stands in no file of the project."""
    known = {setting.name for setting in settings_read()} | {"POSTGRES_PASSWORD"}
    assert not _example().keys() - known
    assert _example()["PERFATLAS_SECRET_KEY"] == _example()["POSTGRES_PASSWORD"] == "CHANGE"
    ours = (_compose()["services"][name] for name in _commands())
    assert all(one["environment"].keys() <= known and one["env_file"] == "perfatlas.env" for one in ours)


def test_units_and_compose_start_the_same_processes() -> None:
    """One web server, one worker for each queue, one reaper, after the tables are up to date."""
    composed = {" ".join(command[:4]) for command in _commands().values()}
    started = set()
    # That of a measuring machine stands on another host.
    for unit in set(UNITS) - {DEPLOY / "systemd" / "perfatlas-machine.service"}:
        found = re.search(
            r"^ExecStart=/opt/perfatlas/\.venv/bin/python (.*)$", unit.read_text(), re.MULTILINE
        )
        assert found, unit
        for queue in Job.Queue.values if "@" in unit.name else [""]:
            started.add(" ".join(found[1].replace("%i", queue).split()[:4]))
    assert started == composed
    assert len(composed) == 3 + len(Job.Queue.values)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path) -> None:
    """With the project's folder in the place of the one that they name."""
    for unit in UNITS:
        here = unit.read_text().replace("/opt/perfatlas/.venv/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(here.replace("/opt/perfatlas", str(ROOT)))
    (tmp_path / "perfatlas-worker@.service").rename(tmp_path / "perfatlas-worker@default.service")
    names = sorted(str(path) for path in tmp_path.iterdir())
    # It names units of others (postgresql, redis-server) that this machine may lack: they are ordered after, not required.
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, check=False
    )
    about_ours = [line for line in told.stderr.splitlines() if "perfatlas" in line]
    assert (told.returncode, about_ours) == (0, [])


@dataclass(frozen=True, slots=True)
class _Deployment:
    database: str
    environment: Mapping[str, str]
    port: int
    processes: Mapping[str, subprocess.Popen[bytes]]
    log: Path


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Deployment]:
    """Every process of `compose.yaml`, as it is started there."""
    folder = tmp_path_factory.mktemp("deployment")
    with contextlib.ExitStack() as stack:
        try:
            database = f"{stack.enter_context(throwaway_postgresql())}/postgres"
            broker = stack.enter_context(redis_server())
        except Unavailable as missing:
            pytest.skip(str(missing))
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PERFATLAS_") and name != "DJANGO_SETTINGS_MODULE"
        } | _example()
        environment |= {
            "PERFATLAS_SECRET_KEY": secrets.token_urlsafe(50),
            "PERFATLAS_VAR": str(folder / "var"),
            "DATABASE_URL": database,
            "PERFATLAS_BROKER_URL": broker,
            "PERFATLAS_METRICS_TOKEN": secrets.token_urlsafe(30),
        }
        port, log = free_port(), folder / "log"
        at = {"0.0.0.0": "127.0.0.1", "8000": str(port)}  # noqa: S104 -- replaced, not bound
        commands = {name: [at.get(word, word) for word in command] for name, command in _commands().items()}
        with log.open("ab") as said:

            def start(command: list[str]) -> subprocess.Popen[bytes]:
                return subprocess.Popen(
                    [sys.executable, *command], cwd=ROOT, env=environment, stdout=said, stderr=said
                )

            assert start(commands.pop("migrate")).wait() == 0, log.read_text()
            processes = {name: start(command) for name, command in commands.items()}
            try:
                ready = f"http://127.0.0.1:{port}/readyz"
                _wait_until(lambda: _get(ready)[0] == HTTPStatus.OK, log)
                yield _Deployment(database, environment, port, processes, log)
                _end_in_order(processes, database)
            finally:
                for process in processes.values():
                    process.kill()
                    process.wait()


def _end_in_order(processes: Mapping[str, subprocess.Popen[bytes]], database: str) -> None:
    """Asked to end, each process ends with exit code 0; workers take their row away, so that nobody waits for them."""
    for process in processes.values():
        process.terminate()
    assert {name: process.wait(60) for name, process in processes.items()} == dict.fromkeys(processes, 0)
    with psycopg.connect(database) as opened:
        assert opened.execute("SELECT count(*) FROM dashboard_worker").fetchone() == (0,)


def _get(address: str, **headers: str) -> tuple[int, str]:
    class _Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any, **__: Any) -> None:
            return None

    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    opener = urllib.request.build_opener(_Stay, urllib.request.HTTPSHandler(context=trusting))
    try:
        asked = urllib.request.Request(address, headers=headers)  # noqa: S310 -- of our own servers
        with opener.open(asked, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers.get("Location") or error.read().decode()
    except OSError as error:
        return 0, str(error)


def _wait_until(condition: Callable[[], object], log: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.3)


def test_all_parts_become_ready_and_a_job_is_done(deployment: _Deployment) -> None:
    """Ready means: database, tables, broker and both workers. The reaper queues a job, a worker does it."""
    assert '"workers": "ok"' in _get(f"http://127.0.0.1:{deployment.port}/readyz")[1]
    with psycopg.connect(deployment.database, autocommit=True) as database:

        def one(statement: str) -> Any:
            return database.execute(statement).fetchone()

        # An ended session is swept away within the hour, and at each start of the reaper.
        database.execute("INSERT INTO django_session VALUES ('ended', 'x', now() - interval '1 day')")
        deployment.processes["reaper"].send_signal(signal.SIGTERM)
        assert deployment.processes["reaper"].wait(60) == 0
        again = subprocess.Popen(
            [sys.executable, *_commands()["reaper"]], cwd=ROOT, env=dict(deployment.environment)
        )
        try:
            _wait_until(
                lambda: (
                    one("SELECT count(*) FROM dashboard_job WHERE kind = 'sweep' AND state = 'done'") == (1,)
                ),
                deployment.log,
            )
        finally:
            again.terminate()
            assert again.wait(60) == 0
        assert one("SELECT count(*) FROM django_session") == (0,)


def test_web_processes_count_together(deployment: _Deployment) -> None:
    """Requests for Prometheus and tries of passwords, whichever process answers; also after one of them was killed."""
    root = f"http://127.0.0.1:{deployment.port}"
    master = deployment.processes["web"].pid
    children = Path(f"/proc/{master}/task/{master}/children")
    workers = children.read_text().split()
    assert len(workers) == 2
    token = {"Authorization": f"Bearer {deployment.environment['PERFATLAS_METRICS_TOKEN']}"}

    def asked() -> float:
        line = 'perfatlas_http_request_seconds_count{method="GET",route="healthz",status="200"} '
        return float(_get(f"{root}/metrics", **token)[1].partition(line)[2].partition("\n")[0] or 0)

    def ask(times: int) -> None:
        before = asked()
        for _ in range(times):
            assert _get(f"{root}/healthz")[0] == 200
        assert asked() == before + times

    ask(40)
    os.kill(int(workers[0]), signal.SIGKILL)
    _wait_until(lambda: len({*workers, *children.read_text().split()}) == 3, deployment.log)
    ask(40)
    said = [_try_password(deployment.port) for _ in range(12)]
    assert ["Too many tries" in one for one in said] == [False] * 10 + [True] * 2


def _try_password(port: int) -> str:
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar := CookieJar()))
    proxy = {"X-Forwarded-Proto": "https", "Host": "perf.example.org", "X-Forwarded-For": "192.0.2.1"}
    address = f"http://127.0.0.1:{port}/login/"
    opener.open(urllib.request.Request(address, headers=proxy), timeout=30).close()
    cookie = next(one for one in jar if one.name.endswith("-csrf"))
    form = {"csrfmiddlewaretoken": cookie.value, "username": "alice", "password": "wrong"}
    # Marked as secure, so the jar keeps it back.
    proxy |= {"Cookie": f"{cookie.name}={cookie.value}", "Referer": "https://perf.example.org/login/"}
    asked = urllib.request.Request(address, urllib.parse.urlencode(form).encode(), proxy)
    with opener.open(asked, timeout=60) as answer:
        return str(answer.read().decode())


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_behind_the_proxy_with_tls(deployment: _Deployment, tmp_path: Path) -> None:
    """Plain requests are led to TLS, the page is there, and what watches the inside is not reached from outside."""
    _certificate(tmp_path / "certificates")
    plain, tls = free_port(), free_port()
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    changed = {
        "web:8000": f"127.0.0.1:{deployment.port}",
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{tls} ssl",
        "/etc/nginx/certificates": str(tmp_path / "certificates"),
        "/tmp/nginx": f"{tmp_path}/nginx",  # noqa: S108 -- what stands in the file
    }
    for old, new in changed.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "nginx.conf").write_text(text, encoding="utf-8")
    tmp_path.chmod(0o755)
    proxy = subprocess.Popen(
        ["nginx", "-e", "/dev/stderr", "-c", str(tmp_path / "nginx.conf"), "-g", "daemon off;"]
    )
    try:
        named = {"Host": "perf.example.org"}
        _wait_until(lambda: _get(f"http://127.0.0.1:{plain}/", **named)[0], deployment.log)
        assert _get(f"http://127.0.0.1:{plain}/login/", **named) == (301, "https://perf.example.org/login/")
        outside = f"https://127.0.0.1:{tls}"
        status, page = _get(f"{outside}/login/", **named)
        assert (status, "password" in page) == (200, True)
        assert _get(f"{outside}/healthz", **named)[0] == 200
        assert [_get(f"{outside}{path}", **named)[0] for path in ("/readyz", "/metrics")] == [404, 404]
    finally:
        proxy.terminate()
        proxy.wait()


def _certificate(folder: Path) -> None:
    folder.mkdir()
    about = ("-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=perf.example.org")
    places = ("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
    subprocess.run(["openssl", "req", "-x509", *about, *places], check=True, capture_output=True)
