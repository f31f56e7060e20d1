"""What the jobs of tests are asked for."""

from typing import ClassVar

from dashboard.models import Job
from dashboard.selectors.job_columns import JobRequest


class SomeRequest(JobRequest):
    """Of a kind that only tests run, or nobody."""

    kind: ClassVar = "test"

    a: int = 1


class MeasuringSomeRequest(SomeRequest):
    """Likewise, for the worker that measures."""

    queue: ClassVar = Job.Queue.MEASURE


class CountRequest(JobRequest):
    """A line for each step, in a file; so long between two."""

    kind: ClassVar = "count"

    steps: int
    seconds: float
    file: str


class MeasuringCountRequest(CountRequest):
    """Likewise, for the worker that measures."""

    queue: ClassVar = Job.Queue.MEASURE


class TakeRequest(JobRequest):
    """So much memory at once."""

    kind: ClassVar = "take"

    megabytes: int


class DieRequest(JobRequest):
    """The end of the worker, noted in a file."""

    kind: ClassVar = "die"

    file: str
