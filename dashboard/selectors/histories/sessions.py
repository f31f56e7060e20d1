"""Runs of a configuration that were made one right after the other, and by how much such sessions differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from statistics import median

import numpy as np

from analytics.histories.noise import MEDIAN_FACTOR
from dashboard.models import Batch, Measurement, Series, System
from dashboard.selectors.end_to_end import end_to_end_runs
from dashboard.selectors.histories.rows import SeriesContext
from dashboard.selectors.histories.series import OrderedRevisions


@dataclass(frozen=True, slots=True)
class Session:
    """The values, in the metric's unit, of runs of a revision that were made one right after the other."""

    revision: str
    values: tuple[float, ...]


def sessions_of(
    system: System, where: Mapping[int, SeriesContext], *, batch: Batch | None = None
) -> dict[int, tuple[Session, ...]]:
    """The sessions of series by id, in the order in which they were made; of configurations only. One query.

    With a `batch` those of its runs alone. For selectors and services, behind their check.
    """
    ids = {
        (one.subject, one.workload_id, one.environment_id, one.metric_id): pk
        for pk, one in where.items()
        if one.kind == Series.SubjectKind.CONFIGURATION
    }
    if not ids:
        return {}
    subjects, workloads, environments, metrics = (set(column) for column in zip(*ids, strict=True))
    measured = Measurement.objects.all() if batch is None else Measurement.objects.filter(run__batch=batch)
    rows = (
        measured.filter(
            metric_id__in=metrics,
            run__in=end_to_end_runs(system),
            run__configuration__identity__in=subjects,
            run__environment_id__in=environments,
            run__workload_id__in=workloads,
        )
        .order_by("run_id")
        .values_list(
            "run__configuration__identity",
            "run__workload_id",
            "run__environment_id",
            "metric_id",
            "run__revision__name",
            "value",
        )
    )
    made: dict[int, list[tuple[str, float]]] = {}
    for subject, workload, environment, metric, revision, value in rows:
        pk = ids.get((subject, workload, environment, metric))
        if pk is not None:
            made.setdefault(pk, []).append((revision, value))
    return {
        pk: tuple(
            Session(name, tuple(value for _, value in some))
            for name, some in groupby(runs, key=itemgetter(0))
        )
        for pk, runs in made.items()
    }


def noises(system: System, where: Mapping[int, SeriesContext], order: OrderedRevisions) -> dict[int, float]:
    """By series, how far what was measured of a code is off, relative, as its sessions tell: see `value_noise`.

    Only the series of which some code has two sessions. One query. For selectors and services, behind their check.
    """
    found = sessions_of(system, where)
    codes = order.codes if found else {}
    told = {pk: value_noise(by_code(some, codes)) for pk, some in found.items()}
    return {pk: noise for pk, noise in told.items() if noise is not None}


def by_code(sessions: Sequence[Session], codes: Mapping[str, int]) -> dict[int, list[Session]]:
    """The sessions by code; `codes` numbers the code of each revision, others are left out."""
    found: dict[int, list[Session]] = {}
    for session in sessions:
        if session.revision in codes:
            found.setdefault(codes[session.revision], []).append(session)
    return found


def session_noise(sessions: Mapping[int, Sequence[Session]]) -> float | None:
    """By how much one session of the same code differs from another, relative: a standard deviation.

    `sessions` are given by code. Runs right after each other scatter less than that. None where no code has two.
    """
    squares, freedom = 0.0, 0
    for some in sessions.values():
        levels = np.log([median(one.values) for one in some if median(one.values) > 0])
        if len(levels) > 1:
            squares += float(np.sum((levels - levels.mean()) ** 2))
            freedom += len(levels) - 1
    return float(np.sqrt(squares / freedom)) if freedom else None


def value_noise(sessions: Mapping[int, Sequence[Session]]) -> float | None:
    """By how much the value of a code is off, relative, where it has as many sessions as most have; None as above."""
    single = session_noise(sessions)
    if single is None:
        return None
    usual = median(len(some) for some in sessions.values())
    return single * float(np.sqrt((MEDIAN_FACTOR if usual > 2 else 1.0) / usual))
