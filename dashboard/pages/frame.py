"""The frame around every page."""

import dash
import dash_mantine_components as dmc


def layout() -> dmc.MantineProvider:
    """Top bar, navigation and the page itself."""
    return dmc.MantineProvider([dash.dcc.Location(id="url"), dash.page_container])
