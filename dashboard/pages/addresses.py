"""Addresses of pages: /app/, /app/s/<slug>/, /app/s/<slug>/<section>, /app/s/<slug>/regions/<key>."""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlencode

from dashboard.pages.lens import Lens

HOME = "/app/"
OVERVIEW = ""
INFLUENCES = "influences"
OPTIONS = "options"
WORKLOADS = "workloads"
WHAT_IF = "what-if"
REGIONS = "regions"
ANALYSIS = "analysis"
HISTORIES = "histories"
TWO_REVISIONS = "compare"
APPROACHES = "approaches"
MEASURE = "measure"
VIEWS = "views"
REPORTS = "reports"
FEATURE_MODEL = "feature-model"
SECTIONS = {
    OVERVIEW: "Overview",
    INFLUENCES: "Influences",
    OPTIONS: "Options",
    WORKLOADS: "Workloads",
    WHAT_IF: "What-if",
    REGIONS: "Regions",
    ANALYSIS: "Analysis",
    HISTORIES: "Histories",
    TWO_REVISIONS: "Compare revisions",
    APPROACHES: "Approaches",
    MEASURE: "Measure",
    VIEWS: "Views",
    REPORTS: "Reports",
    FEATURE_MODEL: "Feature model",
}
# Pages that the navigation leaves out: other pages lead to them.
UNLISTED = frozenset({FEATURE_MODEL})


@dataclass(frozen=True, slots=True)
class Address:
    """What an address names: the list of systems (no slug), a section, or one thing of a section (its key)."""

    slug: str = ""
    section: str = OVERVIEW
    key: str = ""


def address(
    slug: str, section: str = OVERVIEW, key: str = "", lens: Lens | None = None, **settings: str
) -> str:
    """The address of a section of a system, or of one thing in it, with what is selected.

    `settings` are those of the page that it leads to; blank ones are left out.
    """
    path = f"{HOME}s/{quote(slug, safe='')}/{section}"
    if key:
        path += "/" + quote(key, safe="")
    query = (lens or Lens()).query()
    own = urlencode({name: value for name, value in settings.items() if value})
    return path + query + (("&" if query else "?") + own if own else "")


def members_address(slug: str) -> str:
    """The address of the page of a system's members, which is none of the explorer."""
    return f"/systems/{quote(slug, safe='')}/members/"


def view_address(view_id: int, name: str) -> str:
    """The permalink of a saved view: the number finds it, the name is for people and may be out of date."""
    words = "-".join(re.findall(r"\w+", name.lower()))
    return f"/views/{view_id}/{quote(words, safe='')}/" if words else f"/views/{view_id}/"


def pair_address(slug: str, before: str, after: str) -> str:
    """The address at which two revisions, by name, stand side by side."""
    return address(slug, TWO_REVISIONS, lens=Lens(since=before, revision=after))


def read_address(pathname: str | None) -> Address | None:
    """What a path names, or None where the path is of no page."""
    path = pathname or HOME
    if path.rstrip("/") == HOME.rstrip("/"):
        return Address()
    if not path.startswith(HOME + "s/"):
        return None
    # Keys hold dots, parentheses and quoted slashes: split first, unquote after.
    slug, _, rest = path.removeprefix(HOME + "s/").partition("/")
    section, _, key = rest.partition("/")
    if not slug or section not in SECTIONS:
        return None
    return Address(unquote(slug), section, unquote(key.rstrip("/")))
