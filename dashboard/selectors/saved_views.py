"""Saved views to read: who sees which, and who may change them."""

from django.db.models import Q, QuerySet

from dashboard.access import Access, NotFound, Permission, Principal, access_to
from dashboard.models import SavedView

_ABSENT = "there is no such view"


def seen_views(access: Access, *, is_deleted: bool = False) -> QuerySet[SavedView]:
    """The views of a system that are shared or one's own, by name; or those of them that were deleted lately.

    For selectors and services: a queryset never leaves them.
    """
    own = Q(owner_id=access.principal.user_id) if access.principal.user_id is not None else Q()
    return SavedView.objects.filter(
        own | Q(is_shared=True), system=access.system, deleted_at__isnull=not is_deleted
    )


def list_views(*, access: Access) -> tuple[SavedView, ...]:
    """These views with their owners. One query."""
    return tuple(seen_views(access).select_related("owner"))


def find_view(*, principal: Principal, view_id: int) -> SavedView:
    """One view with its system, for whoever may see it. Raises `NotFound`, which tells nobody whether it is there."""
    view = SavedView.objects.select_related("system").filter(pk=view_id).first()
    try:
        if view is not None:
            return seen_views(access_to(principal, view.system.slug)).select_related("system").get(pk=view_id)
    except (NotFound, SavedView.DoesNotExist):
        pass
    raise NotFound(_ABSENT)


def may_change(access: Access, view: SavedView) -> bool:
    """Whether a view is one's own, or one is an admin of its system. No query."""
    return view.owner_id == access.principal.user_id is not None or access.allows(Permission.ADMIN)
