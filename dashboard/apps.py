"""The Django application, and what it asks of its settings."""

from importlib.util import find_spec
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Error, register


class DashboardConfig(AppConfig):
    """Perfatlas: options, code and history of a program's performance."""

    name = "dashboard"
    verbose_name = "Perfatlas"


@register
def has_openid(**_: Any) -> list[Error]:
    """Who set a provider of OpenID Connect needs the extra that signs in by it."""
    if not settings.OPENID_ISSUER or find_spec("authlib"):
        return []
    said = "PERFATLAS_OPENID_ISSUER is set, but what signs in by OpenID Connect is not installed"
    return [Error(said, hint="make runtime EXTRA=sso", id="dashboard.E001")]
