"""A system's badges: making, revoking, and the picture itself, for whoever holds its address."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from dashboard.access import Access, AccessError, Permission, Refused
from dashboard.figures.badges import badge_picture
from dashboard.people.system_views import system_view, told
from dashboard.selectors.badges import BadgeState, badge_states, list_badges, living_badge
from dashboard.services.badges import make_badge, revoke_badge
from dashboard.services.logins import digest
from dashboard.services.public_address import public_url, reach_warning


@require_safe
def badge(_request: HttpRequest, token: str) -> HttpResponse:
    """The picture: kept by nobody for more than a minute, so that a revoked one is gone."""
    found = living_badge(digest(token))
    if found is None:
        raise Http404("There is no such badge.")
    (state,) = badge_states([found])
    answer = HttpResponse(_picture(state), "image/svg+xml")
    answer["Cache-Control"] = "max-age=60, must-revalidate"
    answer["Referrer-Policy"] = "no-referrer"
    answer["X-Robots-Tag"] = "noindex"
    return answer


@system_view(Permission.ADMIN, "GET", "POST")
def badges(request: HttpRequest, access: Access) -> HttpResponse:
    """The badges; a button makes one, and this answer alone shows its address."""
    about: dict[str, object] = {"access": access, "is_admin": True, "tab": "badges", "history": ""}
    if request.method == "POST":
        history = request.POST.get("history", "").strip()
        about["history"] = history
        try:
            made, token = make_badge(access=access, history=history)
            address = public_url(f"/badge/{token}.svg", opened_at=request.build_absolute_uri("/"))
            about["made"] = {"badge": made, "address": address, "warning": reach_warning(address)}
        except (Refused, AccessError) as error:
            about["problem"] = str(error)
    rows = list_badges(access=access)
    pictures = map(_picture, badge_states(rows))
    about["badges"] = list(zip(rows, pictures, strict=True))
    return render(request, "people/badges.html", about, status=400 if "problem" in about else 200)


@system_view(Permission.ADMIN, "POST")
def revoke(request: HttpRequest, access: Access, badge_id: int) -> HttpResponse:
    """Let a badge show nothing any more."""

    def act() -> str:
        revoke_badge(access=access, badge_id=badge_id)
        return "The badge is gone: within a minute also where it was shown."

    told(request, act)
    return redirect("badges", slug=access.slug)


def _picture(state: BadgeState) -> str:
    return badge_picture(state.worst, word=state.word)
