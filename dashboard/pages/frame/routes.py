"""Which page an address shows. A page is a function of the access to a system, a key and the lens.

Only the path rebuilds a page. The query string is the lens: pages follow it through `ids.LENS`.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from dash import Input, Output, State, callback
from dash.development.base_component import Component

from dashboard.access import Access, NotFound, access_to, acting
from dashboard.pages import (
    addresses,
    feature_model,
    home,
    ids,
    triage,  # noqa: F401 -- its callbacks are registered with it
)
from dashboard.pages.approaches import page as approaches
from dashboard.pages.components.static import at_rest
from dashboard.pages.frame.problems import problem
from dashboard.pages.histories import page as histories
from dashboard.pages.influences import page as influences
from dashboard.pages.lens import Lens
from dashboard.pages.measure import page as measure
from dashboard.pages.options import page as options
from dashboard.pages.overview import page as overview
from dashboard.pages.regions import page as regions
from dashboard.pages.reports import page as reports
from dashboard.pages.saved_views import page as saved_views
from dashboard.pages.two_revisions import page as two_revisions
from dashboard.pages.what_if import page as what_if
from dashboard.pages.whitebox import page as analysis
from dashboard.pages.workloads import page as workloads
from dashboard.selectors.releases import telling_of

# Of a system, of one thing of the section by its key ("" for none), with what is selected.
Layout: TypeAlias = Callable[[Access, str, Lens], Component]

SERVED: Mapping[str, Layout] = {
    addresses.OVERVIEW: overview.layout,
    addresses.INFLUENCES: influences.layout,
    addresses.OPTIONS: options.layout,
    addresses.WORKLOADS: workloads.layout,
    addresses.WHAT_IF: what_if.layout,
    addresses.REGIONS: regions.layout,
    addresses.ANALYSIS: analysis.layout,
    addresses.HISTORIES: histories.layout,
    addresses.TWO_REVISIONS: two_revisions.layout,
    addresses.APPROACHES: approaches.layout,
    addresses.MEASURE: measure.layout,
    addresses.VIEWS: saved_views.layout,
    addresses.REPORTS: reports.layout,
    addresses.FEATURE_MODEL: feature_model.layout,
}


@callback(
    Output(ids.CONTENT, "children"),
    Output(ids.TITLE, "data"),
    Output(ids.PROBLEM, "children"),
    Input(ids.ADDRESS, "pathname"),
    State(ids.ADDRESS, "search"),
)
def show(pathname: str | None, search: str | None) -> tuple[Component, str, None]:
    """The page at a path, its title for the browser's tab, and no problem. Here the access to its system is resolved."""
    here = addresses.read_address(pathname)
    if here is None:
        return problem(NotFound("there is no page at this address")), "", None
    try:
        if not here.slug:
            return at_rest(home.layout(acting())), "Systems", None
        access = access_to(acting(), here.slug)
        with telling_of(access.system):
            content = SERVED[here.section](access, here.key, Lens.of_query(search))
    except Exception as error:  # noqa: BLE001 -- whatever fails becomes a state on the screen, and is logged there
        return problem(error), "", None
    return (
        at_rest(content),
        " · ".join(part for part in (here.key, addresses.SECTIONS[here.section], access.system.name) if part),
        None,
    )
