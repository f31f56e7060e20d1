"""Influence models to read: the terms of a system, and the regions where a term arises."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.errors import UnknownTermError
from analytics.influence.located import LocatedModel
from analytics.influence.models import InfluenceModel
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.protocol import TermModel
from analytics.influence.shares import RegionShare as Share
from analytics.influence.shares import region_shares
from analytics.influence.terms import Term as AnalyticTerm
from dashboard.access import NotFound, Principal
from dashboard.models import Region, SystemOption
from dashboard.selectors.configurations import levels_of
from dashboard.selectors.influences.located import regions_with_page
from dashboard.selectors.influences.truth import accuracy_of, totals
from dashboard.selectors.loaded_models import (
    SelectedModel,
    chosen_of,
    configuration_of,
    estimate,
    estimates,
    identity,
    load_selected,
    model_at,
    significant,
    terms,
    varied_options,
)
from dashboard.selectors.model_rows import (
    Estimate,
    Influences,
    OptionLevels,
    Selection,
    TermRegion,
    TermRegions,
    TermRow,
)
from dashboard.selectors.regions.options import reaching_options

# The key of what arises in no region, where nothing was measured of the program's own.
OUTSIDE = "(program)"
_ROUNDING = 1e-9


def influences(*, principal: Principal, slug: str, selection: Selection) -> Influences:
    """The influence model relative to the selected base, or the terms from there to the compared configuration.

    Raises `NotFound`.
    """
    selected = load_selected(principal=principal, slug=slug, selection=selection)
    table = selected.model.terms
    values = estimates(table)
    rows = np.flatnonzero((table.degrees > 0) & table.determined)
    target = selected.target
    return Influences(
        model=identity(selected.loaded),
        options=_options(selected),
        base=chosen_of(selected.loaded, selected.base),
        base_time=values[0],
        base_measured=totals(selected.key).get(selected.base.tobytes()),
        target=None if target is None else chosen_of(selected.loaded, target),
        target_time=None if target is None else _value(selected, target),
        target_measured=None if target is None else totals(selected.key).get(target.tobytes()),
        terms=terms(table, _region_counts(selected.model)[rows].tolist(), values, rows),
        undetermined=int((~table.determined).sum()),
        accuracy=accuracy_of(selected.key),
    )


def term_regions(*, principal: Principal, slug: str, selection: Selection, term: str) -> TermRegions:
    """The regions where a term arises, the largest first. Raises `NotFound`."""
    selected = load_selected(principal=principal, slug=slug, selection=selection)
    table, times = selected.model.terms, selected.loaded.region_times
    end = levels_of(selected.loaded.space, selected.base, term)
    levels = np.where(end == selected.base, -1, end)
    found = np.flatnonzero((table.levels == levels).all(axis=1))
    if not term or not len(found):
        raise NotFound(f"the model has no term {term!r} relative to this base: choose another term or base")
    located = selected.model if isinstance(selected.model, LocatedModel) else None
    if times is None and not table.determined[found[0]]:
        raise NotFound(f"the measured configurations do not determine the influence of {term!r}")
    try:
        shares = _shares(selected, table.term(int(found[0])))
    except UnknownTermError as error:
        raise NotFound(str(error)) from None
    one = terms(table, _region_counts(selected.model)[found].tolist(), estimates(table), found)[0]
    program = None if times is None else times.program_region
    names = {
        key: (name, package)
        for key, name, package in Region.objects.filter(
            system__slug=slug, key__in=[share.region for share in shares]
        ).values_list("key", "name", "package")
    }
    rows = [_share(share, names) for share in shares]
    if located is not None:
        known = regions_with_page(principal=principal, slug=slug, row=selected.loaded.row)
        rows = [replace(row, has_page=row.key in known) for row in rows]
    return TermRegions(
        model=identity(selected.loaded),
        term=one,
        regions=tuple(region for region in rows if region.key != program),
        outside=next((region for region in rows if region.key == program), None)
        if located is None
        else _rest(one, rows),
    )


def _shares(selected: SelectedModel, term: AnalyticTerm) -> tuple[Share, ...]:
    """Where a term arises, as far as the model tells. Raises `UnknownTermError`."""
    if isinstance(selected.model, LocatedModel):
        return selected.model.shares(term)
    return () if selected.loaded.region_times is None else region_shares(selected.composed, term)


def _rest(term: TermRow, regions: Sequence[TermRegion]) -> TermRegion | None:
    """What the regions' parts lack of a term: of that no interval is known."""
    whole = term.influence.value
    rest = whole - sum(region.influence.value for region in regions)
    if abs(rest) <= _ROUNDING * abs(whole):
        return None
    return TermRegion(OUTSIDE, "not in any region", "", Estimate(rest), rest / whole if whole else None)


def predict(*, principal: Principal, slug: str, selection: Selection, key: str) -> Estimate:
    """What the model predicts for a configuration, written as in an address. Raises `NotFound`."""
    selected = load_selected(
        principal=principal, slug=slug, selection=replace(selection, base="", compared="")
    )
    return _value(selected, configuration_of(selected.loaded, key))


def _value(selected: SelectedModel, levels: IntArray) -> Estimate:
    return estimates(model_at(selected, levels).terms)[0]


def _options(selected: SelectedModel) -> tuple[OptionLevels, ...]:
    """The system's options; one query."""
    space = selected.loaded.space
    if isinstance(selected.model, LocatedModel):
        reached = selected.model.reached()
    elif selected.loaded.region_times is None:
        reached = (selected.model.terms.levels != UNTOUCHED).any(axis=0).astype(int)
    else:
        reached = reaching_options(selected.key).sum(axis=0)
    varied = varied_options(selected.loaded)
    said = dict(
        SystemOption.objects.filter(system__slug=selected.loaded.row.system).values_list(
            "name", "description"
        )
    )
    return tuple(
        OptionLevels(
            name=option.name,
            levels=tuple(option.text(level) for level in range(len(option.levels))),
            description=said.get(option.name, ""),
            regions=count,
            varied=varies,
        )
        for option, count, varies in zip(space.options, reached.tolist(), varied.tolist(), strict=True)
    )


def _region_counts(model: TermModel) -> IntArray:
    """In how many regions each term is told from zero, the program region not counted; shape (n_terms,)."""
    if isinstance(model, LocatedModel):
        return model.significant_regions()
    counts = np.zeros(len(model.terms), dtype=int)
    if not isinstance(model, InfluenceModel):
        return counts
    for local in model.local:
        regions = [model.times.regions[position] for position in local.subspaces.regions]
        own = np.array([region != model.times.program_region for region in regions])
        counts[local.positions] += significant(local)[own].sum(axis=0)
    return counts


def _share(share: Share, names: dict[str, tuple[str, str]]) -> TermRegion:
    name, package = names.get(share.region, (share.region, ""))
    return TermRegion(
        key=share.region,
        name=name,
        package=package,
        influence=estimate(share.coefficient, share.standard_error, share.lower, share.upper),
        share=None if np.isnan(share.share) else share.share,
    )
