"""Finding a system by what a person calls it."""

from django.db.models import Q

from dashboard.access import NotFound, Principal
from dashboard.selectors.systems import visible_systems


def find_slug(*, principal: Principal, name: str) -> str:
    """The address of the system with this address or, failing that, this name. Raises `NotFound`."""
    found = list(
        visible_systems(principal).filter(Q(slug=name) | Q(name=name)).values_list("slug", flat=True)
    )
    if name in found:
        return name
    if len(found) > 1:
        raise NotFound(f"several systems are called {name!r}: use one of the addresses {', '.join(found)}")
    if not found:
        known = ", ".join(visible_systems(principal).values_list("slug", flat=True)) or "none"
        raise NotFound(f"there is no system {name!r} that you can see; there are: {known}")
    return found[0]
