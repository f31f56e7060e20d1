"""Django's admin: accounts, members and their roles; the trace of changes, to read."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from dashboard.models import AuditEntry, Membership, OpenIdentity

# django-stubs makes the class generic; Django's own does not know of that.
if TYPE_CHECKING:
    _MembershipBase = admin.ModelAdmin[Membership]
    _AuditEntryBase = admin.ModelAdmin[AuditEntry]
    _OpenIdentityBase = admin.ModelAdmin[OpenIdentity]
else:
    _MembershipBase = _AuditEntryBase = _OpenIdentityBase = admin.ModelAdmin


@admin.register(Membership)
class MembershipAdmin(_MembershipBase):
    """Who may see and change which system."""

    list_display = ("user", "system", "role")
    list_filter = ("system", "role")
    autocomplete_fields = ("user",)


@admin.register(AuditEntry)
class AuditEntryAdmin(_AuditEntryBase):
    """What was shared, deleted, invalidated and imported, by whom. Nobody changes it."""

    list_display = ("at", "actor", "action", "system_slug")
    list_filter = ("action",)
    search_fields = ("actor", "system_slug")
    readonly_fields = ("at", "actor", "action", "system_slug", "details")

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 -- Django's signature
        """Entries come from services alone."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 -- as above
        """Entries stay as they were written."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002 -- as above
        """Entries stay."""
        return False


@admin.register(OpenIdentity)
class OpenIdentityAdmin(_OpenIdentityBase):
    """Which account somebody of a provider signs in to. Taken away, a verified address leads to an account anew."""

    list_display = ("user", "issuer", "subject", "created_at")
    search_fields = ("user__username", "subject")
    readonly_fields = ("user", "issuer", "subject", "created_at")

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002 -- Django's signature
        """They come by signing in alone."""
        return False
