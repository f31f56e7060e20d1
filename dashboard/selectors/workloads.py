"""Workloads as an axis: where several were measured, and how the influence of each term differs between them."""

from collections import Counter
from functools import lru_cache

import numpy as np
from django.db.models import Count

from analytics.configurations.identities import key_of
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import Estimate
from analytics.units import SECONDS
from analytics.workloads.effects import RATE, WorkloadEffects, workload_effects
from analytics.workloads.sample import (
    FEWEST_CONFIGURATIONS,
    FEWEST_WORKLOADS,
)
from dashboard.access import NotFound
from dashboard.models import Metric, System, Workload
from dashboard.selectors.end_to_end import end_to_end_measurements
from dashboard.selectors.model_rows import LevelChange, Selection
from dashboard.selectors.performance_models import revision_positions
from dashboard.selectors.workload_rows import (
    ComparedWorkloads,
    WorkloadContext,
    WorkloadRow,
    WorkloadTerm,
    WorkloadVerdict,
)
from dashboard.selectors.workload_tables import DataVersion, WorkloadTable, workload_table

_CONTEXT = ("run__revision_id", "run__environment_id", "metric_id")
_NAMES = ("run__revision__name", "run__environment__name")
_METRIC = ("metric__quantity", "metric__unit", "metric__clock", "metric__better")
# Those that differ come first, those without any influence last.
_ORDER: dict[WorkloadVerdict, int] = {"reverses": 0, "differs": 0, "alike": 1, "nothing": 2}


def compares_workloads(system: System) -> bool:
    """Whether enough configurations were measured in several workloads each, in one context, to compare these."""
    return any(one.shared >= FEWEST_CONFIGURATIONS for one in workload_contexts(system))


def workload_contexts(system: System) -> tuple[WorkloadContext, ...]:
    """Where several workloads were measured: times first, those with most workloads first, then the newest revision.

    One query where the system has one workload, else five; none where they were asked for since the last write.
    """
    return _contexts(DataVersion.of(system))


def choose_context(
    system: System, selection: Selection
) -> tuple[WorkloadContext, dict[str, tuple[str, tuple[str, ...]]]]:
    """The context that is asked for, and what else can be while the rest stays, by name. Raises `NotFound`."""
    known = workload_contexts(system)
    asked = {name: value for name, value in selection.context.items() if name != "workload"}
    if not known:
        raise NotFound(f"{system.slug!r} has no configurations that were measured in several workloads")
    # A metric of another page may be one that workloads do not have.
    if asked.get("metric") not in {one.metric for one in known}:
        asked.pop("metric", None)
    fits = [one for one in known if all(getattr(one, name) == value for name, value in asked.items())]
    if not fits:
        said = ", ".join(f"{name} {value}" for name, value in asked.items())
        raise NotFound(f"at {said} only one workload was measured, or none")
    now = fits[0]
    same = [one for one in known if one.environment_id == now.environment_id]
    positions = revision_positions(system)
    revisions = {one.revision for one in same if one.metric_id == now.metric_id}
    choices = {
        "revision": (
            now.revision,
            tuple(sorted(revisions, key=lambda name: (positions.get(name, -1), name))),
        ),
        "environment": (now.environment, tuple(dict.fromkeys(one.environment for one in known))),
        "metric": (
            now.metric,
            tuple(dict.fromkeys(one.metric for one in same if one.revision == now.revision)),
        ),
    }
    return now, choices


def compare_workloads(*, system: System, context: WorkloadContext) -> ComparedWorkloads:
    """How influences differ between the workloads of a context. Four queries; none where it is kept in this process."""
    return _compared(DataVersion.of(system), context)


@lru_cache(maxsize=128)
def _contexts(version: DataVersion) -> tuple[WorkloadContext, ...]:
    if Workload.objects.filter(system=version.system_id).count() < FEWEST_WORKLOADS:
        return ()
    system = version.system
    measured = end_to_end_measurements(system).exclude(metric__clock=Metric.Clock.COUNT).order_by()
    workloads, several = Count("run__workload_id", distinct=True), {"workloads__gte": FEWEST_WORKLOADS}
    of_one = measured.values(*_CONTEXT, "run__configuration_id").annotate(workloads=workloads)
    shared = Counter(of_one.filter(**several).values_list(*_CONTEXT))
    rows = measured.values_list(*_CONTEXT, *_NAMES, *_METRIC).annotate(workloads=workloads).filter(**several)
    found = [WorkloadContext(*(*row, shared[row[:3]])) for row in rows]
    positions = revision_positions(system)

    def rank(one: WorkloadContext) -> tuple[bool, int, bool, int, int]:
        place = positions.get(one.revision, -1)
        return one.unit not in SECONDS, -one.workloads, one.clock != Metric.Clock.CPU, -place, one.metric_id

    return tuple(sorted(found, key=rank))


@lru_cache(maxsize=16)
def effects_in(version: DataVersion, context: WorkloadContext) -> WorkloadEffects | None:
    """The terms in each compared workload of a context; None where too little can be compared. Queries as of its table."""
    table = workload_table(version, context)
    return workload_effects(table.space, table.sample) if table.sample.is_enough else None


@lru_cache(maxsize=16)
def _compared(version: DataVersion, context: WorkloadContext) -> ComparedWorkloads:
    table = workload_table(version, context)
    sample = table.sample
    effects = effects_in(version, context)
    rows = workload_rows(table, effects)
    order = [sample.workloads.index(row.name) for row in rows if not row.left_out]
    return ComparedWorkloads(
        context=context,
        workloads=rows,
        terms=() if effects is None else workload_terms(table.space, effects, order),
        configurations=len(sample.configurations),
        without=sample.without,
        rate=RATE,
    )


def workload_rows(table: WorkloadTable, effects: WorkloadEffects | None) -> tuple[WorkloadRow, ...]:
    """The compared workloads by level, then the others."""
    noise = {} if effects is None else dict(zip(table.sample.workloads, effects.noise.tolist(), strict=True))
    reasons = dict(table.sample.left_out)
    rows = []
    for column, name in enumerate(table.names):
        known = table.values[:, column][np.isfinite(table.values[:, column])]
        rows.append(
            WorkloadRow(
                name,
                float(np.median(known)),
                len(known),
                table.runs[name],
                reasons.get(name, ""),
                noise.get(name),
            )
        )
    return tuple(sorted(rows, key=lambda row: (bool(row.left_out), row.level, row.name)))


def workload_terms(
    space: OptionSpace, effects: WorkloadEffects, order: list[int]
) -> tuple[WorkloadTerm, ...]:
    """The terms, those that differ most first, with their effects in the workloads in this `order`."""
    differs, reverses = effects.differs, effects.reverses
    terms = []
    for at, levels in enumerate(effects.levels):
        mean = Estimate(float(effects.means[at]), float(effects.mean_margins[at]))
        verdict: WorkloadVerdict = "alike" if mean.is_significant else "nothing"
        if differs[at]:
            verdict = "reverses" if reverses[at] else "differs"
        own = zip(effects.coefficients[at, order].tolist(), effects.margins[at, order].tolist(), strict=True)
        spread, low, high = effects.spreads[at].tolist()
        terms.append(
            WorkloadTerm(
                *changed_levels(space, levels),
                effects=tuple(Estimate(value, margin) for value, margin in own),
                mean=mean,
                spread=spread,
                low=low,
                high=high,
                told=verdict,
            )
        )
    return tuple(sorted(terms, key=lambda one: (_ORDER[one.told], -one.spread, -abs(one.mean.value))))


def changed_levels(space: OptionSpace, levels: IntArray) -> tuple[str, tuple[LevelChange, ...]]:
    """The key of a term by its `levels` (n_options,), and what it changes."""
    touched = levels != UNTOUCHED
    options = [(space.options[place], int(levels[place])) for place in np.flatnonzero(touched).tolist()]
    changes = (LevelChange(one.name, one.text(0) if level else "", one.text(level)) for one, level in options)
    # Also a change to the reference level is one: a term may be that level against all others.
    return key_of(space, np.where(touched, -1, 0), np.where(touched, levels, 0)), tuple(changes)
