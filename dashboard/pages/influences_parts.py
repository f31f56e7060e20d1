"""What the pages of influences and regions share."""

import json
from collections.abc import Sequence

from dash import html

from dashboard.figures.influences_bars import ROW_HEIGHT
from dashboard.figures.influences_words import quantity_text
from dashboard.pages.components import Piece, attributes, command, empty_state, page
from dashboard.pages.components_text import plural
from dashboard.pages.frame_lens import Lens
from dashboard.selectors.influences_rows import AnalysisIdentity, Selection

_KINDS = {
    "partitioned": "partitions as imported",
    "exhaustive": "all combinations measured, no partition known",
}


def selection(lens: Lens) -> Selection:
    """The model that the lens selects."""
    return Selection(
        revision=lens.revision,
        workload=lens.workload,
        environment=lens.environment,
        base=lens.base,
        compared=lens.compared,
    )


def made_of(analysis: AnalysisIdentity) -> str:
    """What a model was made of, in one line."""
    parts = (
        f"{analysis.system_name} {analysis.revision}",
        f"workload {analysis.workload}",
        f"environment {analysis.environment}",
        quantity_text(analysis),
        f"{plural(analysis.configurations, 'configuration')} × {plural(analysis.repetitions, 'run')}",
        _KINDS[analysis.kind],
    )
    return " · ".join(parts)


def no_model(name: str) -> html.Article:
    """What stands where no regions were measured yet."""
    return page(
        name,
        None,
        empty_state(
            "No influence model yet",
            "A model needs the time of regions (functions) over several configurations. Measure a subject with "
            "profiling, or import measurements that hold regions.",
            command("python manage.py measure SUBJECT --configurations all"),
            command("python manage.py import --list"),
        ),
    )


def figure_rows(links: Sequence[html.A | html.Button | None]) -> list[Piece]:
    """Links or buttons that lie over a figure's rows: reached by j and k, Tab and readers of the screen.

    The mouse goes through to the figure, whose click presses the row with the same key. None leaves a row out.
    """
    return [
        html.Div(
            one, className="figure-row", style={"top": f"{ROW_HEIGHT * row}px", "height": f"{ROW_HEIGHT}px"}
        )
        for row, one in enumerate(links)
        if one is not None
    ]


def row_link(key: str, text: str, href: str) -> html.A:
    """A row that leads to another page."""
    return html.A(
        href=href, className="figure-row-link", **attributes(data_row="true", data_key=key, aria_label=text)
    )


def row_choice(key: str, text: str, change: dict[str, str | None], *, pressed: bool) -> html.Button:
    """A row that changes the lens."""
    return html.Button(
        type="button",
        className="figure-row-link",
        **attributes(
            data_row="true",
            data_key=key,
            data_lens=json.dumps(change),
            aria_label=text,
            aria_pressed=str(pressed).lower(),
        ),
    )


def with_rows(card: html.Section, id_: str) -> html.Div:
    """A figure card whose figure carries rows that callbacks fill."""
    _, body, _ = card.children
    body.children = [body.children, html.Div(id=id_, className="figure-rows", role="list")]
    return html.Div(card, className="chooses")
