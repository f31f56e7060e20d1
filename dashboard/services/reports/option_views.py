"""The frozen page of one option: what it costs, where, how its value gets there, and since when."""

from collections.abc import Sequence
from dataclasses import replace

from dashboard.access import Access, NotFound, Refused
from dashboard.figures.chain_words import chain_text, function_of, step_texts
from dashboard.figures.histories_words import finding, measured_text
from dashboard.figures.influences import terms_figure
from dashboard.figures.influences_words import configuration_text
from dashboard.figures.numbers import plural
from dashboard.figures.option_words import counted_sentence, option_sentence
from dashboard.selectors.influences import term_regions
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.option_rows import OptionFunction, SystemOptions
from dashboard.selectors.options import option_functions, option_histories, system_options, way_into
from dashboard.selectors.reports import Cell, FrozenView, ReportSection
from dashboard.services.reports.history_views import history_sections
from dashboard.services.reports.sections import (
    TERM_COLUMNS,
    Lens,
    model_facts,
    section,
    selection_of,
    term_cells,
)

# A figure with more terms is no longer read.
_MOST_TERMS = 20
_MOST_FUNCTIONS = 20
_FUNCTION_COLUMNS = ("function", "influence*", "95 % from*", "to*", "of the term (%)", "of all counts (%)")
_CHAIN_COLUMNS = ("what happens", "source", "line", "function")


def freeze_option(access: Access, lens: Lens) -> FrozenView:
    """What changing one option adds, alone and together with others, in which functions, how its value gets there, and since when."""
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
    functions, may = option_functions(name, where, found.analysis)
    parts = [
        *_functions_sections(name, functions, may, found),
        *_chain_sections(name, (*(row.key for row in functions), *may), found),
        *_history_sections(access, selection, name),
    ]
    if found.found is None:
        title = counted_sentence(terms, access.system.name, lens.get("revision", ""))
        return FrozenView(title, (("option", name),), tuple(parts))
    model, base = found.found.model, found.found.base
    every = sorted((*terms.alone, *terms.together), key=lambda one: -abs(one.influence.value))
    drawn = ([one for one in every if one in terms.told] or every)[:_MOST_TERMS]
    title = option_sentence(terms, model, base, where, lens.get("revision", ""))
    said = f"What each change adds relative to {configuration_text(base)}."
    if len(drawn) < len(every):
        said += f" The figure shows {len(drawn)} of {len(every)} terms."
    figure = terms_figure(drawn, model) if drawn else None
    first = section(title, said, model.unit, TERM_COLUMNS, term_cells(every), figure=figure)
    levels = ", ".join(terms.option.levels)
    return FrozenView(title, model_facts(model, [("option", name), ("levels", levels)]), (first, *parts))


def _functions_sections(
    option: str, functions: Sequence[OptionFunction], may: Sequence[str], found: SystemOptions
) -> tuple[ReportSection, ...]:
    """The functions where an option matters, those whose time or counts it moves most first; none where none is known."""
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


def _chain_sections(option: str, keys: Sequence[str], found: SystemOptions) -> tuple[ReportSection, ...]:
    """The way of an option's value from where it is read into one of these functions; none where none was seen."""
    if found.analysis is None:
        return ()
    way = way_into(option, keys, found.analysis)
    if way is None:
        return ()
    chain = way[1][0]
    steps = zip(step_texts(chain, option), chain.steps, strict=True)
    rows = [(said, one.text, f"{one.file}:{one.line}", function_of(one.region)) for said, one in steps]
    runs = plural(len(found.analysis.result.traced), "traced configuration")
    said = f"From {runs} of {found.analysis.revision}, workload {found.analysis.workload}."
    if not chain.from_read:
        said += f" The way from where {option} is read to the first step is not known."
    return (section(chain_text(chain, option), said, "", _CHAIN_COLUMNS, rows),)


def _history_sections(access: Access, selection: Selection, option: str) -> tuple[ReportSection, ...]:
    """Since when the option costs what it costs, of the term that holds the fewest options; none where it has no history."""
    found = option_histories(system=access.system, selection=selection, option=option)
    if not found:
        return ()
    first, *others = found
    curve, changes = history_sections(access, first)
    parts = (replace(curve, explanation=f"{curve.explanation} {measured_text(first.series)}."), changes)
    if not others:
        return parts
    rows = [(one.series.label, finding(one)) for one in others]
    heading = f"The histories of {plural(len(others), 'interaction')} of {option}"
    return (*parts, section(heading, "", "", ("term", "what changed most"), rows))
