"""The heartbeat of a running job: a thread that renews the lease, writes progress and log, and hears of a cancel.

It has a database connection of its own, so that what it writes is seen although the job itself is inside a transaction.
"""

import logging
import threading
import time
from contextvars import copy_context
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from dashboard.services.jobs.leases import Lease, lease_end

log = logging.getLogger(__name__)

_BEAT_SECONDS = 0.5


class Heartbeat:
    """Keeps `lease` alive between entry and exit.

    `lost`, `cancel_requested` and `pause_requested` turn true for good. `leftover()` hands out what was reported, but not yet written.
    """

    def __init__(self, lease: Lease) -> None:
        self.lost = False
        self.cancel_requested = False
        self.pause_requested = False
        self._lease = lease
        self._lock = threading.Lock()
        self._fields: dict[str, Any] = {}
        self._lines: list[str] = []
        self._began = time.monotonic()
        self._renewed = self._began
        self._end = threading.Event()
        self._thread = threading.Thread(
            target=copy_context().run, args=(self._run,), name=f"heartbeat of job {lease.job_id}", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()

    def report(self, share: float, message: str | None, left: float | None = None) -> None:
        """Note the progress; the next beat writes it, with the time that is left: by the share unless it is given."""
        done = share - self._lease.job.progress
        spent = time.monotonic() - self._began
        if left is None and done > 0.0:
            left = spent / done * (1.0 - share)
        with self._lock:
            self._fields |= {"progress": share, "progress_at": timezone.now(), "seconds_left": left}
            if message is not None:
                self._fields["message"] = message[:400]

    def append(self, line: str) -> None:
        """Note a line of the log; the next beat writes it."""
        with self._lock:
            self._lines.append(line)

    def hear(self) -> None:
        """Ask the row whether somebody wants the job to stop, and whether it is still ours."""
        requests = self._lease.requests()
        if requests is None:
            self.lost = True
            return
        self.cancel_requested = self.cancel_requested or requests[0]
        self.pause_requested = self.pause_requested or requests[1]

    def leftover(self) -> tuple[dict[str, Any], list[str]]:
        """What was noted and not yet written: fields and log lines. It counts as written now."""
        with self._lock:
            fields, lines = self._fields, self._lines
            self._fields, self._lines = {}, []
        return fields, lines

    def _run(self) -> None:
        try:
            while not self._end.wait(_BEAT_SECONDS) and not self.lost:
                try:
                    self._beat()
                except Error as error:
                    # Busy or restarting. The lease outlives a few missed beats, and every write is fenced anyway.
                    log.warning("a heartbeat of job %d was missed: %s", self._lease.job_id, error)
                    connection.close()
        finally:
            # However it came: without a heartbeat the job must not go on.
            self.lost = self.lost or not self._end.is_set()
            connection.close()

    def _beat(self) -> None:
        self.hear()
        if self.lost:
            return
        fields, lines = self.leftover()
        now = time.monotonic()
        if not fields and not lines and now - self._renewed < settings.JOB_LEASE_SECONDS / 3:
            return
        try:
            held = self._lease.write_with_log(lines, lease_expires_at=lease_end(), **fields)
        except Error:
            # The next beat writes it.
            with self._lock:
                self._fields = fields | self._fields
                self._lines = lines + self._lines
            raise
        self._renewed = now
        self.lost = not held
