"""What the tests' workers run: the product's Celery application with kinds of jobs made for tests."""

import os
import signal
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import django

django.setup()

from dashboard.celery import app  # noqa: E402 -- models need Django to be set up
from dashboard.services.jobs.context import JobContext  # noqa: E402 -- likewise
from tests.dashboard.jobs.requests import CountRequest, DieRequest, TakeRequest  # noqa: E402 -- likewise

__all__ = ["app"]


def count(context: JobContext) -> dict[str, Any]:
    """Append one line per step to a file, and remember each in the checkpoint."""
    first = context.checkpoint.get("step", 0)
    asked = CountRequest.of(context.job)
    for step in range(first, asked.steps):
        with Path(asked.file).open("a") as file:
            file.write(f"{step}\n")
        time.sleep(asked.seconds)
        context.save_checkpoint({"step": step + 1})
        context.progress((step + 1) / asked.steps, f"step {step + 1} of {asked.steps}")
    return {"resumed_at": first}


def take(context: JobContext) -> dict[str, Any]:
    """Ask for memory, as a file does that is too large."""
    return {"taken": len(bytearray(TakeRequest.of(context.job).megabytes << 20))}


def die(context: JobContext) -> dict[str, Any]:
    """Kill the worker, as a lack of memory would."""
    with Path(DieRequest.of(context.job).file).open("a") as file:
        file.write("died\n")
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


# In place of the product's kinds, whose imports would cost each worker seconds.
kinds = ModuleType("dashboard.job_kinds")
vars(kinds)["KINDS"] = {CountRequest.kind: count, DieRequest.kind: die, TakeRequest.kind: take}
sys.modules[kinds.__name__] = kinds
