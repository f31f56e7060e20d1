"""Addresses. Everything of Dash passes through the gate."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path, re_path
from django.views.generic import RedirectView

from dashboard import views

urlpatterns = [
    path("", RedirectView.as_view(url="/app/", permanent=False)),
    path("login/", LoginView.as_view(template_name="login.html"), name="login"),
    path("login/<str:token>/", views.login_by_token, name="login-by-token"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("healthz", views.health, name="health"),
    path("admin/", admin.site.urls),
    re_path(r"^app/(?P<path>.*)$", views.gate, name="gate"),
]
