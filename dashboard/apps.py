"""The Django application."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """Perfatlas: options, code and history of a program's performance."""

    name = "dashboard"
    verbose_name = "Perfatlas"
