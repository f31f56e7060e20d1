"""Writing histories of terms: the series of each term, and its points."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from django.db.models import F

from analytics.configurations.options import OptionSpace
from analytics.influence.terms import TermTable
from dashboard.models import Point, Series, System
from dashboard.selectors.configurations import key_of
from dashboard.services.identities import identity_of

# Interactions of more options than these are seldom told from noise, and nobody looks through their histories.
HIGHEST_DEGREE = 3


@dataclass(frozen=True, slots=True)
class Curves:
    """The ids of where the terms of one set of histories are measured."""

    workload_id: int
    environment_id: int
    metric_id: int


@dataclass(frozen=True, slots=True)
class TermPoint:
    """A coefficient with its standard error, from `n` measurements that came in a batch."""

    coefficient: float
    error: float | None
    n: int
    batch_id: int


def term_points(space: OptionSpace, table: TermTable, n: int, batch_id: int) -> dict[str, TermPoint]:
    """The determined terms of one revision that have a history, by their key."""
    found = {}
    for row in np.flatnonzero(table.determined & (table.degrees >= 1) & (table.degrees <= HIGHEST_DEGREE)):
        end = np.where(table.levels[row] < 0, table.base, table.levels[row])
        error = float(table.standard_errors[row])
        found[key_of(space, table.base, end)] = TermPoint(
            float(table.coefficients[row]), None if math.isnan(error) else error, n, batch_id
        )
    return found


def write_term_points(
    system: System,
    where: Curves,
    found: Mapping[str, Mapping[int, TermPoint]],
    *,
    revisions: Collection[int] | None = None,
) -> int:
    """Write what was found of each term at each revision; returns how many points there are.

    All points of these histories are written anew, or only those of `revisions`. A term has a history where at least
    two revisions determine it. The spread is the error times the root of n, so that the error can be had back.
    """
    known = _known(system, where)
    begun = {row.subject for row in known.values()} if revisions is not None else set()
    kept = {key: points for key, points in found.items() if len(points) > 1 or key in begun}
    old = Point.objects.filter(series_id__in=[row.pk for row in known.values()])
    (old if revisions is None else old.filter(revision_id__in=revisions)).delete()
    series = _series(system, where, kept, known)
    written = Point.objects.bulk_create(
        [
            Point(
                series=series[key],
                revision_id=revision,
                batch_id=point.batch_id,
                n=point.n,
                median=point.coefficient,
                spread=None if point.error is None else point.error * math.sqrt(point.n),
            )
            for key, points in kept.items()
            for revision, point in points.items()
        ]
    )
    moved = {row.pk for row in (*known.values(), *series.values())}
    Series.objects.filter(pk__in=moved).update(data_version=F("data_version") + 1)
    return len(written)


def _known(system: System, where: Curves) -> dict[str, Series]:
    """The series of terms that there are, by identity."""
    rows = Series.objects.filter(
        system=system,
        subject_kind=Series.SubjectKind.TERM,
        workload_id=where.workload_id,
        environment_id=where.environment_id,
        metric_id=where.metric_id,
    )
    return {row.identity: row for row in rows}


def _series(
    system: System, where: Curves, keys: Collection[str], known: Mapping[str, Series]
) -> dict[str, Series]:
    """The series of these terms, made where missing."""
    rows = {}
    for key in keys:
        row = Series(
            system=system,
            subject_kind=Series.SubjectKind.TERM,
            subject=key,
            workload_id=where.workload_id,
            environment_id=where.environment_id,
            metric_id=where.metric_id,
        )
        row.identity = identity_of(row)
        rows[key] = known.get(row.identity, row)
    Series.objects.bulk_create([row for row in rows.values() if row.pk is None])
    return rows
