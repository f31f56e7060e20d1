"""`manage.py serve` as a person has it: it answers, survives, and leaves nothing behind."""

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from dashboard.access import Principal
from dashboard.models import Job
from dashboard.services.jobs.queueing import enqueue
from tests.dashboard.jobs.processes import ROOT, environment, is_running, wait_until
from tests.dashboard.jobs.requests import MeasuringSomeRequest

# Once are those about processes alone; those about jobs run on both databases.
pytestmark = pytest.mark.django_db(transaction=True)


class Served:
    """A running `serve`, its output in a file."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.output = folder / "output"
        with self.output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--port", "0", *arguments],
                cwd=ROOT,
                env=environment(PERFATLAS_VAR=str(folder / "var"), TMPDIR=str(folder)),
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def wait_until_ready(self) -> str:
        """The address that it prints."""
        wait_until(lambda: self.process.poll() is not None or "Ctrl-C ends it" in self.text(), "ready")
        found = re.search(r"http://\S+", self.text())
        assert found, self.text()
        return found[0]

    def text(self) -> str:
        """What it has printed so far."""
        return self.output.read_text()

    def descendants(self) -> dict[int, str]:
        """Process id -> command line of everything below it."""
        return _descendants(self.process.pid)

    def wait_for_workers(self) -> dict[int, str]:
        """Wait until one for each queue runs: everything below it then."""

        def both() -> bool:
            lines = " ".join(self.descendants().values())
            return "--queues default" in lines and "--queues measure" in lines

        wait_until(both, "both workers run")
        return self.descendants()


def _descendants(parent: int) -> dict[int, str]:
    children: dict[int, list[Path]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        # What ends while we look is as good as gone.
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                children.setdefault(int(fields[1]), []).append(stat.parent)
    found: dict[int, str] = {}
    rest = [parent]
    while rest:
        for folder in children.get(rest.pop(), []):
            with suppress(OSError):
                found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
                rest.append(int(folder.name))
    return found


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers and kills at the end what is left of them."""
    started: list[Served] = []

    def start(*arguments: str) -> Served:
        started.append(Served(tmp_path, *arguments))
        return started[-1]

    yield start
    for served in started:
        for pid in [served.process.pid, *served.descendants()]:
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)
        served.process.wait()


def _get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=180) as answer:  # noqa: S310 -- the server started here
            return answer.status, answer.geturl()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, address


# Processes of a server; workers and jobs are asked of both databases in test_workers. One life shows several things: its
# start takes longer than all of them.
@pytest.mark.once
@pytest.mark.slow("starts the whole product, and each of its processes again")
def test_the_link_signs_in_once_dead_processes_come_back_and_ctrl_c_leaves_none(
    serve: Callable[..., Served], operator: Principal
) -> None:
    """Killed workers and web servers are started again, also for a job whose message was lost; the exit code is 0.

    What is queued while nothing runs waits for the next start, and what an earlier life left in the broker disturbs nothing.
    """
    served = serve()
    address = served.wait_until_ready()
    assert "proxy" not in served.text()
    root = address.partition("login/")[0]
    assert _get(root + "healthz") == (200, root + "healthz")
    assert _get(address)[0] == 200
    assert _get(address)[0] == 404
    served.wait_for_workers()
    lost = Job.objects.create(kind="nothing", by_operator=True, title="Its message was lost")
    for pid, line in served.descendants().items():
        if "--queues default" in line or ("gunicorn" in line and is_running(pid)):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: Job.objects.get(pk=lost.pk).state == "failed", "the lost job was run")
    assert "there is no kind of job 'nothing'" in Job.objects.get(pk=lost.pk).message
    assert _get(root + "healthz")[0] == 200
    below = served.wait_for_workers()
    os.killpg(served.process.pid, signal.SIGINT)  # as the terminal does
    assert served.process.wait(timeout=180) == 0
    wait_until(lambda: not any(is_running(pid) for pid in below), "nothing is left")
    assert served.text().endswith("Stopping.\n")

    folder = served.output.parent / "var" / "broker"
    if folder.is_dir():
        (folder / "0_spoilt.default.msg").touch()
    job_id = enqueue(operator, MeasuringSomeRequest(), title="Queued meanwhile")
    again = serve("--no-browser-link")
    again.wait_until_ready()
    wait_until(lambda: Job.objects.get(pk=job_id).state == "failed", "the waiting job was run")
    again.process.send_signal(signal.SIGTERM)
    assert again.process.wait(timeout=180) == 0


@pytest.mark.once
def test_a_killed_server_leaves_no_process(serve: Callable[..., Served]) -> None:
    """It cannot notice kill -9."""
    served = serve("--no-browser-link")
    assert "login" not in served.wait_until_ready()
    below = served.wait_for_workers()
    assert len(below) >= 4
    served.process.kill()
    served.process.wait()
    wait_until(lambda: not any(is_running(pid) for pid in below), "nothing is left")


@pytest.mark.once
def test_a_server_that_cannot_start_says_why_in_one_line(serve: Callable[..., Served]) -> None:
    """Exit code 2, no traceback, nothing left."""
    served = serve("--port", "70000")
    assert served.process.wait(timeout=180) == 2
    assert re.fullmatch(r"CommandError: cannot listen on 127\.0\.0\.1, port 70000 .*\n", served.text())
