"""The command lines of web server and workers: the same below `serve`, systemd and containers."""

import sys

from django.conf import settings

_THREADS = 8
# Longer than pages wait between two questions while a job runs: they would meet connections that are just closed.
_KEPT_SECONDS = 10
# Far below the files that a process may open.
_CONNECTIONS = 400


def web_server(bind: str) -> list[str]:
    """The web server, listening at an address of gunicorn's: `127.0.0.1:8000`, `fd://7`."""
    return [
        *(sys.executable, "-m", "gunicorn", "dashboard.wsgi:application"),
        *("--bind", bind, "--chdir", str(settings.BASE_DIR)),
        *("--worker-class", "dashboard.services.serving.web_server.WebWorker"),
        *("--workers", str(settings.WEB_PROCESSES)),
        *("--keep-alive", str(_KEPT_SECONDS)),
        *("--threads", str(_THREADS), "--worker-connections", str(_CONNECTIONS), "--timeout", "120"),
        *("--graceful-timeout", "3", "--log-level", "warning", "--no-control-socket"),
        "--no-sendfile",  # answers are sent by the loop that waits for everybody
        *("--config", "python:dashboard.services.serving.web_server"),
    ]


def worker(queue: str) -> list[str]:
    """A worker of a queue. Its pool "solo" runs a job in the worker's own process: one fewer to lose, the quickest to start."""
    return [
        # Celery warns of root's rights; subjects give them up before they run.
        *(sys.executable, "-W", "ignore:You're running the worker with superuser"),
        *("-m", "celery", "--quiet", "--workdir", str(settings.BASE_DIR), "-A", "dashboard.celery", "worker"),
        *("--pool", "solo", "--concurrency", "1", "--loglevel", "WARNING"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        *("--queues", queue, "--hostname", f"{queue}@%h"),
    ]
