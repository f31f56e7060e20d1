"""The trace that changes leave."""

from typing import Any

from dashboard.access import Principal
from dashboard.models import AuditEntry


def record(principal: Principal, action: str, system_slug: str, /, **details: Any) -> None:
    """Write who did what to which system."""
    AuditEntry.objects.create(actor=principal.name, action=action, system_slug=system_slug, details=details)
