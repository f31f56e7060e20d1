"""Celery: the engine of jobs. Tasks are found in `dashboard.tasks`."""

import os

# One job uses one core: a Gaussian process took 33 s with the library's own threads on a busy machine, 0.1 s without.
# The libraries read these when they are first imported, so they are set before anything else is.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")

from celery import Celery  # noqa: E402 -- after the variables above
from django.conf import settings  # noqa: E402 -- likewise

app = Celery("perfatlas")
app.config_from_object("django.conf:settings", namespace="CELERY")
# Rows tell what goes on; nobody listens to Celery's own remote control and events.
app.conf.worker_enable_remote_control = False
app.conf.worker_send_task_events = False
app.conf.worker_hijack_root_logger = False
app.conf.task_default_queue = "default"
if settings.CELERY_BROKER_URL == "filesystem://":
    app.conf.broker_url = "filesystem://localhost"
    app.conf.broker_transport = "dashboard.services.serving.broker_files:Transport"
    app.conf.broker_transport_options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "polling_interval": 0.2}
app.autodiscover_tasks(["dashboard"])
