"""How many jobs there are of each kind and state, how long they took, and how long the next one waits."""

from dataclasses import dataclass

from django.db.models import Count, F, Min, Sum
from django.utils import timezone

from dashboard.models import Job


@dataclass(frozen=True, slots=True)
class JobAmounts:
    """`jobs` by kind and state; `seconds` of those that are done, by kind: how many, and from start to end in all.

    `waiting` says for each queue how long its oldest waiting job has waited, in seconds; 0 where none does.
    """

    jobs: dict[tuple[str, str], int]
    seconds: dict[str, tuple[int, float]]
    waiting: dict[str, float]


def job_amounts() -> JobAmounts:
    """Of all systems together: numbers only, for whoever runs the installation."""
    rows = Job.objects.order_by()
    done = rows.filter(state=Job.State.DONE, started_at__isnull=False, finished_at__isnull=False)
    took = done.values_list("kind").annotate(count=Count("pk"), whole=Sum(F("finished_at") - F("started_at")))
    now = timezone.now()
    oldest = dict(rows.filter(state=Job.State.QUEUED).values_list("queue").annotate(first=Min("created_at")))
    return JobAmounts(
        jobs={
            (kind, state): count
            for kind, state, count in rows.values_list("kind", "state").annotate(count=Count("pk"))
        },
        seconds={kind: (count, whole.total_seconds()) for kind, count, whole in took},
        waiting={
            queue: (now - oldest[queue]).total_seconds() if queue in oldest else 0.0
            for queue in Job.Queue.values
        },
    )
