"""Workers say that they live: a row each, written every few seconds, so that others see whether anybody takes jobs."""

import logging
import socket
import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from django.db import Error, connection
from django.db.models import Count
from django.utils import timezone

from dashboard.models import Worker
from dashboard.services.jobs.leases import new_owner

log = logging.getLogger(__name__)

BEAT_SECONDS = 15.0
# A worker that was silent for so long is not counted any more.
SILENCE = timedelta(seconds=4 * BEAT_SECONDS)
# Until then its row stays, for whoever looks for what became of it.
_KEPT = timedelta(days=1)


class WorkerPresence:
    """The present process as a worker of its queues. A thread with its own database connection keeps the rows fresh."""

    def __init__(self, queues: Iterable[str]) -> None:
        # Without the random part: the process, not one of its claims.
        self._name = new_owner().rpartition(":")[0]
        self._queues = tuple(queues)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="presence of this worker", daemon=True)

    def begin(self) -> None:
        """Write the rows from now on."""
        self._thread.start()

    def end(self) -> None:
        """Take the rows away: the worker ends in order."""
        self._end.set()
        self._thread.join()

    def _run(self) -> None:
        started_at = timezone.now()
        try:
            self._try(lambda: Worker.objects.filter(seen_at__lt=started_at - _KEPT).delete())
            while not self._end.is_set():
                self._try(lambda: self._write(started_at))
                self._end.wait(BEAT_SECONDS)
            self._try(lambda: Worker.objects.filter(name=self._name).delete())
        finally:
            connection.close()

    def _write(self, started_at: datetime) -> None:
        now = {"seen_at": timezone.now(), "host": socket.gethostname()}
        first = {**now, "started_at": started_at}
        for queue in self._queues:
            Worker.objects.update_or_create(name=self._name, queue=queue, defaults=now, create_defaults=first)

    def _try(self, write: Callable[[], object]) -> None:
        try:
            write()
        except Error as error:
            # Busy or restarting: the next beat writes it.
            log.warning("this worker could not say that it lives: %s", error)
            connection.close()


def seen_lately() -> dict[str, int]:
    """How many workers of each queue were seen lately. For services."""
    rows = Worker.objects.filter(seen_at__gte=timezone.now() - SILENCE).order_by()
    return dict(rows.values_list("queue").annotate(count=Count("pk")))
