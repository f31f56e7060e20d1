"""The curve behind a history: its measured points, and what the code of the revisions, sessions and siblings add.

One owner for the page, the list, the stored fits, `next` and tracking: they all fit what `load_curves` gives.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from math import nan
from operator import itemgetter
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber

from analytics.changepoints import ChangePoints, ChangePointSettings, noise_of_alike, series_rate
from analytics.changepoints.growing import LONGEST_WHOLE
from analytics.histories.code_versions import Bracket, CodeVersions
from analytics.histories.measurements import FloatArray, Measurements
from analytics.histories.sessions import Session, sessions_by_code, value_noise
from dashboard.models import Metric, Series, System
from dashboard.selectors.end_to_end import end_to_end_measurements
from dashboard.selectors.histories.annotations import Annotations, load_annotations
from dashboard.selectors.histories.columns import PointColumns, PointLoader, load_columns, measurements_of
from dashboard.selectors.histories.fits import YEAR_SECONDS, HistoryCurve, search
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.rows import MeasuredPoint, SeriesContext, SeriesRow
from dashboard.selectors.histories.series import searched_together
from dashboard.selectors.machine_speed import REFERENCE_SQUARE, adjusted_values

# Sibling series that are looked at: more of them add little, and each costs a search for changes.
_SIBLINGS = 24
# The searches of so many are kept.
_KEPT = 512
# Two more are read: those of the history itself, in all versions of a benchmark, are left out.
_READ = _SIBLINGS + 2
_SIBLING = ("subject_kind", "environment_id", "metric_id", "pk", "subject", "workload_id", "metric__clock")


def load_curves(
    system: System, series: Sequence[SeriesRow], order: OrderedRevisions, noted: Annotations | None = None
) -> dict[int, HistoryCurve]:
    """The curve of each series in an order, by id; one without a point in it has an empty curve.

    `noted` are the annotations in that order where they were read already. The number of queries does not grow with the series.
    """
    found = curves_and_columns(system, series, order, noted)
    return {pk: replace(curve, points=columns.rows(order)) for pk, (curve, columns) in found.items()}


def curves_and_columns(
    system: System,
    series: Sequence[SeriesRow],
    order: OrderedRevisions,
    noted: Annotations | None = None,
    *,
    load: PointLoader = load_columns,
) -> dict[int, tuple[HistoryCurve, PointColumns]]:
    """The same curves without their points, and these by column: what fits of thousands of series take.

    `load` reads points as `load_columns` does.
    """
    contexts = {one.series_id: one for one in series}
    bases = series_of_default(system, [one for one in series if one.kind == Series.SubjectKind.TERM])
    alike = _siblings(system, contexts)
    read = {*contexts, *bases.values(), *(one.pk for one in alike)}
    points = load(system, read, order)
    annotations = noted or load_annotations(system, order)
    siblings = _moved_siblings(contexts, alike, points, order, annotations)
    sessions = sessions_of(system, contexts)
    codes = order.codes if sessions else {}
    noise = {pk: value_noise(sessions_by_code(some, codes)) for pk, some in sessions.items()}
    # That is, to the median of its positive values.
    positive = {pk: [one for one in points[base].medians.tolist() if one > 0] for pk, base in bases.items()}
    versions = order.versions
    dates = (place.released_at for place in order.revisions)
    seconds = np.array([nan if date is None else date.timestamp() for date in dates])
    suite = searched_together(system)
    curves = {
        pk: HistoryCurve(
            points=(),
            level=median(positive[pk]) if positive.get(pk) else None,
            versions=versions,
            kind=one.kind,
            sibling_changes=siblings[pk][0],
            autocorrelation=siblings[pk][1],
            wander=siblings[pk][2],
            noise=noise.get(pk) or 0.0,
            kernel=one.kernel,
            false_alarm_rate=series_rate(
                system.false_alarm_rate,
                years=_years_searched(seconds[points[pk].places]),
            ),
            suite=suite,
            exact=is_exact(one.clock, points[pk].spreads),
            breaks=_breaks(annotations, pk, versions),
        )
        for pk, one in contexts.items()
    }
    return {pk: (curve, points[pk]) for pk, curve in curves.items()}


def _years_searched(seconds: FloatArray) -> float:
    """The years of a search over revisions measured of these dates (NaN: unknown); of a long history the whole years of a stretch."""
    known = seconds[~np.isnan(seconds)]
    years = float(np.ptp(known)) / YEAR_SECONDS if len(known) else 0.0
    return years if len(seconds) <= LONGEST_WHOLE else float(round(years * LONGEST_WHOLE / len(seconds)))


def _breaks(annotations: Annotations, series_id: int, versions: CodeVersions) -> tuple[int, ...]:
    """The code versions at which the history of a series begins a new level."""
    return tuple(versions.version_at[position] for position in annotations.breaks(series_id))


def series_of_default(system: System, terms: Sequence[SeriesRow]) -> dict[int, int]:
    """The default configuration's own series that each term is relative to, by the term's. One query at most."""
    if not terms:
        return {}
    default = system.configurations.filter(Q(name="default") | Q(name="", assignments={}))
    rows = system.series.filter(
        subject_kind=Series.SubjectKind.CONFIGURATION, subject__in=default.values("identity")
    ).order_by("-pk")
    of_default = {(one.workload_id, one.environment_id, one.metric_id): one.pk for one in rows}
    found = {}
    for term in terms:
        key = (term.workload_id, term.environment_id, term.metric_id)
        if key in of_default:
            found[term.series_id] = of_default[key]
    return found


def is_exact(clock: str, spreads: Iterable[float | None]) -> bool:
    """Whether values have no noise: they were counted, and were the same wherever they were counted again."""
    return clock == Metric.Clock.COUNT and not any(one for one in spreads if one is not None and one > 0)


def with_same_code(points: Sequence[MeasuredPoint], order: OrderedRevisions) -> tuple[MeasuredPoint, ...]:
    """The points, and those of all other revisions that hold the code of a measured one: of the nearest such one."""
    content = {place.position: place.content for place in order.revisions}
    measured: dict[str, list[MeasuredPoint]] = {}
    for point in points:
        measured.setdefault(content[point.position], []).append(point)
    # Of releases no code is known.
    measured.pop("", None)
    own = {point.position for point in points}
    shared = []
    for place in order.revisions:
        if place.content in measured and place.position not in own:
            position = place.position
            nearest = min(measured[place.content], key=lambda point: abs(point.position - position))
            shared.append(nearest._replace(position=position, revision=place.name, same_as=nearest.revision))
    return tuple(sorted([*points, *shared], key=lambda point: point.position))


def sessions_of(system: System, contexts: Mapping[int, SeriesContext]) -> dict[int, tuple[Session, ...]]:
    """The sessions of series by id, in the order in which they were made; of configurations only. One query."""
    ids = {
        (one.subject, one.workload_id, one.environment_id, one.metric_id): pk
        for pk, one in contexts.items()
        if one.kind == Series.SubjectKind.CONFIGURATION
    }
    if not ids:
        return {}
    subjects, workloads, environments, metrics = (set(column) for column in zip(*ids, strict=True))
    rows = (
        end_to_end_measurements(system)
        .filter(
            metric_id__in=metrics,
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
            REFERENCE_SQUARE,
            "run__reference_program",
        )
    )
    made: dict[int, list[list[Any]]] = {}
    for *key, name, value, square, program in rows:
        if (pk := ids.get(tuple(key))) is not None:
            made.setdefault(pk, []).append([name, value, square, program])
    return {pk: _adjusted_sessions(runs) for pk, runs in made.items()}


def _adjusted_sessions(runs: Sequence[Sequence[Any]]) -> tuple[Session, ...]:
    """Runs (name, value, square, program) of one series as sessions; values are adjusted as points are."""
    names, values, squares, programs = zip(*runs, strict=True)
    adjusted = zip(names, adjusted_values(values, squares, programs, names), strict=True)
    return tuple(
        Session(name, tuple(value for _, value in some))
        for name, some in groupby(adjusted, key=itemgetter(0))
    )


class _Sibling(NamedTuple):
    """A series that may be a sibling of others of its kind, environment and metric."""

    kind: str
    environment: int
    metric: int
    pk: int
    subject: str
    workload: int
    clock: str


def _group(one: SeriesContext) -> tuple[str, int, int]:
    """What siblings share: environment and metric; configurations for anything but a benchmark, for a benchmark benchmarks."""
    benchmark = Series.SubjectKind.BENCHMARK.value
    kind = benchmark if one.kind == benchmark else Series.SubjectKind.CONFIGURATION.value
    return kind, one.environment_id, one.metric_id


def _siblings(system: System, contexts: Mapping[int, SeriesContext]) -> Sequence[_Sibling]:
    """The first series of each group that one of these belongs to. One query."""
    wanted = Q(pk__in=())
    for kind, environment, metric in {_group(one) for one in contexts.values()}:
        wanted |= Q(subject_kind=kind, environment_id=environment, metric_id=metric)
    alike = [F("subject_kind"), F("environment_id"), F("metric_id")]
    rows = (
        system.series.filter(wanted)
        .annotate(number=Window(RowNumber(), partition_by=alike, order_by="pk"))
        .filter(number__lte=_READ)
        .order_by("pk")
        .values_list(*_SIBLING)
    )
    return [_Sibling(*row) for row in rows]


def sibling_changes(
    system: System, contexts: Mapping[int, SeriesContext], order: OrderedRevisions
) -> dict[int, tuple[tuple[Bracket, ...], float | None, float | None]]:
    """The brackets of versions in which sibling series changed, and how their noise is autocorrelated and likely to wander (`noise_of_alike`).

    By series; no series is its own sibling. Three queries.
    """
    alike = _siblings(system, contexts)
    points = load_columns(system, [one.pk for one in alike], order)
    return _moved_siblings(contexts, alike, points, order, load_annotations(system, order))


@lru_cache(maxsize=_KEPT)
def changes_of_content(
    content: tuple[bytes, ...], settings: ChangePointSettings, *, exact: bool
) -> ChangePoints:
    """The changes of runs by code version, whose positions, values, repetitions and spreads are these bytes; kept.

    A revision that the order gets, or a point of another series, has nothing searched again. Raises `ChangePointError`.
    """
    positions, repetitions = (np.frombuffer(content[at], np.int64) for at in (0, 2))
    values, spreads = (np.frombuffer(content[at], np.float64) for at in (1, 3))
    return search(Measurements.of(positions, values, repetitions, spreads), settings, exact=exact)


def _moved_siblings(
    contexts: Mapping[int, SeriesContext],
    alike: Sequence[_Sibling],
    points: Mapping[int, PointColumns],
    order: OrderedRevisions,
    annotations: Annotations,
) -> dict[int, tuple[tuple[Bracket, ...], float | None, float | None]]:
    """See `sibling_changes`; `points` are those of the series `alike`."""
    versions = order.versions
    # By group: whose they are. A series alone in its group is not asked about.
    asking: dict[tuple[str, int, int], set[tuple[str, int]]] = {}
    for context in contexts.values():
        asking.setdefault(_group(context), set()).add((context.subject, context.workload_id))
    # By group: whose series it is, and what was found in it.
    siblings: dict[tuple[str, int, int], list[tuple[tuple[str, int], ChangePoints]]] = {}
    for one in alike:
        group, itself = (one.kind, one.environment, one.metric), (one.subject, one.workload)
        if len(own := points[one.pk]) and asking[group] != {itself}:
            settings = ChangePointSettings(breaks=_breaks(annotations, one.pk, versions))
            measured = measurements_of(own, versions)
            arrays = (measured.positions, measured.values, measured.repetitions, measured.spreads)
            content = tuple(one.tobytes() for one in arrays)
            moved = changes_of_content(content, settings, exact=is_exact(one.clock, own.spreads))
            siblings.setdefault(group, []).append((itself, moved))
    found = {}
    for pk, context in contexts.items():
        itself = (context.subject, context.workload_id)
        alike_ones = [some for whose, some in siblings.get(_group(context), ()) if whose != itself]
        others = alike_ones[:_SIBLINGS]
        changed = tuple((one.bracket_before, one.bracket_after) for some in others for one in some.changes)
        found[pk] = (changed, *noise_of_alike(others))
    return found
