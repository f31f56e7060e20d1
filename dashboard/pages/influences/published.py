"""Published coefficients beside ours, and why they differ where they do."""

from dash import Input, Output, html

from dashboard.access import Access, NotFound
from dashboard.figures.numbers import MINUS, listing, number, percent, plural, scale_for
from dashboard.pages import ids
from dashboard.pages.components.blocks import Piece, card
from dashboard.pages.components.saving import saved
from dashboard.pages.components.tables import Column, data_table
from dashboard.pages.influences import ids as page_ids
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.published_coefficients import (
    NOT_TOLD,
    PublishedModel,
    published_model,
)

_AGREEMENT = {
    "agrees": "agrees",
    "differs": "differs",
    "undetermined": "not determined",
    NOT_TOLD: "not told by the options",
}


def placeholder() -> html.Div:
    """The empty element that the callback fills with the card."""
    return html.Div(id=page_ids.PUBLISHED)


@system_callback(Output(page_ids.PUBLISHED, "children"), Input(ids.LENS, "data"))
def show_published(access: Access, lens: Lens) -> Piece:
    """The published model of the selected revision and metric beside ours; nothing where none was published."""
    try:
        found = published_model(system=access.system, selection=lens)
    except NotFound:
        return None
    return None if found is None else published_card(found)


def published_card(found: PublishedModel) -> html.Section:
    """A sentence, what explains the differences, and the table."""
    agreeing = found.count("agrees")
    others = (
        (found.count("differs"), "differ"),
        (found.count("undetermined"), "are not determined by the measurements"),
        (found.count(NOT_TOLD), "cannot be told by the options"),
    )
    finding = f"Our coefficients agree with all {agreeing} published ones"
    if agreeing < len(found.rows):
        rest = listing([f"{number_of} {words}" for number_of, words in others if number_of])
        finding = f"Our coefficients agree with {agreeing} of {len(found.rows)} published ones; {rest}"
    base = ""
    if found.base:
        # What the published terms start from, where that is not our default.
        levels = listing([f"{option} {level}" for option, level in found.base])
        base = f", relative to {levels} where our default has other levels"
    return card(
        finding,
        html.P(
            f"Least squares over the {plural(len(found.rows), 'published term')} and all "
            f"{plural(found.configurations, 'measured configuration')} of {found.revision}, beside the "
            f"coefficients that the data's source published{base}.",
            className="help-text",
        ),
        *(html.P(text, className="help-text") for text in explanations(found)),
        html.Details(
            [html.Summary("Ours and published, term by term"), published_table(found)], className="more"
        ),
        look="card published",
    )


def explanations(found: PublishedModel) -> list[str]:
    """Why coefficients are not the published ones, as far as the measurements tell; a sentence each."""
    said = []
    lost = found.count("undetermined")
    if lost:
        shortest = " The published ones are the smallest of them." if "smallest fit" in found.reasons else ""
        said.append(
            f"{plural(lost, 'term')} always come together with others in the measured configurations: many "
            f"coefficients fit equally well, so ours stay undetermined.{shortest}"
        )
    if untold := found.count(NOT_TOLD):
        said.append(
            f"{plural(untold, 'published term')} cannot be told by the options, and have no coefficient of ours."
        )
    if "split intercept" in found.reasons:
        said.append(
            "The published intercept and the terms that the options do not tell add up to our intercept: it was split "
            "between columns that every configuration has."
        )
    if "missing as zero" in found.reasons:
        said.append(
            f"{plural(found.unmeasured, 'configuration')} without a value are left out here; with 0 in their place "
            "our coefficients agree with the published ones."
        )
    if "other values" in found.reasons:
        excess = percent(100 * found.excess, 1) if found.excess >= 1e-3 else f"{100 * found.excess:.1g} %"
        said.append(
            f"Over these measurements the published coefficients leave {excess} more squared error "
            "than least squares: they were learned from other values, or not by least squares alone."
        )
    return said


def published_table(found: PublishedModel) -> html.Div:
    """Every published term with our coefficient."""
    scale = scale_for([row.published for row in found.rows], found.unit)
    unit = scale.unit or "unknown unit"
    columns = (
        Column("term", "published term", kind="code", width=300),
        Column("ours", "ours", unit, "number", text="ours_said", width=190),
        Column("margin", "95 % interval, ±", "", "number", digits=3, width=150),
        Column("published", "published", unit, "number", text="published_said", width=210),
        Column("difference", "difference", "%", "number", text="difference_said", width=130),
        Column("agreement", "", width=170),
    )
    rows: list[dict[str, object]] = []
    for row in found.rows:
        ours, margin = (None, None) if row.ours is None else (row.ours.value, row.ours.margin)
        said = "–" if row.difference is None else f"{100 * row.difference:+.2g}".replace("-", MINUS)
        rows.append(
            {
                "term": row.term,
                "ours": None if ours is None else ours * scale.factor,
                "ours_said": number(ours, None, found.unit, scale=scale.bare, signed=True),
                "margin": None if margin is None else margin * scale.factor,
                "published": row.published * scale.factor,
                "published_said": number(row.published, None, found.unit, scale=scale.bare, signed=True),
                "difference": None if row.difference is None else 100 * row.difference,
                "difference_said": "0" if row.difference is not None and row.agreement == "agrees" else said,
                "agreement": _AGREEMENT[row.agreement],
            }
        )
    grid = data_table(columns, rows, id_=page_ids.PUBLISHED_GRID, most_rows=16)
    return saved(grid, revision=found.revision, name="published terms")
