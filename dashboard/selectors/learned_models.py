"""Learned models of analyses: as stored, or learned anew where the measurements moved since."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.learned import HYBRID_VERSION, LEARNER_VERSION, learn_linear
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.stored import LearnedModel, unpack
from analytics.influence.times import FloatArray
from analytics.work import CountWeights
from dashboard.access import NotFound
from dashboard.models import Metric, ModelFit, PerformanceModel, Run
from dashboard.selectors.batch_manifests import count_weights
from dashboard.selectors.counts import counted_runs
from dashboard.selectors.end_to_end import EndToEnd, end_to_end
from dashboard.selectors.performance_models import (
    OWN,
    LearnedSettings,
    WrittenTerm,
    settings_digest,
    valid_runs,
)


def written_terms(levels: IntArray, space: OptionSpace) -> list[dict[str, str]]:
    """Terms, shape (n_terms, n_options), as they are stored: {option: label} each, for what a term changes."""
    return [
        {
            space.names[option]: space.options[option].labels[row[option]]
            for option in np.flatnonzero(np.array(row) != UNTOUCHED).tolist()
        }
        for row in levels.tolist()
    ]


def read_terms(written: Sequence[WrittenTerm], space: OptionSpace) -> tuple[IntArray, FloatArray]:
    """Terms as `written_terms` wrote them, or as published: of several labels any selects the term.

    Returns their rows of levels (n_rows, n_options), and (n_rows, n_terms) 1 where a row is part of a term.
    """
    rows: dict[bytes, tuple[int, IntArray]] = {}
    entries = []
    for column, term in enumerate(written):
        choices = [[labels] if isinstance(labels, str) else labels for labels in term.values()]
        for chosen in product(*choices):
            row = np.full(len(space.options), UNTOUCHED, dtype=np.int8)
            indices = space.indices(dict(zip(term, chosen, strict=True)))
            row[list(indices)] = list(indices.values())
            place, _ = rows.setdefault(row.tobytes(), (len(rows), row))
            entries.append((place, column))
    levels = np.array([row for _, row in rows.values()], dtype=np.int8).reshape(len(rows), len(space.options))
    sums = np.zeros((len(rows), len(written)))
    for place, column in entries:
        sums[place, column] = 1.0
    return levels, sums


def measured_of(
    model: PerformanceModel, space: OptionSpace, keep: Callable[[Mapping[str, str]], bool] | None = None
) -> EndToEnd:
    """What was measured end to end at the place of an analysis; with `keep` of some assignments alone.

    A learned model is made of it. Of a model of counts alone that is the work of each counted configuration. For selectors
    and services, behind their check. Raises `NotFound` where nothing was counted any more.
    """
    if model.kind == PerformanceModel.Kind.HYBRID and model.total_metric.clock == Metric.Clock.COUNT:
        return _counted_of(model)
    return end_to_end(valid_runs(model, Run.Kind.PLAIN), model.total_metric_id, space, keep)


def _counted_of(model: PerformanceModel) -> EndToEnd:
    counted = counted_runs(
        system=model.system,
        revision=model.revision.name,
        workload=model.workload.name,
        environment_id=model.environment_id,
    )
    weights = CountWeights(count_weights(model.system))
    n = len(counted.configurations)
    return EndToEnd(
        configurations=counted.configurations,
        values=counted.counts @ np.array([weights.of(region) for region, *_ in counted.sites]),
        executions=np.ones(n, dtype=int),
        names=("",) * n,
    )


def learned_of(model: PerformanceModel, space: OptionSpace, measured: EndToEnd) -> LearnedModel:
    """The model of a learned analysis: the stored fit of its present data, or one with the same terms learned now."""
    stored = (
        ModelFit.objects.filter(
            model=model,
            data_version=model.data_version,
            settings_digest=settings_digest(model.settings),
            method_version=LEARNER_VERSION,
        )
        .values_list("payload", flat=True)
        .first()
    )
    if stored is not None:
        return unpack(space, bytes(stored))
    lower_is_better = model.total_metric.better == "lower"
    return learn_over(
        space,
        LearnedSettings.of(model),
        measured.configurations,
        measured.values,
        lower_is_better=lower_is_better,
    )


def learn_over(
    space: OptionSpace,
    settings: LearnedSettings,
    configurations: IntArray,
    values: FloatArray,
    *,
    lower_is_better: bool,
) -> LearnedModel:
    """The model over the terms of `settings` of `values` (n,) of `configurations` (n, n_options). Raises `LearningError`."""
    levels, sums = read_terms(settings.levels, space)
    own = settings.terms == OWN
    return learn_linear(
        space,
        levels,
        configurations,
        values,
        sums=sums,
        without_parts=[read_terms(one, space)[0] for one in settings.without_parts] if own else None,
        lower_is_better=lower_is_better,
        is_multiplicative=settings.is_multiplicative,
    )


def hybrid_of(model: PerformanceModel, space: OptionSpace) -> tuple[LearnedModel, bool]:
    """The stored model of a hybrid analysis, and whether its data are still the same. Raises `NotFound` without one."""
    stored = (
        ModelFit.objects.filter(model=model, method_version=HYBRID_VERSION)
        .order_by("-pk")
        .values_list("payload", "data_version")
        .first()
    )
    if stored is None:
        raise NotFound(f"the hybrid model of {model.system.slug!r} is of an older version: learn it again")
    payload, version = stored
    return unpack(space, bytes(payload)), version == model.data_version
