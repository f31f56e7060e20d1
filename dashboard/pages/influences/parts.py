"""What the pages of influences and regions share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go
from dash import html

from dashboard.access import Access
from dashboard.figures.accuracy_words import doubt_text
from dashboard.figures.counts_words import uncounted_sentence
from dashboard.figures.histories_words import revision_text
from dashboard.figures.influences_bars import ROW_HEIGHT
from dashboard.figures.influences_words import quantity_text, term_text
from dashboard.figures.numbers import fixed, percent, plural
from dashboard.pages.addresses import ANALYSIS, APPROACHES, MEASURE, address
from dashboard.pages.components.blocks import (
    DOCS,
    Piece,
    action,
    attributes,
    command,
    empty_state,
    failed_state,
    help_tip,
    lens_button,
    page,
)
from dashboard.pages.components.text import sentence
from dashboard.selectors.measuring.status import subject_of
from dashboard.selectors.model_rows import Influences, ModelIdentity, PredictionQuality, TermRow
from dashboard.selectors.performance_models import PUBLISHED
from dashboard.selectors.whitebox.analyses import analyzed_revisions, newest_detail

_ROW = "figure-row-text"
_DOUBT_HELP = (
    "Where the interval of the rank correlation holds zero, or the error is no smaller than that of the mean, what the model "
    "says of options may be noise, or it lacks what matters."
)
_TERMS = {
    "published": "model learned over the terms that its source published",
    "own": "model learned over terms chosen for all revisions together",
}


def made_of(model: ModelIdentity) -> str:
    """What a model was made of, in one line."""
    parts = (
        f"{model.system_name} {revision_text(model.revision)}",
        f"workload {model.workload}",
        f"environment {model.environment}",
        quantity_text(model),
        f"{plural(model.configurations, 'configuration')} × {plural(model.repetitions, 'run')}",
        kind_text(model),
    )
    return " · ".join(parts)


def left_out_text(model: ModelIdentity, checked: int) -> str:
    """On how many configurations a learned model was checked; others may be the only ones that tell a term."""
    if model.is_hybrid:
        return f"on {plural(checked, 'configuration')}, each held back with its part"
    how = (
        "each predicted from all others"
        if model.terms_from == PUBLISHED
        else "each predicted without its part"
    )
    if checked == model.configurations:
        return f"on {plural(checked, 'configuration')}, {how}"
    return f"on {checked} of {plural(model.configurations, 'configuration')}, {how}; the rest cannot be"


def decision_text(quality: PredictionQuality) -> str:
    """How good a choice by the model is: `; rank correlation 0.97, regret 0.3 %`."""
    if quality.rank_correlation is None or quality.regret is None:
        return ""
    return f"; rank correlation {fixed(quality.rank_correlation, 2)}, regret {percent(quality.regret)}"


def accuracy_text(found: Influences) -> str:
    """What the model was made of, and how far it lies from what was measured end to end."""
    if found.quality.error is None:
        return made_of(found.model)
    checked = f"on {plural(found.quality.checked, 'configuration')} measured end to end"
    if found.model.is_learned:
        checked = left_out_text(found.model, found.quality.checked)
    return f"{made_of(found.model)} · error {percent(found.quality.error)} {checked}{decision_text(found.quality)}"


def kind_text(model: ModelIdentity) -> str:
    """How the model came about."""
    if model.kind == "partitioned":
        # So features of traces are understood: without this, "takes 0 s" would read as measured.
        zero = "; no time assumed where a region was not measured" if model.uncovered_is_zero else ""
        return f"a partition for each region{zero}"
    if model.is_hybrid:
        stale = "" if model.is_current else "; its measurements have changed since: learn it again"
        if model.is_counted:
            return f"hybrid model (extension): terms of regions from counts alone, no time{stale}"
        return f"hybrid model (extension): terms of regions from counts, their seconds from times{stale}"
    if model.kind == "learned":
        return _TERMS[model.terms_from] + ("; effects multiply" if model.is_multiplicative else "")
    which = "all" if model.whole_grid else "not all"
    how = "measured as a whole" if model.is_of_whole_runs else "measured by region"
    return f"{which} combinations of {plural(model.varied, 'option')} {how}, made without a partition"


def no_model(name: str, access: Access) -> html.Article:
    """What stands where no regions were measured yet: the way on from where the system is."""
    text = "A model needs the time of regions (functions) over several configurations, or the end-to-end times of many."
    ways: list[Piece] = []
    if analyzed_revisions(access.system):
        said = "The program was analyzed: measure these configurations, or learn a model of what was counted."
        ways.append(action("See what was found", href=address(access.slug, ANALYSIS)))
        ways.append(action("Learn from counts", href=address(access.slug, APPROACHES), quiet=True))
    elif subject_of(access=access) is not None:
        said = "Measure several configurations with the profiler."
        ways.append(action(f"Measure {access.system.name}", href=address(access.slug, MEASURE)))
    else:
        said = "Measure a subject with profiling, import measurements, or learn a model of what is there."
        ways += [
            command(".venv/bin/python manage.py measure SUBJECT --configurations all"),
            command(".venv/bin/python manage.py import --list"),
            command(f".venv/bin/python manage.py fit {access.slug}"),
        ]
    return page(name, None, empty_state("No influence model yet", f"{text} {said}", *ways))


def no_regions(name: str, error: Exception) -> html.Article:
    """What stands on pages of regions where the program was measured as a whole only."""
    text = (
        f"{sentence(error)} Its influences are those of the whole program; to see where in the code they arise, measure "
        "it with the profiler."
    )
    profiled = command(".venv/bin/python manage.py measure SUBJECT --configurations all")
    return page(name, None, empty_state("No region was measured", text, profiled))


def no_such_selection(error: Exception) -> html.Div:
    """What stands where the address selects what the data do not hold: why, and the way back."""
    names = ("base", "compared", "term", "revision", "workload", "environment", "metric", "model")
    back = lens_button("Clear the selection", dict.fromkeys(names), look="button button-quiet")
    return failed_state("The data do not hold this selection", sentence(error), act=back)


def doubt_note(found: Influences) -> html.Div | None:
    """What stands above a model that is no better than none; nothing above all others."""
    said = doubt_text(found)
    if not said:
        return None
    tip = help_tip(_DOUBT_HELP, "explanation/trust#a-model-that-is-no-better-than-none")
    return html.Div([html.P(said), tip], className="doubt", role="note")


def uncounted_note(access: Access, model: ModelIdentity) -> html.P | None:
    """Which share of the time the analysis of the model's revision does not count, or that it is not known; None without one."""
    analysis = newest_detail(access.system, model.revision)
    said = "" if analysis is None else uncounted_sentence(analysis.result, analysis.workload)
    if not said:
        return None
    why = html.A("What that means", href=f"{DOCS}explanation/white-box#what-is-not-counted", className="link")
    return html.P([said, " ", why], className="quiet uncounted-note")


@dataclass(frozen=True, slots=True)
class RowLink:
    """A row's label in full, and where the row leads: to another page, to another lens, or nowhere."""

    name: Piece
    href: str = ""
    change: dict[str, str | None] | None = None
    pressed: bool = False


def figure_rows(figure: go.Figure, leads: Mapping[str, RowLink]) -> list[Piece]:
    """The rows of a figure of bars as text over it, with a link or button where the row's key leads somewhere.

    They fit their label to the width, and are reached by j and k, Tab and readers of the screen. The mouse goes
    through to the figure, whose click presses the row with the same key.
    """
    if not figure.data:
        return []
    labels, amounts = (
        next(trace for trace in figure.data if trace.name == name) for name in ("labels", "amounts")
    )
    rows: list[Piece] = []
    looks = zip(labels.customdata, labels.text, amounts.text, labels.textfont.color, strict=True)
    for key, label, amount, ink in looks:
        lead = leads.get(str(key))
        text: list[Piece] = [
            html.Span(lead.name if lead else label, className="figure-row-label"),
            html.Span(amount, className="figure-row-amount"),
        ]
        named = {"data_row": "true", "data_key": str(key)}
        row: Piece = html.Div(text, className=_ROW)
        if lead is not None and lead.href:
            row = html.A(text, href=lead.href, className=_ROW, **attributes(**named))
        elif lead is not None and lead.change:
            row = lens_button(text, lead.change, look=_ROW, pressed=lead.pressed, data=named)
        style = {"top": f"{ROW_HEIGHT * len(rows)}px", "height": f"{ROW_HEIGHT}px", "color": ink}
        rows.append(html.Div(row, className="figure-row", style=style))
    return rows


def term_rows(figure: go.Figure, terms: Sequence[TermRow], selected: str) -> list[Piece]:
    """The rows of a figure of terms, each of which selects its term."""
    leads = {
        term.key: RowLink(term_text(term), change={"term": term.key}, pressed=term.key == selected)
        for term in terms
    }
    return figure_rows(figure, leads)
