"""Celery: the engine of jobs. Tasks are found in `dashboard.tasks`."""

import os

# One job uses one core: a Gaussian process took 33 s with the library's own threads on a busy machine, 0.1 s without.
# The libraries read these when they are first imported, so they are set before anything else is.
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
for _name, _value in ONE_THREAD.items():
    os.environ.setdefault(_name, _value)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
# Django's checks would import every page into each worker: two seconds of its start, and 40 MB. `make check` makes them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

from celery import Celery  # noqa: E402 -- after the variables above
from celery.signals import celeryd_init  # noqa: E402 -- likewise

# How far the jobs of the default queue stand back where processors are short: a page is waited for, an import is not.
_NICE = 5

app = Celery("perfatlas")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["dashboard"])


@celeryd_init.connect  # type: ignore[untyped-decorator] # celery has no types
def stand_back(sender: str, **_: object) -> None:
    """Let web server and database go first, before this process takes its first job; what measures keeps its place."""
    if sender.startswith("default@") and hasattr(os, "nice"):
        os.nice(_NICE)
