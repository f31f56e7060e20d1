"""What a running job is given: its row, and the means to report, to remember and to notice that it must stop."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from django.db import transaction

from dashboard.access import Access, NotFound, Principal
from dashboard.services.jobs.heartbeat import Heartbeat
from dashboard.services.jobs.leases import Lease, lease_end


class JobError(Exception):
    """What ends a job early; it fails with these words, unless a subclass says otherwise."""


class Cancelled(JobError):
    """Somebody asked to cancel the job."""


class Paused(JobError):
    """Somebody asked to pause the job: it waits until it is resumed, from its checkpoint."""


class LeaseLost(JobError):
    """Another worker has taken the job over, or the job was deleted: this one must write nothing more."""


class Interrupted(JobError):
    """The worker is about to end: the job goes back to the queue and is resumed from its checkpoint."""


class StopRequest:
    """Whether this process is about to end. A plain attribute, because a signal handler sets it: no lock may be taken."""

    def __init__(self) -> None:
        self.requested = False

    def request(self) -> None:
        """Ask the running job to give itself back."""
        self.requested = True


class JobContext:
    """Handed to every kind of job. `job` is its row when it was claimed; `checkpoint` is JSON, empty at first.

    The job does what it does as `principal`, who queued it, with the rights of now. `held` are the descriptors
    that subjects are to inherit: on the queue `measure` that of the machine's lock.
    """

    def __init__(
        self,
        lease: Lease,
        heartbeat: Heartbeat,
        stop: StopRequest,
        *,
        sender: Access | Principal,
        held: tuple[int, ...] = (),
    ) -> None:
        self.principal = sender.principal if isinstance(sender, Access) else sender
        self.job = lease.job
        self.job_id = lease.job_id
        self.checkpoint: dict[str, Any] = lease.job.checkpoint
        self.held = held
        self._sender = sender
        self._lease = lease
        self._heartbeat = heartbeat
        self._stop = stop

    @property
    def access(self) -> Access:
        """The sender's access to the job's system, which includes editing it. Raises `NotFound` without a system."""
        if isinstance(self._sender, Access):
            return self._sender
        raise NotFound(f"job {self.job_id} has no system")

    def cancelled(self) -> bool:
        """Whether the job must stop, for whatever reason. Costs nothing: poll it while waiting for a subject."""
        beat = self._heartbeat
        return beat.cancel_requested or beat.pause_requested or beat.lost or self._stop.requested

    def check(self) -> None:
        """Raise `LeaseLost`, `Cancelled`, `Paused` or `Interrupted` if the job must stop."""
        self._require(held=not self._heartbeat.lost)
        if self._heartbeat.cancel_requested:
            raise Cancelled(f"job {self.job_id} was cancelled")
        if self._heartbeat.pause_requested:
            raise Paused(f"job {self.job_id} was paused")
        if self._stop.requested:
            raise Interrupted(f"the worker of job {self.job_id} is about to end")

    def listen(self) -> None:
        """Likewise, of what the row says now: not of what the last heartbeat heard."""
        self._heartbeat.hear()
        self.check()

    def progress(
        self, share: float, message: str | None = None, *, seconds_left: float | None = None
    ) -> None:
        """Report the share done, from 0 to 1, and what is going on. Cheap: a thread writes it. Raises as `check`.

        The time that is left follows from the share unless it is known better.
        """
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"the progress of job {self.job_id} is {share}: report a share from 0 to 1")
        self._heartbeat.report(share, message, seconds_left)
        self.check()

    def log(self, text: str) -> None:
        """Append a line to the job's log. Cheap: a thread writes it."""
        self._heartbeat.append(text)

    def save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Store where to go on after an interruption, at once. Raises as `check`, and `LeaseLost` without writing."""
        # A job that gets on may be interrupted any number of times.
        moved = {"attempt": 1} if checkpoint != self.checkpoint else {}
        self._require(held=self._lease.write(checkpoint=checkpoint, lease_expires_at=lease_end(), **moved))
        self.checkpoint = checkpoint
        self.check()

    @contextmanager
    def fenced(self) -> Iterator[None]:
        """A transaction that commits only while the job is ours: for results, together with their checkpoint.

        Nobody can take the job over before it ends, so keep it under a second. Raises `LeaseLost` without writing.
        """
        with transaction.atomic():
            self._require(held=self._lease.write(lease_expires_at=lease_end()))
            yield

    def _require(self, *, held: bool) -> None:
        if not held:
            raise LeaseLost(f"job {self.job_id} was taken over by another worker")


# Opens a transaction that commits only while its work is wanted: `JobContext.fenced`, or that of the database alone.
Fence = Callable[[], AbstractContextManager[None]]
# A kind of job: does the work and returns its result as JSON. It must bear to be run again from any checkpoint.
Kind = Callable[[JobContext], dict[str, Any]]
