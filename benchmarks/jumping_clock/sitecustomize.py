"""Python runs this as it starts: the process sees a time of day that is as many seconds ahead as a file says.

The file is named by `PERFATLAS_BENCH_CLOCK`. What goes only forward, by which durations are taken, stays as it is.
"""

import os
import time
from datetime import datetime, timedelta
from pathlib import Path

from django.utils import timezone

_FILE = Path(os.environ["PERFATLAS_BENCH_CLOCK"])
_TIME, _NOW = time.time, timezone.now


def _ahead() -> float:
    return float(_FILE.read_text() or 0.0)


def _time() -> float:
    return _TIME() + _ahead()


def _now() -> datetime:
    return _NOW() + timedelta(seconds=_ahead())


time.time, timezone.now = _time, _now
