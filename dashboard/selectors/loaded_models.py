"""The influence model behind a selection, kept in this process until its data change."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.identities import key_of
from analytics.configurations.options import IntArray
from analytics.influence.located import TermModel
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import Estimate, TermTable
from analytics.influence.variance import options_beyond_noise
from dashboard.models import PerformanceModel, System
from dashboard.selectors.configurations import changes, chosen, configuration
from dashboard.selectors.model_loading import LoadedModel, NoRegions, load_model
from dashboard.selectors.model_rows import ChosenConfiguration, ModelKey, Selection, TermRow
from dashboard.selectors.performance_models import chosen_row, get_model, model_keys, models_of


@dataclass(frozen=True, slots=True, eq=False)
class SelectedModel:
    """A loaded model relative to the selected base, or between base and target."""

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


def resolve_model(system: System, selection: Selection) -> ModelKey:
    """The model that `selection` asks for, unread. Raises like `load_selected`; four queries at most where models are kept."""
    keys = model_keys(system)
    row = chosen_row(models_of(system, keys), system, selection)
    return next(key for key in keys if key.model_id == row.model_id)


def load_selected(system: System, selection: Selection) -> SelectedModel:
    """The model that `selection` asks for. Raises `NotFound`; `NoInfluenceModel` where the system has none at all.

    Four queries at most where the model is kept already.
    """
    key = resolve_model(system, selection)
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
    if loaded.row.kind != PerformanceModel.Kind.FULL_FACTORIAL and not loaded.row.uncovered_is_zero:
        return loaded.space.reference
    measured = loaded.configurations
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


def terms(
    table: TermTable, regions: Iterable[int], values: list[Estimate], rows: IntArray
) -> tuple[TermRow, ...]:
    """The terms in `rows` of a table, the largest first; `regions` tells for each where it arises."""
    space, base = table.space, table.base
    counts = dict(zip(rows.tolist(), regions, strict=True))
    ordered = sorted(rows.tolist(), key=lambda row: -abs(values[row].value))
    ends = np.where(table.levels == UNTOUCHED, base, table.levels)
    factors = [None] * len(table) if table.factors is None else table.factors.tolist()
    return tuple(
        TermRow(
            key=key_of(space, base, ends[row]),
            changes=changes(space, base, ends[row]),
            influence=values[row],
            regions=counts[row],
            factor=factors[row],
        )
        for row in ordered
    )


@lru_cache(maxsize=8)
def cached_model(key: ModelKey) -> LoadedModel:
    """The measurements behind a key."""
    return load_model(get_model(key.model_id))


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


@lru_cache(maxsize=8)
def reaching_options(key: ModelKey) -> BoolArray:
    """Whether an option reaches a region, shape (n_regions, n_options)."""
    model = cached_model(key)
    times = model.times
    if model.row.kind == PerformanceModel.Kind.FULL_FACTORIAL and bool((times.ran.sum(axis=1) > 1).any()):
        return options_beyond_noise(times)
    reached = np.zeros((len(times.regions), len(times.space.options)), dtype=bool)
    for row, partition in enumerate(times.partitions):
        reached[row, list(partition.options)] = True
    return reached
