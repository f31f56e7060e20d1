"""What was counted beside a history: which functions did more or less between two revisions."""

from collections.abc import Collection, Mapping

from django.db.models import Exists, OuterRef

from analytics.work import CountWeights, moved_regions
from dashboard.models import Batch, CountedRun, Measurement, System
from dashboard.selectors.batch_manifests import count_weights
from dashboard.selectors.counts import counts_by_region, site_tables
from dashboard.selectors.histories.rows import ChangeRow, History, SeriesContext, SeriesRow

# The names of two revisions that were measured, the earlier first.
Pair = tuple[str, str]
_CELL = ("batch_id", "revision_id", "configuration_id", "workload_id", "environment_id")


def measured_pair(history: History, change: ChangeRow) -> Pair:
    """The measured revisions on both sides of a change: those themselves, or those that hold their code."""
    measured = {point.position: point.same_as or point.revision for point in history.points}
    before, after = (measured.get(place.position, place.name) for place in (change.before, change.after))
    return before, after


def moved_between(
    system: System, counted: SeriesRow, pairs: Collection[Pair]
) -> Mapping[Pair, tuple[tuple[str, float], ...]]:
    """The regions whose part of a counted series differs between two revisions, with the difference in its unit.

    The largest first; they sum to the difference of the series. A pair of which one was not counted is left out. Four
    queries at most.
    """
    names = {name for pair in pairs for name in pair}
    amounts = counted_amounts(system, counted, quantity=counted.quantity, revisions=names)
    return {
        (before, after): tuple(moved_regions(amounts[before], amounts[after]))
        for before, after in pairs
        if before in amounts and after in amounts
    }


def counted_amounts(
    system: System, counted: SeriesContext, *, quantity: str, revisions: Collection[str]
) -> Mapping[str, Mapping[str, float]]:
    """What each region counted at revisions, by their names, in the unit of a counted series of that `quantity`. Four queries at most.

    Of several runs the newest one tells; what was not counted, or has no regions, is left out.
    """
    own = {f"run__{name}": OuterRef(name) for name in _CELL}
    counting = Measurement.objects.filter(metric_id=counted.metric_id, run__invalid_reason="", **own)
    rows = CountedRun.objects.filter(
        Exists(counting),
        batch__system=system,
        batch__state=Batch.State.VISIBLE,
        configuration__identity=counted.subject,
        workload_id=counted.workload_id,
        environment_id=counted.environment_id,
        revision__name__in=revisions,
    )
    newest = {one.revision.name: one for one in rows.select_related("revision").order_by("pk")}
    tables = site_tables({one.batch_id for one in newest.values()})
    weights = CountWeights(count_weights(system) if quantity == "work" else {})
    return {name: weights.work(counts_by_region(one, tables)) for name, one in newest.items()}
