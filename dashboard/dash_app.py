"""The Dash application, behind the gate of `views.gate`; it wires pages, nothing else."""

from dash import Dash
from django.conf import settings

PREFIX = "/app/"


def _build() -> Dash:
    app = Dash(
        "dashboard",
        use_pages=True,
        pages_folder="",
        assets_folder=str(settings.BASE_DIR / "static" / "dash"),
        requests_pathname_prefix=PREFIX,
        routes_pathname_prefix=PREFIX,
        serve_locally=True,
        compress=False,
        suppress_callback_exceptions=True,
        title="Perfatlas",
        update_title="",
        add_log_handler=False,
        # Dash's form of CSRF protection: it sends Django's cookie back as Django's header.
        csrf_token_name="csrftoken",  # noqa: S106 -- the name of a cookie
        csrf_header_name="X-CSRFToken",
        # asgiref would make callbacks asynchronous, and the ORM refuses to work there.
        use_async=False,
        enable_mcp=False,
    )
    app.server.config["PROPAGATE_EXCEPTIONS"] = True
    return app


dash_app = _build()

from dashboard.pages import frame  # noqa: E402 -- pages register themselves with the application above

dash_app.layout = frame.layout
# Dash finishes its set-up in its first request, without a lock: do that before threads come.
with dash_app.server.test_request_context(PREFIX):
    dash_app.server.preprocess_request()
