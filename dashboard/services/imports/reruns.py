"""Results that were measured anew and take the place of the points that the system holds."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dashboard.models import Batch, Point
from dashboard.services.bulk_inserts import insert

# As many as change place in the one transaction that shows an import, which must stay under a second.
MOST = 10_000
_COLUMNS = ("series_id", "revision_id", "n", "median", "spread")
_TOGETHER = 400


@dataclass(frozen=True, slots=True)
class Rerun:
    """A result measured anew: ids of its series and revision, and the values of a point."""

    series_id: int
    revision_id: int
    n: int
    median: float
    spread: float | None


def replace_points(reruns: Sequence[Rerun], batch_id: int) -> None:
    """Put reruns in the place of the points they contradict, and note those in the batch's manifest as `replaced`.

    Each stands there as series, revision (ids), n, median and spread. Call it in the transaction that shows the
    batch.
    """
    wanted = {(one.series_id, one.revision_id) for one in reruns}
    old = _points(wanted)
    for start in range(0, len(old), _TOGETHER):
        Point.objects.filter(pk__in=[pk for pk, *_ in old[start : start + _TOGETHER]]).delete()
    rows = [(one.series_id, one.revision_id, one.n, one.median, one.spread, batch_id) for one in reruns]
    insert(Point, (*_COLUMNS, "batch_id"), rows)
    batch = Batch.objects.get(pk=batch_id)
    batch.manifest["replaced"] = [values for _, *values in old]
    batch.save(update_fields=["manifest"])


def _points(wanted: Collection[tuple[int, int]]) -> list[tuple[int, int, int, int, float, float | None]]:
    """Id and values of the points at these pairs of series and revision."""
    series = sorted({one for one, _ in wanted})
    revisions = {one for _, one in wanted}
    found = []
    for start in range(0, len(series), _TOGETHER):
        rows = Point.objects.filter(series_id__in=series[start : start + _TOGETHER])
        if len(revisions) <= _TOGETHER:
            rows = rows.filter(revision_id__in=revisions)
        found += [row for row in rows.values_list("pk", *_COLUMNS) if row[1:3] in wanted]
    return found
