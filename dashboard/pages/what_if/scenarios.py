"""The card of What-if with the scenarios that were kept: views of this page that were saved, side by side."""

from typing import Any

from dash import Input, Output, html

from dashboard.access import Access, NotFound
from dashboard.figures.influences_words import configuration_text
from dashboard.figures.numbers import estimate_text, number, plural
from dashboard.pages import ids
from dashboard.pages.addresses import WHAT_IF, view_address
from dashboard.pages.components.blocks import card, help_tip, lens_button, link
from dashboard.pages.components.saving import exact
from dashboard.pages.components.tables import Column, folded_table
from dashboard.pages.lens import Lens
from dashboard.pages.system_callback import system_callback
from dashboard.selectors.configurations import DEFAULT
from dashboard.selectors.model_rows import ModelIdentity
from dashboard.selectors.saved_views import list_views
from dashboard.selectors.scenarios import Scenario, scenarios

SCENARIOS = "what-if-scenarios"
_SHOWN, _FOLDED = 6, 60
_HELP = (
    "“Save this view”, at the top of the page, keeps the options as they are set under a name, for yourself or for all who see "
    "the system. Here all of them are told by the model that this page looks at, with the 95 % interval of a prediction."
)
_NONE = "None yet. Set options, then press “Save this view” at the top: what you keep stands here beside the others."
_COLUMNS = (
    Column("name", "scenario"),
    Column("configuration", "options"),
    Column("predicted", "predicted", kind="number"),
    Column("measured", "measured end to end", kind="number"),
    Column("shared", "seen by"),
)


@system_callback(Output(SCENARIOS, "children"), Input(ids.LENS, "data"), Input(ids.SAVED_VIEW, "children"))
def show_scenarios(access: Access, lens: Lens, _saved: object = None) -> Any:
    """Every scenario that one may see, the best prediction first; anew when a view was saved."""
    views = {view.pk: view for view in list_views(access=access) if view.section == WHAT_IF}
    kept = {pk: (at := Lens.of_query(view.query)).compared or at.base for pk, view in views.items()}
    try:
        model, rows = scenarios(access=access, selection=lens, kept=kept)
    except NotFound:
        return None
    table = folded_table(
        _COLUMNS,
        [
            {
                "name": link(views[row.view].name, view_address(row.view, views[row.view].name)),
                "shared": "all who see the system" if views[row.view].is_shared else "you alone",
                **_told(row, model),
            }
            for row in rows
        ],
        label="Scenarios",
        shown=_SHOWN,
        folded=_FOLDED,
        summary=f"{len(rows) - _SHOWN} more",
        revision=model.revision,
    )
    return card(
        f"{plural(len(rows), 'kept scenario')}" if rows else "Kept scenarios",
        *(table if rows else [html.P(_NONE, className="quiet")]),
        more=help_tip(_HELP, "how-to/find-the-best-configuration#scenarios"),
        look="card scenarios",
    )


def _told(row: Scenario, model: ModelIdentity) -> dict[str, Any]:
    """What a row tells of the scenario; pressed, its options are set."""
    if row.configuration is None:
        return {"configuration": "this model has not all of its options", "predicted": "–", "measured": "–"}
    words, change = configuration_text(row.configuration), {"compared": row.configuration.key or DEFAULT}
    predicted: Any = "not valid"
    if row.predicted is not None:
        predicted = exact(estimate_text(row.predicted, model.unit), row.predicted.value, model.unit)
    measured: Any = "not measured"
    if row.measured is not None:
        measured = exact(number(row.measured, None, model.unit), row.measured, model.unit)
    button = lens_button(words, change, look="quiet-link", title="Set these options")
    return {"configuration": button, "predicted": predicted, "measured": measured}
