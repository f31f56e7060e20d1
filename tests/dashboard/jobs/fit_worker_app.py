"""What workers of tests run that share fits: the product's kinds, each part noted in a file, and slow enough to be killed in."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()

from dashboard.celery import app  # noqa: E402 -- models need Django to be set up
from dashboard.services.histories import fit_jobs  # noqa: E402 -- likewise
from dashboard.services.jobs.context import JobContext  # noqa: E402 -- likewise

__all__ = ["app"]

SECONDS = 1.0
true_one = fit_jobs.fit_part


def noted(context: JobContext, tell: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Say who begins which part, and take so long for it."""
    with Path(os.environ["PERFATLAS_TEST_PARTS"]).open("a") as file:
        file.write(f"{os.getpid()} {context.job_id}\n")
    time.sleep(SECONDS)
    return true_one(context, tell)


# Before the kinds of jobs take it.
fit_jobs.fit_part = noted
