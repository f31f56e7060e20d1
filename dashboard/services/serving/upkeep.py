"""What is done again and again beside web server and workers: taking jobs back from the dead, sending alerts, sweeping up."""

import logging
import time
from collections.abc import Callable
from functools import partial

from django.db import Error, close_old_connections

from dashboard.access import Principal
from dashboard.services.jobs.reaping import reap

log = logging.getLogger(__name__)

_REAP_SECONDS = 2.0
_SWEEP_SECONDS = 3600.0
_ALERT_SECONDS = 5.0


class Upkeep:
    """Call `look` often: it does what is due. The first time it sends the message of every job that waits."""

    def __init__(self, *, principal: Principal) -> None:
        self._principal = principal
        self._everything = True
        self._next_reap = self._next_sweep = self._next_alert = 0.0

    def look(self, *, messages_lost: bool = False) -> None:
        """Reap and sweep if it is time. `messages_lost`: with its worker the embedded broker lost what it held."""
        self._everything = self._everything or messages_lost
        if self._everything or time.monotonic() >= self._next_reap:
            self._next_reap = time.monotonic() + _REAP_SECONDS
            self._everything = not _works(partial(reap, everything=self._everything))
        if time.monotonic() >= self._next_sweep:
            self._next_sweep = time.monotonic() + _SWEEP_SECONDS
            _works(self._sweep)

        if time.monotonic() >= self._next_alert:
            self._next_alert = time.monotonic() + _ALERT_SECONDS
            _works(self._alert)

    def _alert(self) -> None:
        from dashboard.services.alerts.deliveries import deliver_if_due  # noqa: PLC0415 -- as below

        deliver_if_due(principal=self._principal)

    def _sweep(self) -> None:
        from dashboard.services.sweeping import sweep_if_needed  # noqa: PLC0415 -- numpy, which would delay the start

        sweep_if_needed(principal=self._principal)


def _works(act: Callable[[], object]) -> bool:
    """Act; whether the database let us. It may be restarting: the server goes on."""
    try:
        close_old_connections()
        act()
    except Error as error:
        log.warning("the database does not answer, the server tries again: %s", error)
        return False
    return True
