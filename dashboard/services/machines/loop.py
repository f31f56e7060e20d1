"""Being a machine that measures for another installation: take a job, measure it by a job of one's own, send its runs."""

import json
import logging
import os
import threading
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit

from django.conf import settings
from django.db import Error, connection
from pydantic import ValidationError

from dashboard.access import AccessError, Principal, Refused
from dashboard.models import Job
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.jobs.queueing import request_cancel, request_pause
from dashboard.services.jobs.reaping import reap
from dashboard.services.jobs.running import STOP, JobOutcome, run_job
from dashboard.services.machines.claims import TakenJob
from dashboard.services.machines.local_jobs import begin, drop_unwanted, offered_subjects, runs_of
from dashboard.services.measuring.job import measure
from perfatlas.connection import BadInput, Connection, Failed
from runner.errors import RunnerError

log = logging.getLogger(__name__)

# No other kind comes from there.
_KINDS = {MeasuringRequest.kind: measure}
_FILE = "machine.json"
# Well within a lease of half a minute.
_BEAT_SECONDS = 3.0
# Of log lines in one beat, as JSON writes them: the server reads no larger requests of programs than twice as much.
_MOST_LETTERS = 64 << 10
# What is registered here is said anew so often: a subject may have come, or an interpreter changed.
_ANNOUNCE_TURNS = 60
# Of a machine whose job was taken back, or that was removed meanwhile.
_LOST = "drop what you do for it"


def keep_secret(folder: Path, *, address: str, secret: str) -> Path:
    """Keep in the data folder for whom this machine measures, readable by its account alone; the file.

    Raises `Refused` where it measures for one already, and as `check_address`.
    """
    check_address(address)
    path = folder / _FILE
    folder.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Refused(
            f"{path}: this machine measures for an installation already; remove the file first"
        ) from None
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"address": address, "secret": secret}, file)
    return path


def check_address(address: str) -> None:
    """Raise `Refused` for an address on the way to which others could read the secret: another machine's without TLS."""
    parts = urlsplit(address)
    is_here = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if parts.scheme != "https" and not is_here:
        raise Refused(
            f"{address}: others could read the secret on its way: write an address that begins with https"
        )


def kept_connection() -> Connection:
    """The installation that this machine measures for. Raises `Refused` where it is not registered."""
    path = Path(settings.VAR) / _FILE
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Connection(kept["address"], kept["secret"])
    except (OSError, ValueError, KeyError):
        raise Refused(
            f"{path} names no installation: register this machine by `manage.py machine register NAME`"
        ) from None


class _Beat:
    """Renews the claim of a job while this machine's own job does it, and hands on what is asked of that.

    `lost`: it is somebody else's by now.
    """

    def __init__(self, server: Connection, claim: str, job_id: int, principal: Principal) -> None:
        self.lost = False
        self._server, self._claim, self._job_id, self._principal = server, claim, job_id, principal
        self._line = 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"beat of job {job_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._end.wait(_BEAT_SECONDS) and not self.lost:
                try:
                    self._beat()
                except (Failed, Error) as error:
                    # The server restarts, the network is cut, or the database here is busy: the claim outlives some missed beats.
                    log.warning("job %d: %s", self._job_id, error)
        finally:
            connection.close()

    def _beat(self) -> None:
        job = Job.objects.get(pk=self._job_id)
        lines = list(job.log_lines.filter(pk__gt=self._line).order_by("pk")[:100])
        letters = accumulate(len(json.dumps(one.text)) for one in lines)
        lines = [one for one, all_to_it in zip(lines, letters, strict=True) if all_to_it <= _MOST_LETTERS]
        told = {"progress": job.progress, "message": job.message, "lines": [one.text for one in lines]}
        try:
            stop = self._server.post("/machine/beat", claim=self._claim, **told)["stop"]
        except BadInput as error:
            log.warning("job %d is not ours any more: %s", self._job_id, error)
            self.lost = True
            request_pause(principal=self._principal, job_id=self._job_id)
            return
        self._line = lines[-1].pk if lines else self._line
        if stop:
            ask = {"cancel": request_cancel, "pause": request_pause}[stop]
            ask(principal=self._principal, job_id=self._job_id)


class MeasuringMachine:
    """The machine that this process runs on, measuring for the installation behind `server`, one job at a time."""

    def __init__(self, server: Connection, say: Callable[[str], object], principal: Principal) -> None:
        self._server, self._say, self._principal = server, say, principal

    def announce(self) -> None:
        """Say what may be measured here. Raises `Failed` and `BadInput`."""
        offered, problems = offered_subjects()
        sent = [one.model_dump(mode="json") for one in offered]
        answer = self._server.put("/machine/subjects", subjects=sent)
        refused = [f"{one['name']}: {one['refusal']}" for one in answer["subjects"] if one["refusal"]]
        for problem in (*problems, *refused):
            self._say(f"not measured: {problem}")
        taken = len(offered) - len(refused)
        self._say(f"offered to {self._server.address}: {taken} subject{'s' * (taken != 1)}")

    def serve(self, *, once: bool, wait: Callable[[], object]) -> None:
        """Do jobs until this process is to end; `once`: until none waits. `wait` passes the time. Raises `BadInput` where the machine is unknown."""
        turns = 0
        while not STOP.requested:
            try:
                if turns % _ANNOUNCE_TURNS == 0:
                    self.announce()
                turns += 1
                if self.work():
                    continue
            except Failed as error:
                if once:
                    raise
                self._say(str(error))
            if once:
                return
            wait()

    def work(self) -> bool:
        """Take a job and do it; whether there was one. Raises `Failed` and `BadInput`."""
        # What this machine's own process left when it was killed.
        reap()
        answer = self._server.post("/machine/take")
        if answer is None:
            drop_unwanted(principal=self._principal)
            return False
        try:
            taken = TakenJob.model_validate(answer)
            asked_by = f"{self._server.address} {taken.job_id} {taken.asked_at}"
            self._say(f"job {taken.job_id}: {taken.title}")
            job_id = begin(taken, principal=self._principal, asked_by=asked_by)
        except (Refused, AccessError, RunnerError, ValidationError) as error:
            self._end(str(answer["claim"]), "failed", str(error))
            return True
        with _Beat(self._server, taken.claim, job_id, self._principal) as beat:
            while run_job(job_id=job_id, kinds=_KINDS) is JobOutcome.GIVEN_BACK:
                pass
            job = Job.objects.get(pk=job_id)
            if not beat.lost and job.state == Job.State.DONE:
                self._send(taken.claim, job_id)
        if not beat.lost and job.state != Job.State.DONE:
            how = {"failed": "failed", "cancelled": "cancelled", "paused": "paused"}.get(
                job.state, "released"
            )
            self._end(taken.claim, how, job.message)
        return True

    def _send(self, claim: str, job_id: int) -> None:
        with runs_of(job_id) as path:
            try:
                self._server.send("/machine/runs", path, claim, ())
            except BadInput as error:
                self._say(f"the runs are refused: {error}")
                self._end(claim, "failed", f"the runs are refused: {error}")
                return
        self._say(f"job {job_id} of this machine: its runs are sent")

    def _end(self, claim: str, how: str, message: str) -> None:
        self._say(f"{how}: {message}")
        try:
            self._server.post("/machine/end", claim=claim, how=how, message=message[:4000])
        except BadInput as error:
            self._say(str(error))
