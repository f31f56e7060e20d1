"""Jobs, and the broker that their messages go through."""

import subprocess
from collections.abc import Callable, Iterator

import pytest
from django.conf import LazySettings

from dashboard.celery import app
from dashboard.models import Job
from dashboard.services.serving.start import prepare_broker
from tests.dashboard.jobs.processes import start_worker


@pytest.fixture
def job_id(db: None) -> int:
    """A waiting job of the operator's, of kind `test`."""
    return Job.objects.create(kind="test", title="A test", by_operator=True).pk


@pytest.fixture
def broker(settings: LazySettings) -> None:
    """The group's own broker, empty."""
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        prepare_broker()
    else:
        app.control.purge()


@pytest.fixture
def worker(broker: None) -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts real workers and kills at the end what is left of them."""
    started: list[subprocess.Popen[bytes]] = []

    def start(queue: str = "default", **changes: str) -> subprocess.Popen[bytes]:
        started.append(start_worker(queue, **changes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
