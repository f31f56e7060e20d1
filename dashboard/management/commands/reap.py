"""`manage.py reap`: once what `serve` does every two seconds, for installations that run their own workers."""

from typing import Any

from django.core.management.base import BaseCommand

from dashboard.services.job_reaping import reap


class Command(BaseCommand):
    """Reap once."""

    help = "Takes jobs back from dead workers and sends lost messages again. Run it every minute where `serve` does not run."

    def handle(self, *_: Any, **__: Any) -> None:
        """Reap and say how many messages were sent."""
        self.stdout.write(f"{reap()} messages sent")
