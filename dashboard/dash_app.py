"""The Dash application, behind the gate of `views.gate`; it wires pages, nothing else."""

import re
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import plotly
from dash import Dash
from django.conf import settings
from django.forms.utils import flatatt
from flask import Response, request

from dashboard.access import Principal, current_principal
from dashboard.chart_library import SMALL_LIBRARY, SMALL_LIBRARY_DRAWS
from dashboard.home_document import draws_whole, first_look
from dashboard.pages.addresses import HOME
from dashboard.pages.components.static import at_rest
from dashboard.pages.frame import page as frame
from dashboard.pages.frame import routes  # noqa: F401 -- the callbacks of all pages are registered with it
from dashboard.pages.frame.problems import on_error

# The scheme is chosen before the first paint, and the frame is asked for before any library has come.
_INDEX = """<!DOCTYPE html>
<html lang="en">
  <head>
    {%metas%}
    <title>{%title%}</title>
    <script src="/static/js/scheme.js"></script>
    <script src="/static/js/early.js"%LATE></script>
    <link rel="icon" type="image/svg+xml" href="/static/favicon.svg">
    <link rel="preload" href="/static/fonts/inter-4.1.woff2" as="font" type="font/woff2" crossorigin>
    <link rel="stylesheet" href="/static/css/base.css">
    {%css%}
    <link rel="stylesheet" href="/app/assets/together.css">
  </head>
  <body>
    <div id="connection" role="alert" hidden></div>
    {%app_entry%}
    <noscript>Perfatlas draws in your browser: it needs JavaScript.</noscript>
    <footer>{%config%}{%scripts%}<script src="/app/assets/together.js" data-draws="%DRAWS"></script>{%renderer%}</footer>
  </body>
</html>
"""

_ASSETS = Path(settings.BASE_DIR) / "static" / "dash"
# Our style sheets and scripts, each kind as one file: forty small ones would be asked for one by one, before anything is drawn.
_TYPES = {"css": "text/css", "js": "text/javascript"}
_BUNDLES = {
    f"together.{kind}": b"\n".join(path.read_bytes() for path in sorted(_ASSETS.glob(f"*.{kind}")))
    for kind in _TYPES
}
# And the part of the chart library that draws most figures; `static/dash/charts.js` has it loaded.
_BUNDLES["charts.js"] = (_ASSETS.parent / SMALL_LIBRARY).read_bytes()
# The tables' library is loaded by `static/dash/grids.js` where it is needed; tables of Dash's own are nowhere, and of what it has for
# browsers of 2017 `static/js/early.js` does the one thing that is used.
_GRIDS = re.compile(r'<script src="([^"]*/dash_ag_grid/[^"]*)"></script>')
_UNUSED = re.compile(r'<script src="[^"]*/(?:dash_table/|deps/polyfill@)[^"]*"></script>')
_SUITES = f"{HOME}_dash-component-suites"
# Dash knows no address of it that changes with it.
_WHOLE_LIBRARY = f"{_SUITES}/plotly/package_data/plotly.min.js?m={plotly.__version__}"


class _Explorer(Dash):
    """Dash, with what the document can tell before anything is asked: the list of systems, and which libraries come late."""

    def interpolate_index(self, *args: Any, **parts: Any) -> str:
        late = {
            "data-token": settings.CSRF_COOKIE_NAME,
            "data-first": _WHOLE_LIBRARY if draws_whole(request.path) else _address_of("charts.js"),
            "data-whole": _WHOLE_LIBRARY,
            "data-graphs": f"{_SUITES}/dash/dcc/async-graph.js",
            "data-grids": _GRIDS.findall(parts["scripts"])[0],
        }
        parts["scripts"] = _UNUSED.sub("", _GRIDS.sub("", parts["scripts"]))
        document = str(super().interpolate_index(*args, **parts))  # type: ignore[no-untyped-call] # Dash's
        document = document.replace("%LATE", flatatt(late), 1)
        if request.path != HOME:
            return document
        # Put in when all else is: a name in it may look like one of Dash's places.
        before, entry, after = document.partition(parts["app_entry"])
        return f"{before}{first_look()}{entry}{after}"


def _address_of(name: str) -> str:
    """Where a bundle is; as the address changes with it, browsers may keep it for good."""
    return f"{HOME}assets/{name}?m={sha256(_BUNDLES[name]).hexdigest()[:16]}"


def _build() -> Dash:
    index = _INDEX.replace("%DRAWS", " ".join(sorted(SMALL_LIBRARY_DRAWS)))
    for name in _BUNDLES:
        index = index.replace(f"/app/assets/{name}", _address_of(name))
    app = _Explorer(
        "dashboard",
        assets_folder=str(_ASSETS),
        include_assets_files=False,
        index_string=index,
        requests_pathname_prefix=HOME,
        routes_pathname_prefix=HOME,
        serve_locally=True,
        compress=False,
        suppress_callback_exceptions=True,
        title="Perfatlas",
        update_title="",
        add_log_handler=False,
        on_error=on_error,
        # Dash's form of CSRF protection: it sends Django's cookie back as Django's header.
        csrf_token_name=settings.CSRF_COOKIE_NAME,
        csrf_header_name="X-CSRFToken",
        # asgiref would make callbacks asynchronous, and the ORM refuses to work there.
        use_async=False,
        enable_mcp=False,
    )
    # What no handler of ours caught reaches the gate, which answers without a traceback.
    app.server.config["PROPAGATE_EXCEPTIONS"] = True
    for name, body in _BUNDLES.items():
        answer = partial(Response, body, content_type=_TYPES[name.rpartition(".")[2]])
        app.server.add_url_rule(f"{HOME}assets/{name}", name, answer)
    app.layout = lambda: at_rest(frame.layout())
    # Dash finishes its set-up in its first request, without a lock: do that before threads come. It draws the frame
    # once, to look at it; nobody sees that one.
    token = current_principal.set(Principal(user_id=None, name="nobody"))
    try:
        with app.server.test_request_context(HOME):
            app.server.preprocess_request()
    finally:
        current_principal.reset(token)
    return app


dash_app = _build()
