"""The influence model behind a selection, kept in this process until its data change."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import prod

import numpy as np
from django.db.models import Max

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.influence.located import LocatedModel
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.protocol import TermModel
from analytics.influence.terms import TermTable
from dashboard.access import NotFound, Principal
from dashboard.models import Batch, OrderPosition, PerformanceModel, Run
from dashboard.selectors.configurations import changes, chosen, configuration, key_of
from dashboard.selectors.model_loading import LoadedModel, NoRegions, load_model
from dashboard.selectors.model_rows import (
    HYBRID,
    ChosenConfiguration,
    Estimate,
    ModelIdentity,
    Selection,
    TermRow,
)
from dashboard.selectors.performance_models import ModelRow, list_models


class NoInfluenceModel(NotFound):
    """The system has no model of any kind yet."""


# Of several metrics the one that a page opens with: the first of these, else the first by name.
_PRIMARY = ("performance", "time", "throughput")


@dataclass(frozen=True, slots=True)
class ModelKey:
    """What a kept model belongs to: another import or a later write makes another key."""

    slug: str
    model_id: int
    imported_at: datetime
    data_version: int


@dataclass(frozen=True, slots=True, eq=False)
class SelectedModel:
    """An analysis with its model relative to the selected base, or between base and target."""

    key: ModelKey
    loaded: LoadedModel
    base: IntArray
    target: IntArray | None
    model: TermModel

    @property
    def composed(self) -> InfluenceModel:
        """The model as a sum over regions. Raises `NoRegions`."""
        if not isinstance(self.model, InfluenceModel):
            raise NoRegions(
                f"this model of {self.loaded.row.system_name} is not composed of measured regions"
            )
        return self.model


def resolve_model(*, principal: Principal, slug: str, selection: Selection) -> ModelKey:
    """The analysis that `selection` asks for, unread. Raises like `load_selected`; six queries at most."""
    row = chosen_row(list_models(principal=principal, system_slug=slug), slug, selection)
    imported_at = PerformanceModel.objects.values_list("batch__created_at", flat=True).get(pk=row.model_id)
    return ModelKey(slug, row.model_id, imported_at, row.data_version)


def load_selected(*, principal: Principal, slug: str, selection: Selection) -> SelectedModel:
    """The model that `selection` asks for. Raises `NotFound`; `NoInfluenceModel` where the system has none at all.

    Six queries at most where the model is kept already.
    """
    key = resolve_model(principal=principal, slug=slug, selection=selection)
    loaded = cached_model(key)
    base = configuration_of(loaded, selection.base) if selection.base else opening_base(loaded)
    target = configuration_of(loaded, selection.compared) if selection.compared else None
    model = _model(key, base.tobytes(), None if target is None else target.tobytes())
    return SelectedModel(key, loaded, base, target, model)


def configuration_of(loaded: LoadedModel, text: str) -> IntArray:
    """The configuration that an address means, shape (n_options,). Raises `NotFound`."""
    return configuration(loaded.space, text, varied_options(loaded), loaded.names, loaded.configurations)


def opening_base(loaded: LoadedModel) -> IntArray:
    """The configuration that a page opens with, shape (n_options,): the default one wherever something tells of it.

    Where every term is taken from measured configurations only these tell anything; and traces say nothing of features
    that were not selected, so that an unmeasured default is a sum of assumed zeros. Then it is the measured
    configuration that differs least from the default.
    """
    measured, times = loaded.configurations, loaded.region_times
    assumes_zeros = times is not None and times.uncovered_is_zero
    if loaded.row.kind != PerformanceModel.Kind.FULL_FACTORIAL and not assumes_zeros:
        return loaded.space.reference
    nearest: IntArray = measured[np.count_nonzero(measured, axis=1).argmin()]
    return nearest


def chosen_of(loaded: LoadedModel, levels: IntArray) -> ChosenConfiguration:
    """A configuration as a row."""
    return chosen(loaded.space, levels, varied_options(loaded))


def varied_options(loaded: LoadedModel) -> BoolArray:
    """Which options a model can speak of, shape (n_options,): all, or those that varied in what a model is made of."""
    names = loaded.space.names
    if loaded.row.kind == PerformanceModel.Kind.PARTITIONED:
        return np.ones(len(names), dtype=bool)
    return np.isin(names, loaded.row.options)


def model_at(selected: SelectedModel, levels: IntArray) -> TermModel:
    """The model whose only term is the value of the configuration `levels`, shape (n_options,)."""
    return _model(selected.key, levels.tobytes(), levels.tobytes())


def identity(loaded: LoadedModel) -> ModelIdentity:
    """What the model was made from, as a row."""
    row, times = loaded.row, loaded.region_times
    learned = loaded.learned
    located = learned.model if learned is not None and isinstance(learned.model, LocatedModel) else None
    regions = 0 if times is None else len(times.regions) - (times.program_region is not None)
    return ModelIdentity(
        model_id=row.model_id,
        system=row.system,
        system_name=row.system_name,
        revision=row.revision,
        workload=row.workload,
        environment=row.environment,
        quantity=row.region_metric.quantity,
        unit=row.region_metric.unit,
        clock=row.region_metric.clock,
        lower_is_better=row.region_metric.better == "lower",
        kind=row.kind,
        data_version=row.data_version,
        configurations=len(loaded.configurations)
        if learned is None or located is None
        else learned.configurations,
        repetitions=loaded.repetitions,
        regions=regions if located is None else len(located.regions),
        terms_from=row.terms_from,
        whole_grid=_whole_grid(loaded),
        uncovered_is_zero=times is not None and times.uncovered_is_zero,
        is_current=loaded.is_current,
    )


def _whole_grid(loaded: LoadedModel) -> bool:
    """Whether every combination of the levels that were measured was measured."""
    combinations = prod(len(np.unique(column)) for column in loaded.configurations.T)
    return len(np.unique(loaded.configurations, axis=0)) == combinations


def terms(
    table: TermTable, regions: Iterable[int], values: list[Estimate], rows: IntArray
) -> tuple[TermRow, ...]:
    """The terms in `rows` of a table, the largest first; `regions` tells for each where it arises."""
    space, base = table.space, table.base
    counts = dict(zip(rows.tolist(), regions, strict=True))
    ordered = sorted(rows.tolist(), key=lambda row: -abs(values[row].value))
    ends = np.where(table.levels == UNTOUCHED, base, table.levels)
    return tuple(
        TermRow(key_of(space, base, ends[row]), changes(space, base, ends[row]), values[row], counts[row])
        for row in ordered
    )


def chosen_row(analyses: tuple[ModelRow, ...], slug: str, selection: Selection) -> ModelRow:
    """The analysis that fits the selection: of the latest revision, and over the most options. For selectors.

    Measured combinations tell little where the default configuration is not among them: such a revision comes last.
    Raises `NotFound`; `NoInfluenceModel` where there are none.
    """
    if not analyses:
        raise NoInfluenceModel(f"{slug!r} has no influence model yet")
    analyses = of_model(analyses, selection)
    if not analyses:
        raise NotFound(f"{slug!r} has no hybrid model yet: learn it on the page Approaches")
    if fitting := at_place(analyses, selection):
        places = dict(
            OrderPosition.objects.filter(order__system__slug=slug)
            .values_list("revision__name")
            .annotate(Max("position"))
        )
        poor = _without_default(fitting, slug)
        # The first of equals: analyses come newest first.
        return max(
            fitting,
            key=lambda row: (
                row.model_id not in poor,
                places.get(row.revision, -1),
                # Where an analysis found the partitions, they are better than all combinations of options.
                row.kind == PerformanceModel.Kind.PARTITIONED,
                len(row.options),
                *_first(row.metric),
            ),
        )
    said = ", ".join(f"{name} {value}" for name, value in _wanted(selection).items())
    raise NotFound(f"{slug!r} has no model for {said}: remove it from the selection")


def of_model(analyses: tuple[ModelRow, ...], selection: Selection) -> tuple[ModelRow, ...]:
    """The hybrid ones where these are selected; else all others, or the hybrid ones if there are no others."""
    hybrid = tuple(row for row in analyses if row.kind == HYBRID)
    others = tuple(row for row in analyses if row.kind != HYBRID)
    return hybrid if selection.model == HYBRID else others or hybrid


def at_place(analyses: tuple[ModelRow, ...], selection: Selection) -> tuple[ModelRow, ...]:
    """Those of the revision, workload, environment and metric that are selected, as far as they are."""
    wanted = _wanted(selection)
    return tuple(
        row for row in analyses if all(getattr(row, name) == value for name, value in wanted.items())
    )


def _wanted(selection: Selection) -> dict[str, str]:
    names = ("revision", "workload", "environment", "metric")
    return {name: value for name in names if (value := getattr(selection, name))}


def _without_default(analyses: Collection[ModelRow], slug: str) -> frozenset[int]:
    """Which of several analyses, by id, are of measured combinations without the default configuration. One query."""
    measured = {row for row in analyses if row.kind == PerformanceModel.Kind.FULL_FACTORIAL}
    if len({row.revision for row in analyses}) < 2 or not measured:
        return frozenset()
    runs = Run.objects.filter(
        configuration__system__slug=slug,
        configuration__assignments={},
        status=Run.Status.OK,
        batch__state=Batch.State.VISIBLE,
    )
    known = set(runs.values_list("revision__name", flat=True).distinct())
    return frozenset(row.model_id for row in measured if row.revision not in known)


def _first(metric: str) -> tuple[int, tuple[int, ...]]:
    """A key that is largest for the metric to open with."""
    rank = _PRIMARY.index(metric) if metric in _PRIMARY else len(_PRIMARY)
    return -rank, tuple(-ord(sign) for sign in metric)


@lru_cache(maxsize=8)
def cached_model(key: ModelKey) -> LoadedModel:
    """The measurements behind a key."""
    # Whoever asks was checked before the key was made.
    return load_model(principal=Principal.operator(), system_slug=key.slug, model_id=key.model_id)


@lru_cache(maxsize=8)
def cached_fit(key: ModelKey) -> TermModel:
    """The model relative to the default configuration."""
    loaded = cached_model(key)
    return fit(loaded.times) if loaded.learned is None else loaded.learned.model


@lru_cache(maxsize=32)
def _model(key: ModelKey, base: bytes, target: bytes | None) -> TermModel:
    model = cached_fit(key)
    start = np.frombuffer(base, dtype=np.int8)
    if target is not None:
        return model.between(start, np.frombuffer(target, dtype=np.int8))
    return model.relative_to(start) if start.any() else model
