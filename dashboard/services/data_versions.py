"""Data versions: counters that caches, reports and stored fits are keyed by."""

from collections.abc import Collection, Sequence

from django.db.models import Case, F, When

from dashboard.models import PerformanceModel, Series, System

# A query takes only so many values.
_CHUNK = 2_000


# That points were added, behind others of which nobody knows more than that, or behind such ones.
_GROWN = {
    "grown_from": Case(When(grown_to=F("data_version"), then=F("grown_from")), default=F("data_version")),
    "grown_to": F("data_version") + 1,
}


def bump(
    *,
    system: System,
    revisions: Collection[int] = (),
    series: Sequence[int] = (),
    grown: Sequence[int] = (),
) -> None:
    """Move the data version of a system, of its analyses of those revisions whose runs changed, and of series.

    Of those that have `grown`, points were added and none was changed or taken away. Call it in the transaction that changes the data.
    """
    System.objects.filter(pk=system.pk).update(data_version=F("data_version") + 1)
    PerformanceModel.objects.filter(system=system, revision_id__in=revisions).update(
        data_version=F("data_version") + 1
    )
    for some, besides in ((series, {}), (grown, _GROWN)):
        for start in range(0, len(some), _CHUNK):
            moved = Series.objects.filter(pk__in=some[start : start + _CHUNK])
            moved.update(**besides, data_version=F("data_version") + 1)
