"""Data versions: counters that caches, reports and stored fits are keyed by."""

from collections.abc import Collection

from django.db.models import F

from dashboard.models import Analysis, System


def bump(*, system: System, revisions: Collection[int] = ()) -> None:
    """Move the data version of a system, and of its analyses of those revisions whose runs changed.

    Call it in the transaction that changes the data.
    """
    System.objects.filter(pk=system.pk).update(data_version=F("data_version") + 1)
    Analysis.objects.filter(system=system, revision_id__in=revisions).update(
        data_version=F("data_version") + 1
    )
