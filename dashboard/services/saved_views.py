"""Keeping a view by a name, sharing and renaming it, and deleting it with a way back."""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from dashboard.access import Access, Forbidden, NotFound, Refused
from dashboard.models import SavedView
from dashboard.selectors.saved_views import may_change, seen_views
from dashboard.services import audit
from dashboard.services.plain_lines import check_line

LONGEST_NAME = 100
_LONGEST_SELECTION = 8000  # letters
# Of one person in one system.
_MOST_VIEWS = 500
# How long a deleted view can be taken back.
_KEPT = timedelta(days=1)


def save_view(
    *, access: Access, name: str, section: str, key: str = "", query: str = "", is_shared: bool = False
) -> SavedView:
    """Keep a page of a system with what is selected there. Whoever sees the system may.

    Raises `Refused` for a name that is blank, too long or given already, and for too much of it.
    """
    if access.principal.user_id is None:
        raise Refused("a view belongs to an account: sign in with one")
    if len(key) + len(query) > _LONGEST_SELECTION:
        raise Refused("more is selected than a view can hold: select less")
    own = SavedView.objects.filter(system=access.system, owner_id=access.principal.user_id, deleted_at=None)
    if own.count() >= _MOST_VIEWS:
        raise Refused(f"you keep {_MOST_VIEWS} views of this system: delete some first")
    view = SavedView(system=access.system, owner_id=access.principal.user_id, is_shared=is_shared)
    view.section, view.key, view.query = section, key, query
    _keep(access, view, name, "save view")
    return view


def rename_view(*, access: Access, view_id: int, name: str) -> SavedView:
    """Give a view another name; its permalink stays. Raises `Refused`, and `NotFound` and `Forbidden` as below."""
    view = _changeable(access, view_id)
    _keep(access, view, name, "rename view")
    return view


def share_view(*, access: Access, view_id: int, is_shared: bool) -> SavedView:
    """Show a view to all who see the system, or to its owner alone. Raises `NotFound` and `Forbidden` as below."""
    view = _changeable(access, view_id)
    view.is_shared = is_shared
    _keep(access, view, view.name, "share view")
    return view


def delete_view(*, access: Access, view_id: int) -> SavedView:
    """Take a view away; for a day `restore_view` brings it back. Raises `NotFound` and `Forbidden` as below."""
    view, now = _changeable(access, view_id), timezone.now()
    SavedView.objects.filter(deleted_at__lt=now - _KEPT).delete()
    view.deleted_at = now
    _keep(access, view, view.name, "delete view")
    return view


def restore_view(*, access: Access, view_id: int) -> SavedView:
    """Bring a deleted view back under its own number.

    Raises `Refused` where its name is given to another one, `NotFound` and `Forbidden` as below.
    """
    view = _changeable(access, view_id, is_deleted=True)
    view.deleted_at = None
    _keep(access, view, view.name, "restore view")
    return view


def _changeable(access: Access, view_id: int, *, is_deleted: bool = False) -> SavedView:
    """A view that one may change: owners, and admins of the system where it is shared. Raises `NotFound` and `Forbidden`."""
    view = seen_views(access, is_deleted=is_deleted).filter(pk=view_id).first()
    if view is None:
        raise NotFound("there is no such view")
    if not may_change(access, view):
        raise Forbidden(f"{view.name!r} is somebody else's view: only its owner and admins change it")
    return view


def _keep(access: Access, view: SavedView, name: str, did: str) -> None:
    """Write a view under a name, and who did so. Raises `Refused`."""
    view.name = " ".join(name.split())
    if not view.name:
        raise Refused("give the view a name")
    check_line(view.name, "the name")
    if len(view.name) > LONGEST_NAME:
        raise Refused(f"the name has {len(view.name)} characters: shorten it to {LONGEST_NAME}")
    try:
        with transaction.atomic():
            view.save()
            audit.record(
                access.principal, did, access.slug, view=view.pk, name=view.name, shared=view.is_shared
            )
    except IntegrityError:
        raise Refused(f"there is a view {view.name!r} already: choose another name") from None
