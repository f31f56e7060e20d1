"""Which commits of a system are releases, and which revision a tag names."""

from contextlib import AbstractContextManager
from functools import partial

from dashboard.models import Revision, System
from dashboard.release_names import naming_releases


def release_names(system: System) -> dict[str, str]:
    """The release that each tagged revision of a system is, by the revision's name. One query."""
    tagged = Revision.objects.filter(system=system).exclude(tags="").exclude(released_in="")
    return {
        name: released_in
        for name, tags, released_in in tagged.values_list("name", "tags", "released_in")
        if released_in in tags.split()
    }


def revision_called(system: System, text: str) -> str:
    """The name of the revision with that tag; the text where it is a name itself, or no tag of any. Two queries at most."""
    if not text or Revision.objects.filter(system=system, name=text).exists():
        return text
    tagged = Revision.objects.filter(system=system, tags__contains=text).values_list("name", "tags")
    return next((name for name, tags in tagged if text in tags.split()), text)


def telling_of(system: System) -> AbstractContextManager[None]:
    """Within it texts call commits by the release that they are in this system. One query, where a commit is told."""
    return naming_releases(partial(release_names, system))
