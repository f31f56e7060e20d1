"""Frozen views of a model: its influences, one configuration, one region."""

from dataclasses import replace

from dashboard.access import Access, Refused
from dashboard.figures.influences import term_regions_figure, terms_figure
from dashboard.figures.influences_words import (
    amount_text,
    at_text,
    comparison_finding,
    configuration_text,
    influences_finding,
    regions_finding,
    term_text,
)
from dashboard.figures.numbers import estimate_text, number
from dashboard.figures.regions import subspace_value, subspaces_figure
from dashboard.figures.waterfall import waterfall_figure
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.model_rows import TermFilter, sensible_threshold
from dashboard.selectors.regions.measured import region
from dashboard.selectors.reports import FrozenView
from dashboard.selectors.what_if import what_if
from dashboard.services.reports.sections import (
    TERM_COLUMNS,
    Lens,
    model_facts,
    section,
    selection_of,
    term_cells,
)
from dashboard.services.reports.what_ifs import frozen_what_if

# A figure with more terms is no longer read.
_MOST_TERMS = 20


def freeze_influences(access: Access, lens: Lens) -> FrozenView:
    """The terms of a model, or the steps between two configurations, and where the first or chosen one arises."""
    selection = selection_of(lens)
    found = influences(system=access.system, selection=selection)
    if found.target is None:
        told = [term for term in found.terms if not term.influence.may_be_zero]
        threshold = sensible_threshold(told)
        shown = TermFilter(threshold).shown(told)
        title = influences_finding(shown, found.model, hidden=bool(found.terms))
        figure = terms_figure(shown, found.model)
        least = f" of at least {number(threshold, None, found.model.unit)}" if threshold else ""
        said = f"Influences relative to {configuration_text(found.base)}; significant terms{least}."
    else:
        shown = found.terms
        title, figure = comparison_finding(found), waterfall_figure(found)
        said = f"Steps from {configuration_text(found.base)} to {configuration_text(found.target)}."
    unit = found.model.unit
    first = section(title, said, unit, TERM_COLUMNS, term_cells(shown), figure=figure)
    kept = frozen_what_if(access=access, selection=selection)
    if kept is None:
        said += " The model is too large to go along for a what-if."
    sections = [replace(first, explanation=said, what_if=kept)]
    if shown:
        of_term = term_regions(
            system=access.system, selection=selection, term=lens.get("term") or shown[0].key
        )
        parts = [
            (row.key, row.influence.value, row.influence.low, row.influence.high, row.share)
            for row in (*of_term.regions, *([of_term.outside] if of_term.outside else []))
        ]
        columns = ("region", "influence*", "95 % from*", "to*", "share of the term")
        arises, drawn = f"Where {term_text(of_term.term)} arises.", term_regions_figure(of_term)
        sections.append(section(regions_finding(of_term), arises, unit, columns, parts, figure=drawn))
    quality = found.quality
    error = "" if quality.error is None else f"{quality.error:.1f} % on {quality.checked} configurations"
    facts = model_facts(found.model, [("error of the model", error)] if error else [])
    return FrozenView(title, facts, tuple(sections))


def freeze_what_if(access: Access, lens: Lens) -> FrozenView:
    """The configuration of the page What-if: its prediction, and the steps that lead there."""
    told = what_if(access=access, selection=selection_of(lens))
    target, predicted = told.found.target, told.found.target_time
    if told.violated is not None or target is None or predicted is None:
        raise Refused("This configuration is not valid: take the nearest valid one, then freeze it.")
    frozen = freeze_influences(access, lens if told.found.terms else {**lens, "compared": ""})
    said = amount_text(told.found.model.system_name, told.found.model, predicted)
    return replace(frozen, title=f"{said} {at_text(target)}")


def freeze_region(access: Access, lens: Lens) -> FrozenView:
    """The repetitions of one region by subspace, and its own terms. Raises `Refused` where the lens has none."""
    key = lens.get("region", "")
    if not key:
        raise Refused("Select a region first: open one from the page of regions.")
    found = region(system=access.system, selection=selection_of(lens), key=key)
    unit = found.model.unit
    runs = [
        (subspace.words, subspace.time, run.time)
        for subspace in found.subspaces
        for run in subspace.repetitions
    ]
    time = estimate_text(found.time, unit)
    title = f"{found.name} takes {time} at {configuration_text(found.base)}"
    said = f"Each repetition by subspace, and {subspace_value(found)}."
    columns = ("subspace", "value*", "measured*")
    sections = (
        section(title, said, unit, columns, runs, figure=subspaces_figure(found)),
        section("The region's own terms", "", unit, TERM_COLUMNS, term_cells(found.terms)),
    )
    return FrozenView(title, model_facts(found.model, [("region", found.key)]), sections)
