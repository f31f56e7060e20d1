"""The memory that a worker may take: a file that is too large for the machine ends its own job, and nothing else."""

import os
import resource
from contextlib import suppress

from django.conf import settings

# Below this, libraries and a large system have no room.
_LEAST_MEGABYTES = 4096
# The part of the machine's memory that is asked for where nobody has set it; the rest is for database and web server.
_PART = 0.75
_MEGABYTE = 1 << 20


def memory_megabytes() -> int:
    """The most that a worker may take, in MB; 0 is no limit."""
    if settings.WORKER_MEMORY_MB is not None:
        return int(settings.WORKER_MEMORY_MB)
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(_LEAST_MEGABYTES, int(_PART * there / _MEGABYTE))


def stay_within_memory() -> None:
    """Have this process refused more memory than `memory_megabytes`, where the system can."""
    most = memory_megabytes() * _MEGABYTE
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if most and (hard == resource.RLIM_INFINITY or most < hard):
        # Some systems know the limit and refuse to set it. What a subject may take has limits of its own.
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def too_large() -> str:
    """What became of a job that was refused memory, with the remedy; workers that measure have no limit of ours."""
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    given = "this machine has"
    if most != resource.RLIM_INFINITY:
        given = f"the {most // _MEGABYTE:,} MB that a worker may take (PERFATLAS_WORKER_MEMORY_MB)"
    return f"it needs more memory than {given}: give it smaller files, or a machine with more"
