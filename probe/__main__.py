"""Entry point of a measured process: `python -m <private name> JOB`."""

import sys

from .driver import run_job

if __name__ == "__main__":
    sys.exit(run_job(sys.argv[1]))
