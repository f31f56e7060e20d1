"""Data versions: counters that caches, reports and stored fits are keyed by."""

from collections.abc import Collection, Sequence

from django.db.models import F

from dashboard.models import PerformanceModel, Series, System

# A query takes only so many values.
_CHUNK = 2_000


def bump(*, system: System, revisions: Collection[int] = (), series: Sequence[int] = ()) -> None:
    """Move the data version of a system, of its analyses of those revisions whose runs changed, and of series.

    Call it in the transaction that changes the data.
    """
    System.objects.filter(pk=system.pk).update(data_version=F("data_version") + 1)
    PerformanceModel.objects.filter(system=system, revision_id__in=revisions).update(
        data_version=F("data_version") + 1
    )
    for start in range(0, len(series), _CHUNK):
        Series.objects.filter(pk__in=series[start : start + _CHUNK]).update(
            data_version=F("data_version") + 1
        )
