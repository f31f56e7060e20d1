"""The memory of a worker: what it may take, so that a file too large for the machine ends its own job, and what it keeps."""

import ctypes
import os
import resource
from contextlib import suppress

from django.conf import settings

# Below this, libraries and a large system have no room.
_LEAST_MEGABYTES = 4096
# The part of the machine's memory that is asked for where nobody has set it; the rest is for database and web server.
_PART = 0.75
_MEGABYTE = 1 << 20
# The numbers of glibc's malloc.h for what is kept at the end of the heap, and from which size a block is the system's own.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
# Arrays of some thousand series at once are smaller than the second; the first holds what one step of a fit frees.
_KEPT_MEGABYTES = {_TRIM_THRESHOLD: 64, _MMAP_THRESHOLD: 4}


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


def keep_freed_memory() -> bool:
    """Have this process use freed memory again in place of giving it back to the system, where malloc is glibc's.

    Fits make and free arrays of about a megabyte all the time. Given back, each is fetched page by page again, which costs more than
    what is computed in it.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return mallopt is not None and all(
        mallopt(which, megabytes * _MEGABYTE) for which, megabytes in _KEPT_MEGABYTES.items()
    )


def too_large() -> str:
    """What became of a job that was refused memory, with the remedy; workers that measure have no limit of ours."""
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    given = "this machine has"
    if most != resource.RLIM_INFINITY:
        given = f"the {most // _MEGABYTE:,} MB that a worker may take (PERFATLAS_WORKER_MEMORY_MB)"
    return f"it needs more memory than {given}: give it smaller files, or a machine with more"
