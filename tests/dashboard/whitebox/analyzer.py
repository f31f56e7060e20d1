"""A process that works on one job and nothing else, to be killed: python -m tests.dashboard.whitebox.analyzer JOB LOCK."""

import sys
from pathlib import Path

import django

django.setup()

from dashboard.job_kinds import KINDS  # noqa: E402 -- models need Django to be set up
from dashboard.services.jobs import machine_lock  # noqa: E402 -- likewise
from dashboard.services.jobs.running import run_job  # noqa: E402 -- likewise

if __name__ == "__main__":
    lock = Path(sys.argv[2])
    machine_lock.lock_path = lambda: lock
    run_job(job_id=int(sys.argv[1]), kinds=KINDS)
