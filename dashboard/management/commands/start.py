"""`manage.py start`: one process of an installation whose processes systemd or containers keep alive."""

import os
import signal
import threading
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import Principal
from dashboard.celery import ONE_THREAD
from dashboard.management.system_command import refusing
from dashboard.models import Job
from dashboard.services.serving.programs import web_server, worker
from dashboard.services.serving.start import ServeError, check_key, hold_var
from dashboard.services.serving.upkeep import Upkeep

_TICK_SECONDS = 0.5


class Command(BaseCommand):
    """One process in the foreground."""

    help = (
        "Runs one process of an installation with a broker of its own: web server, a worker, or the reaper."
        " `serve` runs all of them and needs no broker."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        programs = parser.add_subparsers(dest="program", required=True)
        web = programs.add_parser("web", help="the web server")
        web.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        web.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")
        one = programs.add_parser("worker", help="a worker of one queue")
        one.add_argument("queue", choices=Job.Queue.values, help="the queue that it takes jobs from")
        programs.add_parser("reaper", help="takes jobs back from dead workers, and sweeps up")

    @refusing(ServeError)
    def handle(self, *_: Any, program: str, **options: Any) -> None:
        """Become the program; or reap until a signal."""
        check_key()
        if settings.CELERY_BROKER_URL.startswith("filesystem:"):
            raise ServeError(
                "no broker: set PERFATLAS_BROKER_URL to a Redis or a RabbitMQ, or use `manage.py serve`, which needs none"
            )
        hold_var()
        if program == "reaper":
            _reap_until_a_signal()
            return
        host = f"[{options['host']}]" if ":" in options.get("host", "") else options.get("host")
        command = worker(options["queue"]) if program == "worker" else web_server(f"{host}:{options['port']}")
        os.execve(command[0], command, os.environ | ONE_THREAD)


def _reap_until_a_signal() -> None:
    end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: end.set())
    upkeep = Upkeep(principal=Principal.operator())
    while not end.is_set():
        upkeep.look()
        end.wait(_TICK_SECONDS)
