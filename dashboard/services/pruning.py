"""Retention: taking away what was kept long enough and that no result rests on, after telling how much it is.

Runs that count, points, fits, models, reports and the audit trail stay, however old.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from dashboard.access import Forbidden, Principal, Refused
from dashboard.models import Batch, Job, JobLogLine, Run
from dashboard.services import audit

# Taken away or changed in one transaction: well under a second.
_CHUNK = 2_000
_FEWEST_DAYS = 7
_OUTPUT = "ends of what failed runs printed"
_ENDED = (Job.State.DONE, Job.State.FAILED, Job.State.CANCELLED)


def preview_pruning(*, principal: Principal, days: int, invalid_runs: bool = False) -> dict[str, int]:
    """What pruning would take away: how many of what, in people's words; nothing changes.

    Of jobs that ended, and runs that came in, more than so many days ago. Raises `Refused` for less than a week, and `Forbidden`.
    """
    chosen = _chosen(principal, days, invalid_runs=invalid_runs)
    return {words: rows.count() for words, rows in chosen.items()}


def prune(*, principal: Principal, days: int, invalid_runs: bool = False) -> dict[str, int]:
    """Take it away, in small steps; how many of what. Repeated after an interruption it goes on. Raises as `preview_pruning`."""
    chosen = _chosen(principal, days, invalid_runs=invalid_runs)
    gone = {words: _take_away(rows, emptied=words == _OUTPUT) for words, rows in chosen.items()}
    audit.record(principal, "prune", "", days=days, **gone)
    return gone


def _chosen(principal: Principal, days: int, *, invalid_runs: bool) -> Mapping[str, models.QuerySet[Any]]:
    if not principal.is_operator:
        raise Forbidden("old rows are pruned by a command on the server")
    if days < _FEWEST_DAYS:
        raise Refused(f"{days} days are too few: give at least {_FEWEST_DAYS}")
    before = timezone.now() - timedelta(days=days)
    old_jobs = Job.objects.filter(state__in=_ENDED, finished_at__lt=before)
    old_runs = Run.objects.filter(batch__state=Batch.State.VISIBLE, batch__created_at__lt=before)
    chosen: dict[str, models.QuerySet[Any]] = {
        "lines of logs of jobs": JobLogLine.objects.filter(job__in=old_jobs),
        # What they did stands in the job that they are parts of.
        "parts of jobs": old_jobs.filter(parent__in=old_jobs),
        _OUTPUT: old_runs.exclude(output_tail=""),
    }
    if invalid_runs:
        chosen["runs marked invalid"] = old_runs.exclude(invalid_reason="")
    return chosen


def _take_away(rows: models.QuerySet[Any], *, emptied: bool) -> int:
    """Delete the rows, or only empty what they printed; how many."""
    gone = 0
    table = models.QuerySet[Any](rows.model)
    while ids := list(rows.order_by().values_list("pk", flat=True)[:_CHUNK]):
        with transaction.atomic():
            chunk = table.filter(pk__in=ids)
            if emptied:
                chunk.update(output_tail="")
            else:
                chunk.delete()
        gone += len(ids)
    return gone
