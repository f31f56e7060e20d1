"""Call trees of a configuration, of two that are compared, and of two revisions, from the call paths of profiled runs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from django.db.models import QuerySet

from analytics.call_trees import call_tree
from dashboard.access import NotFound
from dashboard.models import Environment, Metric, Region, RegionMeasurement, Run, RunCallPaths, System
from dashboard.selectors.call_tree_rows import SampledTree
from dashboard.selectors.configurations import chosen, options_of
from dashboard.selectors.environments import environment_difference
from dashboard.selectors.loaded_models import chosen_of, load_selected
from dashboard.selectors.model_rows import ChosenConfiguration, Selection
from dashboard.selectors.performance_models import get_model
from dashboard.selectors.systems import visible_runs

# Runs of a side that a tree is made of, the newest ones.
_MOST_RUNS = 20
_MOST_OTHERS = 8


class NoCallPaths(NotFound):
    """No run with call paths; `sampled` are configurations of the same revision and workload that have some."""

    def __init__(self, message: str, sampled: tuple[ChosenConfiguration, ...] = ()) -> None:
        super().__init__(message)
        self.sampled = sampled


def sampled_tree(*, system: System, selection: Selection) -> SampledTree:
    """The call tree of the selected base, or of base and target, at the model's revision and workload.

    Runs of the model's own environment count, else those of the newest one that has both sides. A constant number of
    queries. Raises `NoCallPaths`, `NotFound`.
    """
    selected = load_selected(system, selection)
    loaded = selected.loaded
    ends = [selected.base] if selected.target is None else [selected.base, selected.target]
    wanted = [tuple(one.tolist()) for one in ends]
    runs = _sampled(system).filter(revision__name=loaded.row.revision, workload__name=loaded.row.workload)
    # Two environments may have one name.
    found: dict[tuple[int, str], dict[tuple[int, ...], list[int]]] = {}
    columns = ("pk", "environment_id", "environment__name", "configuration__assignments")
    for pk, place, name, assignments in runs.order_by("pk").values_list(*columns):
        levels = tuple(loaded.space.encode([assignments])[0].tolist())
        found.setdefault((place, name), {}).setdefault(levels, []).append(pk)
    model = get_model(loaded.row.model_id)
    own = model.environment_id
    # The own one last, before it the newest of the others.
    places = sorted(found, key=lambda one: (one[0] == own, max(map(max, found[one].values()))))
    fitting = [place for place in places if all(one in found[place] for one in wanted)]
    if not fitting:
        others = [levels for levels in found[places[-1]] if levels not in wanted] if places else []
        nearest = sorted(others, key=np.count_nonzero)[:_MOST_OTHERS]
        shown = tuple(chosen_of(loaded, np.array(levels, dtype=np.int8)) for levels in nearest)
        raise NoCallPaths("no run of it keeps call paths", shown)
    environment = fitting[-1]
    measured = frozenset(loaded.region_times.regions) if loaded.region_times is not None else None
    tree = _tree(system, [found[environment][one] for one in wanted], environment[1], measured)
    sides = tuple(chosen_of(loaded, one) for one in ends)
    tree = replace(tree, configurations=sides, workload=loaded.row.workload)
    if environment[0] == own:
        return tree
    details = Environment.objects.values_list("details", flat=True).get(pk=environment[0])
    differs_in = environment_difference(details, model.environment.details)
    return replace(tree, elsewhere=True, differs_in=differs_in)


def revisions_tree(*, system: System, before: str, after: str) -> SampledTree:
    """The call tree of two revisions: of the default configuration if both have it, else of the one with most runs.

    A constant number of queries. Raises `NoCallPaths`.
    """
    runs = _sampled(system).filter(revision__name__in=(before, after))
    columns = ("configuration_id", "workload__name", "environment_id", "environment__name")
    # By configuration, workload and environment: the runs of each revision.
    found: dict[tuple[int, str, int, str], dict[str, list[int]]] = {}
    default: set[int] = set()
    rows = runs.order_by("pk").values_list(*columns, "revision__name", "pk", "configuration__assignments")
    for configuration, workload, place, name, revision, pk, assignments in rows:
        found.setdefault((configuration, workload, place, name), {}).setdefault(revision, []).append(pk)
        if not assignments:
            default.add(configuration)
    both = {key: sides for key, sides in found.items() if before in sides and after in sides}
    if not both:
        raise NoCallPaths("no configuration has runs with call paths at both revisions")
    key = max(
        both, key=lambda one: (one[0] in default, min(map(len, both[one].values())), max(both[one][after]))
    )
    space = options_of(system)
    levels = space.encode([system.configurations.values_list("assignments", flat=True).get(pk=key[0])])[0]
    tree = _tree(system, [both[key][before], both[key][after]], key[3])
    varied = np.ones(len(levels), dtype=bool)
    return replace(tree, configurations=(chosen(space, levels, varied),), workload=key[1])


def has_call_paths(system: System) -> bool:
    """Whether a run of the system has call paths that count. One query."""
    return _sampled(system).exists()


def _sampled(system: System) -> QuerySet[Run]:
    """The runs that have call paths and count."""
    return visible_runs(system).filter(call_paths__isnull=False, status=Run.Status.OK, invalid_reason="")


def _tree(
    system: System,
    sides: Sequence[Sequence[int]],
    environment: str,
    measured: frozenset[str] | None = None,
) -> SampledTree:
    """The tree of the newest of these runs; regions have pages that are stored and, where that is given, `measured`."""
    newest = [side[-_MOST_RUNS:] for side in sides]
    runs = {pk for side in newest for pk in side}
    paths = dict(RunCallPaths.objects.filter(run_id__in=runs).values_list("run_id", "paths"))
    outside = RegionMeasurement.objects.filter(
        run_id__in=runs, region__is_program=True, metric__clock=Metric.Clock.CPU
    )
    rest = dict(outside.values_list("run_id", "value"))
    nodes = call_tree([[(paths[pk], rest.get(pk, 0.0)) for pk in side] for side in newest])
    keys = {node.region for node in nodes}
    names = dict(Region.objects.filter(system=system, key__in=keys).values_list("key", "name"))
    return SampledTree(
        nodes=nodes,
        runs=tuple(map(len, newest)),
        names=names,
        paged=frozenset(names if measured is None else measured & names.keys()),
        environment=environment,
    )
