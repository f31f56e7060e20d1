"""Finding the revision that changed what is counted: single counted runs, by halves, each end twice."""

from typing import Any

from analytics.work import CountWeights, moved_regions, next_to_count
from dashboard.figures.numbers import count, percent, plural, signed
from dashboard.models import CountedRun, Measurement, Metric, Run
from dashboard.selectors.batch_manifests import count_weights
from dashboard.selectors.counts import counts_by_region, site_tables
from dashboard.services.tracking.tracked_series import CodeVersion, TrackedSeries, versions_of
from runner.plans import PlannedRun

# So many functions are named in the answer.
_NAMED = 5


def count_to_bisect(series: TrackedSeries, quantity: str) -> dict[str, Any]:
    """Search with a counted run of each revision that halves what is left: the result of the job."""
    versions = versions_of(series.revisions)
    first, last = versions[0], versions[-1]
    for end in (first, last):
        once, again = (_counted(series, end, repetition) for repetition in (1, 2))
        if once is None or again is None:
            sentence = f"undecided: {end.title} cannot be counted, and without both ends nothing is told"
            return {"suspects": [], "sentence": f"{sentence}: choose another one with --from or --to"}
        if once != again:
            return {
                "suspects": [],
                "sentence": f"undecided: {end.title} counted {count(round(once))} {quantity} and then {count(round(again))}: "
                "counts of this program differ from run to run; search by time, or with one thread",
            }
    values = {at: _counted(series, versions[at]) for at in (0, len(versions) - 1)}
    if values[0] == values[len(versions) - 1]:
        moved = _moved(series, first, last, quantity)
        told = "in sum, though not in each function" if moved else "in every function"
        return {
            "suspects": [],
            "sentence": f"no change of {quantity} lies between {first.title} and {last.title}: they are equal {told}{moved}; "
            "a change of the time is one of memory, cache, I/O or the machine",
        }
    while True:
        (low, high), position = next_to_count(values, len(versions) - 1)
        if position is None:
            break
        share = len(values) / (len(values) + (high - low).bit_length())
        series.job.context.progress(share, f"{versions[position].title}: {high - low} revisions are left")
        values[position] = _counted(series, versions[position])
    before, after = values[low] or 0.0, values[high] or 0.0
    relative = after / before - 1 if before else 0.0
    others = f", or one of the {high - low - 1} before it that cannot be counted," if high - low > 1 else ""
    return {
        "suspects": [version.first for version in versions[low + 1 : high + 1]],
        "relative_size": relative,
        "error_probability": 0.0,
        "sentence": f"{versions[high].title}{others} changed the {quantity} by {percent(100 * relative, 3, signed=True)} "
        f"({signed(after - before)}){_moved(series, versions[low], versions[high], quantity)}; counted in "
        f"{plural(series.batch.runs.count(), 'run')} without noise",
    }


def _counted(series: TrackedSeries, version: CodeVersion, repetition: int = 1) -> float | None:
    """What a revision counts, from a run that is stored or made now; None where it fails."""
    runs = series.runs(version.first).filter(repetition=repetition)
    if not runs.exists():
        (configuration,) = series.configurations
        planned = PlannedRun(0, version.first, configuration, series.request.workload, repetition)
        series.count(planned, alone=True)
    own = Measurement.objects.filter(
        run__in=runs, run__status=Run.Status.OK, metric__clock=Metric.Clock.COUNT
    )
    value: float | None = own.values_list("value", flat=True).first()
    return value


def _moved(series: TrackedSeries, before: CodeVersion, after: CodeVersion, quantity: str) -> str:
    """The functions whose counts differ between two revisions, in words; "" where none does."""
    runs = {
        one.revision.name: one
        for one in CountedRun.objects.filter(batch=series.batch).select_related("revision")
    }
    if not {before.first, after.first} <= runs.keys():
        return ""
    tables = site_tables([series.batch.pk])
    weights = CountWeights(count_weights(series.job.system) if quantity == "work" else {})
    amounts = [weights.work(counts_by_region(runs[one.first], tables)) for one in (before, after)]
    moved = moved_regions(*amounts)
    named = ", ".join(f"{region} {signed(amount)}" for region, amount in moved[:_NAMED])
    more = f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
    return f": {named}{more}" if moved else ""
