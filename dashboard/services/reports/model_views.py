"""Frozen views of a model: its influences, one configuration, one option, one region."""

from dataclasses import replace

from dashboard.access import Access, NotFound, Refused
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
from dashboard.figures.numbers import number, plural
from dashboard.figures.option_words import counted_sentence, option_sentence
from dashboard.figures.regions import subspaces_figure
from dashboard.figures.waterfall import waterfall_figure
from dashboard.selectors.influences import influences, term_regions
from dashboard.selectors.model_rows import TermFilter, TermRegions, sensible_threshold
from dashboard.selectors.option_rows import SystemOptions
from dashboard.selectors.options import option_functions, system_options
from dashboard.selectors.regions.measured import region
from dashboard.selectors.reports import Cell, FrozenView, ReportSection
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
_MOST_FUNCTIONS = 50
_FUNCTION_COLUMNS = ("function", "influence*", "95 % from*", "to*", "of the term (%)", "of all counts (%)")


def freeze_influences(access: Access, lens: Lens) -> FrozenView:
    """The terms of a model, or the steps between two configurations, and where the first or chosen one arises."""
    selection = selection_of(lens)
    found = influences(system=access.system, selection=selection)
    if found.target is None:
        told = [term for term in found.terms if not term.influence.may_be_zero]
        threshold = sensible_threshold(told)
        shown = TermFilter(threshold).shown(told)
        title, figure = influences_finding(shown, found.model), terms_figure(shown, found.model)
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
    time = number(found.time.value, found.time.margin, unit)
    title = f"{found.name} takes {time} at {configuration_text(found.base)}"
    said = "Each repetition by subspace, and what the model takes."
    columns = ("subspace", "model*", "measured*")
    sections = (
        section(title, said, unit, columns, runs, figure=subspaces_figure(found)),
        section("The region's own terms", "", unit, TERM_COLUMNS, term_cells(found.terms)),
    )
    return FrozenView(title, model_facts(found.model, [("region", found.key)]), sections)


def freeze_option(access: Access, lens: Lens) -> FrozenView:
    """What changing one option adds, alone and together with others, and the functions where it matters."""
    name = lens.get("option", "") or lens.get("term", "").partition("*")[0]
    if not name:
        raise Refused("Select an option first: press a term of it on its page or on Influences.")
    selection = selection_of({**lens, "compared": ""})
    found = system_options(access=access, selection=selection)
    if name not in found.by_name:
        raise NotFound(f"{access.system.name} has no option {name!r}")
    terms = found.by_name[name]
    asked = [one.key for one in (*terms.alone, *terms.together) if one.key == lens.get("term")]
    key = next(iter((*asked, *([terms.first.key] if terms.first else []))), "")
    where = term_regions(system=access.system, selection=selection, term=key) if key else None
    parts = _functions_sections(name, where, found)
    if found.found is None:
        title = counted_sentence(terms, access.system.name, lens.get("revision", ""))
        return FrozenView(title, (("option", name),), parts)
    model, base = found.found.model, found.found.base
    every = sorted((*terms.alone, *terms.together), key=lambda one: -abs(one.influence.value))
    drawn = ([one for one in every if one in terms.told] or every)[:_MOST_TERMS]
    title = option_sentence(terms, model, base, where)
    said = f"What each change adds relative to {configuration_text(base)}."
    if len(drawn) < len(every):
        said += f" The figure shows {len(drawn)} of {len(every)} terms."
    figure = terms_figure(drawn, model) if drawn else None
    first = section(title, said, model.unit, TERM_COLUMNS, term_cells(every), figure=figure)
    levels = ", ".join(terms.option.levels)
    return FrozenView(title, model_facts(model, [("option", name), ("levels", levels)]), (first, *parts))


def _functions_sections(
    option: str, term: TermRegions | None, found: SystemOptions
) -> tuple[ReportSection, ...]:
    """The functions where an option matters, those whose time or counts it moves most first; none where none is known."""
    functions, may = option_functions(option, term, found.analysis)
    if not functions and not may:
        return ()
    cells: list[tuple[Cell, ...]] = []
    for one in functions[:_MOST_FUNCTIONS]:
        time = one.influence
        cost = (None, None, None) if time is None else (time.value, time.low, time.high)
        shares = (None if part is None else 100 * part for part in (one.share, one.counted))
        cells.append((one.name, *cost, *shares))
    said = "Of time what its term adds there; of counts how much of all that the program does changes there."
    if len(cells) < len(functions):
        said += f" The first {len(cells)} of {plural(len(functions), 'function')}."
    if may:
        said += f" It may reach {plural(len(may), 'further function')}, where no run showed that it changes anything."
    unit = found.found.model.unit if found.found else ""
    return (section(f"Where {option} matters", said, unit, _FUNCTION_COLUMNS, cells),)
