"""Histories of terms: each term's influence on the end-to-end time, revision by revision."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from django.db.models import F

from analytics.configurations.identities import key_of
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence import models as influence
from analytics.influence.terms import TermTable
from analytics.influence.times import PROGRAM_REGION, RegionTimes
from dashboard.models import Metric, PerformanceModel, Point, Series, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.services.identities import CurveContext, identified
from dashboard.services.metrics import seconds
from dashboard.services.performance_models.curves import read_values
from dashboard.services.performance_models.full_factorial import MOST_COMBINATIONS

# Interactions of more options than these are seldom told from noise, and nobody looks through their histories.
HIGHEST_DEGREE = 3


def refresh_term_points(*, system: System, contexts: Collection[MeasurementContext]) -> int:
    """Write the points of all term histories of contexts, after runs there were stored, marked invalid or restored.

    Returns how many points there are. A term is relative to the reference configuration. It has a history where at least
    two revisions determine it.
    """
    space = options_of(system)
    # Where nothing was measured, no metric is made.
    metrics = [seconds(clock).pk for clock in (Metric.Clock.CPU, Metric.Clock.WALL)] if contexts else []
    # Those of learned models follow these.
    learned = PerformanceModel.objects.filter(system=system, kind=PerformanceModel.Kind.LEARNED)
    written = 0
    for where in {
        CurveContext(one.workload_id, one.environment_id, pk) for one in contexts for pk in metrics
    }:
        if learned.filter(
            workload_id=where.workload_id,
            environment_id=where.environment_id,
            total_metric_id=where.metric_id,
        ).exists():
            continue
        values, batches, assigned = read_values(system, where)
        points = {}
        for revision, own in values.items():
            configurations = space.encode(assigned[configuration] for configuration in own)
            points[revision] = _points(space, configurations, list(own.values()), batches[revision])
        written += write_term_points(system, where, points)
    return written


def _points(
    space: OptionSpace, configurations: IntArray, totals: Sequence[Sequence[float]], batch_id: int
) -> dict[str, Point]:
    """The terms of one revision that its runs determine, by key; none where they are not relative to the reference."""
    varied = np.ptp(configurations, axis=0) > 0
    several = [space.options[column] for column in np.flatnonzero(varied)]
    if configurations[0, ~varied].any() or math.prod(len(one.levels) for one in several) > MOST_COMBINATIONS:
        return {}
    longest = max(len(values) for values in totals)
    values = np.zeros((1, len(totals), longest))
    ran = np.zeros((len(totals), longest), dtype=bool)
    for row, measured in enumerate(totals):
        values[0, row, : len(measured)] = measured
        ran[row, : len(measured)] = True
    times = RegionTimes(
        space=space,
        regions=(PROGRAM_REGION,),
        partitions=(Partition.exhaustive(space, [option.name for option in several]),),
        configurations=configurations,
        values=values,
        ran=ran,
        program_region=PROGRAM_REGION,
    )
    # As sure as the scarcest configuration's repetitions let it be.
    return term_points(space, influence.fit(times).terms, int(ran.sum(axis=1).min()), batch_id)


def term_points(space: OptionSpace, table: TermTable, n: int, batch_id: int) -> dict[str, Point]:
    """The determined terms of one revision that have a history, by their key: points from `n` measurements of a batch.

    Of no series and no revision yet. The spread is the error times the root of `n`, so that the error can be had back.
    """
    points = {}
    for row in np.flatnonzero(table.determined & (table.degrees >= 1) & (table.degrees <= HIGHEST_DEGREE)):
        end = np.where(table.levels[row] < 0, table.base, table.levels[row])
        error = float(table.standard_errors[row])
        points[key_of(space, table.base, end)] = Point(
            batch_id=batch_id,
            n=n,
            median=float(table.coefficients[row]),
            spread=None if math.isnan(error) else error * math.sqrt(n),
        )
    return points


def write_term_points(
    system: System,
    where: CurveContext,
    found: Mapping[int, Mapping[str, Point]],
    *,
    anew: bool = True,
) -> int:
    """Write the points of each revision (id) by term; returns how many points there are.

    All points of these histories are written anew, or only those of the revisions in `found`. A term has a history where
    at least two revisions determine it.
    """
    kind = Series.SubjectKind.TERM
    series = {row.subject: row for row in system.series.filter(subject_kind=kind, **where.as_filter())}
    determined = Counter(term for points in found.values() for term in points)
    kept = {term for term, n in determined.items() if n > 1 or (term in series and not anew)}
    old = Point.objects.filter(series_id__in=[row.pk for row in series.values()])
    (old if anew else old.filter(revision_id__in=list(found))).delete()
    for term in sorted(kept - series.keys()):
        row = Series(system=system, subject_kind=kind, subject=term, **where.as_filter())
        series[term] = identified(row)
    Series.objects.bulk_create([row for row in series.values() if row.pk is None])
    points = []
    for revision, own in found.items():
        for term, point in own.items():
            if term in kept:
                point.series, point.revision_id = series[term], revision
                points.append(point)
    Point.objects.bulk_create(points)
    Series.objects.filter(pk__in=[row.pk for row in series.values()]).update(
        data_version=F("data_version") + 1
    )
    return len(points)
