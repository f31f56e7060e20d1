"""What the pages of influences and regions share."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go
from dash import html

from dashboard.access import Access
from dashboard.figures.influences_bars import ROW_HEIGHT
from dashboard.figures.influences_words import quantity_text
from dashboard.pages.addresses import ANALYSIS, MEASURE, address
from dashboard.pages.components import Piece, action, attributes, command, empty_state, failed_state, page
from dashboard.pages.components.text import plural
from dashboard.pages.lens import Lens
from dashboard.selectors.measuring.status import measuring_status
from dashboard.selectors.model_rows import ModelIdentity, Selection
from dashboard.selectors.whitebox.analyses import analyzed_revisions

_TERMS = {
    "published": "model learned over the terms that its source published",
    "own": "model learned over terms chosen for all revisions together",
}


def selection(lens: Lens) -> Selection:
    """The model that the lens selects."""
    return Selection(
        revision=lens.revision,
        workload=lens.workload,
        environment=lens.environment,
        base=lens.base,
        compared=lens.compared,
        metric=lens.metric,
        model=lens.settings.get("model", ""),
    )


def made_of(model: ModelIdentity) -> str:
    """What a model was made of, in one line."""
    parts = (
        f"{model.system_name} {model.revision}",
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
        return f"on {plural(checked, 'configuration')}, each held back with a fifth of all"
    if checked == model.configurations:
        return f"on {plural(checked, 'configuration')}, each predicted from all others"
    told = f"on {checked} of {plural(model.configurations, 'configuration')}, each predicted from all others"
    return f"{told}; the rest cannot be"


def kind_text(model: ModelIdentity) -> str:
    """How the model came about."""
    if model.kind == "partitioned":
        # So features of traces are understood: without this, "takes 0 s" would read as measured.
        zero = "; no time assumed where a region was not measured" if model.uncovered_is_zero else ""
        return f"a partition for each region{zero}"
    if model.is_hybrid:
        stale = "" if model.is_current else "; its measurements have changed since: learn it again"
        return f"hybrid model (extension): terms of regions from counts, their seconds from times{stale}"
    if model.kind == "learned":
        return _TERMS[model.terms_from]
    return f"{'all' if model.whole_grid else 'not all'} combinations measured, no partition known"


def no_model(name: str, access: Access) -> html.Article:
    """What stands where no regions were measured yet: the way on from where the system is."""
    title = "No influence model yet"
    text = "A model needs the time of regions (functions) over several configurations, or the end-to-end times of many. "
    if analyzed_revisions(access.system):
        said = "The program was analyzed: measure the configurations that were traced."
        act = action("See what was found", href=address(access.slug, ANALYSIS))
        return page(name, None, empty_state(title, text + said, act=act))
    system = measuring_status(access=access)
    if system.subject is not None:
        said = "Measure several configurations with the profiler."
        act = action(f"Measure {system.name}", href=address(access.slug, MEASURE))
        return page(name, None, empty_state(title, text + said, act=act))
    return page(
        name,
        None,
        empty_state(
            title,
            f"{text}Measure a subject with profiling, import measurements, or learn a model of what is there.",
            command(".venv/bin/python manage.py measure SUBJECT --configurations all"),
            command(".venv/bin/python manage.py import --list"),
            command(f".venv/bin/python manage.py fit {access.slug}"),
        ),
    )


def no_regions(name: str, error: Exception) -> html.Article:
    """What stands on pages of regions where the program was measured as a whole only."""
    said = str(error)
    return page(
        name,
        None,
        empty_state(
            "No region was measured",
            f"{said[:1].upper()}{said[1:]}. Its influences are those of the whole program; to see where in the code "
            "they arise, measure it with the profiler.",
            command(".venv/bin/python manage.py measure SUBJECT --configurations all"),
        ),
    )


def no_such_selection(error: Exception) -> html.Div:
    """What stands where the address selects what the data do not hold: why, and the way back."""
    names = ("base", "compared", "term", "revision", "workload", "environment", "metric", "model")
    back = html.Button(
        "Clear the selection",
        type="button",
        className="button button-quiet",
        **attributes(data_lens=json.dumps(dict.fromkeys(names))),
    )
    said = str(error)
    return failed_state("The data do not hold this selection", f"{said[:1].upper()}{said[1:]}.", act=back)


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
    return [
        html.Div(
            _row(str(key), label, amount, leads.get(key)),
            className="figure-row",
            style={"top": f"{ROW_HEIGHT * row}px", "height": f"{ROW_HEIGHT}px", "color": ink},
        )
        for row, (key, label, amount, ink) in enumerate(
            zip(labels.customdata, labels.text, amounts.text, labels.textfont.color, strict=True)
        )
    ]


def with_rows(card: html.Section, id_: str) -> html.Div:
    """A figure card whose figure carries rows that callbacks fill."""
    _, body, _ = card.children
    body.children = [body.children, html.Div(id=id_, className="figure-rows")]
    return html.Div(card, className="chooses")


def _row(key: str, label: str, amount: str, lead: RowLink | None) -> html.A | html.Button | html.Div:
    text: list[Piece] = [
        html.Span(lead.name if lead else label, className="figure-row-label"),
        html.Span(amount, className="figure-row-amount"),
    ]
    if lead is None or not (lead.href or lead.change):
        return html.Div(text, className="figure-row-text")
    if lead.href:
        return html.A(
            text, href=lead.href, className="figure-row-text", **attributes(data_row="true", data_key=key)
        )
    return html.Button(
        text,
        type="button",
        className="figure-row-text",
        **attributes(
            data_row="true",
            data_key=key,
            data_lens=json.dumps(lead.change),
            aria_pressed=str(lead.pressed).lower(),
        ),
    )
