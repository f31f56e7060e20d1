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
    OpenModel,
    chosen_of,
    configuration_of,
    estimate,
    estimates,
    identity,
    model_at,
    open_model,
    terms,
    told_from_zero,
    varied_options,
)
from dashboard.selectors.model_rows import (
    Estimate,
    Influences,
    OptionLevels,
    RegionShare,
    Selection,
    Term,
    TermRegions,
)
from dashboard.selectors.regions.options import reaching_options

# The key of what arises in no region, where nothing was measured of the program's own.
OUTSIDE = "(program)"
_ROUNDING = 1e-9


def influences(*, principal: Principal, slug: str, selection: Selection) -> Influences:
    """The influence model relative to the selected base, or the terms from there to the compared configuration.

    Raises `NotFound`.
    """
    opened = open_model(principal=principal, slug=slug, selection=selection)
    table = opened.model.terms
    values = estimates(table)
    rows = np.flatnonzero((table.degrees > 0) & table.determined)
    target = opened.target
    return Influences(
        analysis=identity(opened.loaded),
        options=_options(opened),
        base=chosen_of(opened.loaded, opened.base),
        base_time=values[0],
        base_measured=totals(opened.stamp).get(opened.base.tobytes()),
        target=None if target is None else chosen_of(opened.loaded, target),
        target_time=None if target is None else _value(opened, target),
        target_measured=None if target is None else totals(opened.stamp).get(target.tobytes()),
        terms=terms(table, _region_counts(opened.model)[rows].tolist(), values, rows),
        undetermined=int((~table.determined).sum()),
        accuracy=accuracy_of(opened.stamp),
    )


def term_regions(*, principal: Principal, slug: str, selection: Selection, term: str) -> TermRegions:
    """The regions where a term arises, the largest first. Raises `NotFound`."""
    opened = open_model(principal=principal, slug=slug, selection=selection)
    table, times = opened.model.terms, opened.loaded.region_times
    end = levels_of(opened.loaded.space, opened.base, term)
    levels = np.where(end == opened.base, -1, end)
    found = np.flatnonzero((table.levels == levels).all(axis=1))
    if not term or not len(found):
        raise NotFound(f"the model has no term {term!r} relative to this base: choose another term or base")
    located = opened.model if isinstance(opened.model, LocatedModel) else None
    if times is None and not table.determined[found[0]]:
        raise NotFound(f"the measured configurations do not determine the influence of {term!r}")
    try:
        shares = _shares(opened, table.term(int(found[0])))
    except UnknownTermError as error:
        raise NotFound(str(error)) from None
    one = terms(table, _region_counts(opened.model)[found].tolist(), estimates(table), found)[0]
    program = None if times is None else times.program_region
    names = {
        key: (name, package)
        for key, name, package in Region.objects.filter(
            system__slug=slug, key__in=[share.region for share in shares]
        ).values_list("key", "name", "package")
    }
    rows = [_share(share, names) for share in shares]
    if located is not None:
        known = regions_with_page(principal=principal, slug=slug, row=opened.loaded.row)
        rows = [replace(row, has_page=row.key in known) for row in rows]
    return TermRegions(
        analysis=identity(opened.loaded),
        term=one,
        regions=tuple(region for region in rows if region.key != program),
        outside=next((region for region in rows if region.key == program), None)
        if located is None
        else _rest(one, rows),
    )


def _shares(opened: OpenModel, term: AnalyticTerm) -> tuple[Share, ...]:
    """Where a term arises, as far as the model tells. Raises `UnknownTermError`."""
    if isinstance(opened.model, LocatedModel):
        return opened.model.shares(term)
    return () if opened.loaded.region_times is None else region_shares(opened.composed, term)


def _rest(term: Term, regions: Sequence[RegionShare]) -> RegionShare | None:
    """What the regions' parts lack of a term: of that no interval is known."""
    whole = term.influence.value
    rest = whole - sum(region.influence.value for region in regions)
    if abs(rest) <= _ROUNDING * abs(whole):
        return None
    return RegionShare(OUTSIDE, "not in any region", "", Estimate(rest), rest / whole if whole else None)


def predict(*, principal: Principal, slug: str, selection: Selection, key: str) -> Estimate:
    """What the model predicts for a configuration, written as in an address. Raises `NotFound`."""
    opened = open_model(principal=principal, slug=slug, selection=replace(selection, base="", compared=""))
    return _value(opened, configuration_of(opened.loaded, key))


def _value(opened: OpenModel, levels: IntArray) -> Estimate:
    return estimates(model_at(opened, levels).terms)[0]


def _options(opened: OpenModel) -> tuple[OptionLevels, ...]:
    """The system's options; one query."""
    space = opened.loaded.space
    if isinstance(opened.model, LocatedModel):
        reached = opened.model.reached()
    elif opened.loaded.region_times is None:
        reached = (opened.model.terms.levels != UNTOUCHED).any(axis=0).astype(int)
    else:
        reached = reaching_options(opened.stamp).sum(axis=0)
    varied = varied_options(opened.loaded)
    said = dict(
        SystemOption.objects.filter(system__slug=opened.loaded.row.system).values_list("name", "description")
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
        return model.told_in()
    counts = np.zeros(len(model.terms), dtype=int)
    if not isinstance(model, InfluenceModel):
        return counts
    for local in model.local:
        regions = [model.times.regions[position] for position in local.subspaces.regions]
        own = np.array([region != model.times.program_region for region in regions])
        counts[local.positions] += told_from_zero(local)[own].sum(axis=0)
    return counts


def _share(share: Share, names: dict[str, tuple[str, str]]) -> RegionShare:
    name, package = names.get(share.region, (share.region, ""))
    return RegionShare(
        key=share.region,
        name=name,
        package=package,
        influence=estimate(share.coefficient, share.standard_error, share.lower, share.upper),
        share=None if np.isnan(share.share) else share.share,
    )
