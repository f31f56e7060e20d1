"""The terms of the selected model, the regions where a term arises, and what the model predicts."""

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.located import LocatedModel
from analytics.influence.models import InfluenceModel
from analytics.influence.moebius import UNTOUCHED
from dashboard.access import NotFound
from dashboard.models import Region, System, SystemOption
from dashboard.selectors.accuracy import error_of_mean, measured, quality_of
from dashboard.selectors.configurations import levels_of
from dashboard.selectors.loaded_models import (
    SelectedModel,
    cached_fit,
    cached_model,
    chosen_of,
    load_selected,
    model_at,
    reaching_options,
    resolve_model,
    terms,
    varied_options,
)
from dashboard.selectors.model_rows import (
    Estimate,
    Influences,
    ModelIdentity,
    OptionLevels,
    Selection,
    TermRegion,
    TermRegions,
)
from dashboard.selectors.whitebox.analyses import newest_analysis

# The key of what arises in no region, where nothing was measured of the program's own.
OUTSIDE = "(program)"
_ROUNDING = 1e-9


def influences(*, system: System, selection: Selection) -> Influences:
    """The influence model relative to the selected base, or the terms from there to the compared configuration.

    Raises `NotFound`.
    """
    selected = load_selected(system, selection)
    table = selected.model.terms
    values = table.estimates()
    rows = np.flatnonzero((table.degrees > 0) & table.determined)
    target = selected.target
    return Influences(
        model=selected.loaded.row,
        options=_options(system, selected),
        base=chosen_of(selected.loaded, selected.base),
        base_time=_predicted(selected, values[0]),
        base_measured=measured(selected.key).by_levels.get(selected.base.tobytes()),
        target=None if target is None else chosen_of(selected.loaded, target),
        target_time=None if target is None else prediction_at(selected, target),
        target_measured=None if target is None else measured(selected.key).by_levels.get(target.tobytes()),
        difference=None if target is None else difference_between(selected, selected.base, target),
        terms=terms(table, selected.model.significant_regions()[rows].tolist(), values, rows),
        undetermined=int((~table.determined).sum()),
        quality=quality_of(selected.key),
        error_of_mean=error_of_mean(selected.key),
    )


def prediction_at(selected: SelectedModel, levels: IntArray) -> Estimate:
    """What the model says of a configuration, shape (n_options,)."""
    return _predicted(selected, model_at(selected, levels).terms.estimates()[0])


def difference_between(selected: SelectedModel, before: IntArray, after: IntArray) -> Estimate:
    """What the model says that configuration `after` takes more than `before`, (n_options,) each."""
    model = cached_fit(selected.key)
    if isinstance(model, InfluenceModel):
        return model.difference(before, after)
    assert selected.loaded.learned is not None  # noqa: S101 -- all others are learned
    return selected.loaded.learned.difference(before, after)


def _predicted(selected: SelectedModel, value: Estimate) -> Estimate:
    """The value of a configuration: of a learned model with the interval of a prediction; no time is below zero."""
    loaded = selected.loaded
    told = value if loaded.learned is None else loaded.learned.prediction(value.value)
    return loaded.row.possible(told)


def term_regions(*, system: System, selection: Selection, term: str) -> TermRegions:
    """The regions where a term arises, the largest first. Raises `NotFound`."""
    selected = load_selected(system, selection)
    table, times = selected.model.terms, selected.loaded.region_times
    end = levels_of(selected.loaded.space, selected.base, term)
    levels = np.where(end == selected.base, -1, end)
    found = np.flatnonzero((table.levels == levels).all(axis=1))
    if not term or not len(found):
        raise NotFound(f"the model has no term {term!r} relative to this base: choose another term or base")
    if times is None and not table.determined[found[0]]:
        raise NotFound(f"the measured configurations do not determine the influence of {term!r}")
    shares = selected.model.shares(int(found[0]))
    one = terms(table, selected.model.significant_regions()[found].tolist(), table.estimates(), found)[0]
    rows = _region_rows(system, shares, float(table.coefficients[found[0]]))
    program = None if times is None else times.program_region
    outside = next((region for region in rows if region.key == program), None)
    if selected.loaded.row.is_hybrid:
        known = _with_page(system, selected.loaded.row)
        rows = [replace(row, has_page=row.key in known) for row in rows]
        # What the regions' parts lack of the term: of that no interval is known.
        whole = one.influence.value
        rest = whole - sum(region.influence.value for region in rows)
        if abs(rest) > _ROUNDING * abs(whole):
            share = rest / whole if whole else None
            outside = TermRegion(OUTSIDE, "not in any region", "", Estimate(rest), share)
    return TermRegions(
        model=selected.loaded.row,
        term=one,
        regions=tuple(region for region in rows if region.key != program),
        outside=outside,
    )


def _region_rows(system: System, shares: Mapping[str, Estimate], total: float) -> list[TermRegion]:
    """The regions of a term, whose coefficient is `total`, with their names. One query."""
    regions = Region.objects.filter(system=system, key__in=list(shares))
    names = {key: (name, package) for key, name, package in regions.values_list("key", "name", "package")}
    return [
        TermRegion(
            key,
            *names.get(key, (key, "")),
            part,
            part.value / total if total and isfinite(part.value / total) else None,
        )
        for key, part in shares.items()
    ]


def _with_page(system: System, row: ModelIdentity) -> frozenset[str]:
    """The regions that a page can show: those measured where the model was learned, or analyzed in its revision."""
    newest = newest_analysis(system, row.revision)
    sites = () if newest is None else newest.result.sites
    traced = {site.region for site in sites if site.data or site.control}
    beside = Selection(revision=row.revision, workload=row.workload, environment=row.environment)
    try:
        times = cached_model(resolve_model(system, beside)).region_times
    except NotFound:
        times = None
    analyzed = frozenset(traced) | frozenset(() if newest is None else newest.result.partitions)
    return analyzed | frozenset(() if times is None else times.regions)


def _options(system: System, selected: SelectedModel) -> tuple[OptionLevels, ...]:
    """The system's options; one query."""
    space = selected.loaded.space
    # That between two configurations names their options alone.
    whole = cached_fit(selected.key)
    if isinstance(whole, LocatedModel):
        reached = whole.reached()
    else:
        reached = reaching_options(selected.key).sum(axis=0)
    named = (whole.terms.levels != UNTOUCHED).any(axis=0)
    varied = varied_options(selected.loaded)
    described = dict(SystemOption.objects.filter(system=system).values_list("name", "description"))
    return tuple(
        OptionLevels(
            name=option.name,
            levels=tuple(option.text(level) for level in range(len(option.levels))),
            description=described.get(option.name, ""),
            regions=count,
            varied=varies,
            named=is_named,
        )
        for option, count, varies, is_named in zip(
            space.options, reached.tolist(), varied.tolist(), named.tolist(), strict=True
        )
    )
