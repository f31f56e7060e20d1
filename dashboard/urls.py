"""Addresses. Everything of Dash passes through the gate."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from dashboard import (
    converters,  # noqa: F401 -- it names numbers of rows
    import_views,
    operation_views,
    report_views,
    views,
)
from dashboard.api import application
from dashboard.people import openid


def provider_name() -> str:
    """What people may sign in with beside a password; "" for nothing."""
    return settings.OPENID_NAME if settings.OPENID_ISSUER else ""


handler500 = "dashboard.views.tell_fault"
urlpatterns = [
    *(openid.urlpatterns if settings.OPENID_ISSUER else ()),
    path("", RedirectView.as_view(url="/app/", permanent=False)),
    path(
        "login/",
        LoginView.as_view(template_name="login.html", extra_context={"provider_name": provider_name}),
        name="login",
    ),
    path("login/<str:token>/", views.login_by_token, name="login-by-token"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("healthz", operation_views.health, name="health"),
    path("readyz", operation_views.ready, name="ready"),
    path("metrics", operation_views.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("docs/", views.document, name="docs"),
    path("docs/<path:path>", views.document),
    path("r/<str:token>/", report_views.shared, name="shared-report"),
    path("r/<str:token>/table-<row:section>.csv", report_views.shared_table),
    path("r/<str:token>/report.html", report_views.shared_file),
    path("reports/<row:report_id>/", report_views.own, name="report"),
    path("reports/<row:report_id>/table-<row:section>.csv", report_views.own_table),
    path("reports/<row:report_id>/report.html", report_views.own_file),
    path("views/<row:view_id>/", views.open_saved_view, name="saved-view"),
    path("views/<row:view_id>/<str:_name>/", views.open_saved_view),
    path("import/", import_views.choose, name="import"),
    path("import/<str:token>/", import_views.confirm, name="import-file"),
    path("import/<str:token>/discard/", import_views.discard, name="import-discard"),
    path("import/jobs/<row:job_id>/", import_views.follow, name="import-job"),
    path("import/jobs/<row:job_id>/cancel/", import_views.cancel, name="import-cancel"),
    path("", include("dashboard.people.urls")),
    path("charts/plotly.js", report_views.plotly_script, name="plotly-script"),
    path("api/v1/", include(application.urls)),
    re_path(r"^app/(?P<path>.*)$", views.gate, name="gate"),
]
