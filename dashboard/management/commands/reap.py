"""`manage.py reap`: once what `serve` does again and again, for installations that run their own workers."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.access import Principal
from dashboard.services.jobs.reaping import reap
from dashboard.services.sweeping import sweep_if_needed


class Command(BaseCommand):
    """Reap once."""

    help = (
        "Takes jobs back from dead workers, sends lost messages again, and sweeps up."
        " Run it every minute where `serve` does not run."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def handle(self, *_: Any, **__: Any) -> None:
        """Reap, and sweep if need be."""
        self.stdout.write(f"{reap()} messages sent")
        if sweep_if_needed(principal=Principal.operator()) is not None:
            self.stdout.write("A job was started that sweeps up.")
