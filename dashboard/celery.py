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

app = Celery("perfatlas")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["dashboard"])
