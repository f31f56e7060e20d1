"""Revisions in an order, as the selectors hand them out: frozen rows, free of Django."""

from dataclasses import dataclass, field
from datetime import datetime

from analytics.histories.code_versions import CodeVersions, code_versions


@dataclass(frozen=True, slots=True)
class RevisionPlace:
    """A revision at its place in the order; equal `content` is the same code, "" where it is not known.

    `changed_lines` counts the lines of code that it changed, None where that is not known. `author` is the name of who
    wrote it, "" where that is not known. `base` names the revision that its branch left, "" for one in the order: an unmerged one
    has the position of its base. `branch` is its branch where this machine can build it as the newest commit of that.
    `tags` are the names that its commit was given, with blanks between, `released_in` is the first release that holds it.
    """

    revision_id: int
    name: str
    position: int
    commit: str
    message: str
    released_at: datetime | None
    content: str = ""
    changed_lines: int | None = None
    author: str = ""
    tags: str = ""
    released_in: str = ""
    base: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class OrderedRevisions:
    """The revisions of a system in one named order; `released_until` is the last position that a known release holds."""

    name: str
    revisions: tuple[RevisionPlace, ...]
    released_until: int | None = field(init=False)

    def __post_init__(self) -> None:
        held = (place.position for place in reversed(self.revisions) if place.released_in)
        object.__setattr__(self, "released_until", next(held, None))

    @property
    def names(self) -> dict[int, str]:
        """The names of the revisions by position."""
        return {place.position: place.name for place in self.revisions}

    @property
    def versions(self) -> CodeVersions:
        """The code versions of the order. Read it once: it takes a while for thousands of revisions."""
        return code_versions(
            tuple(place.position for place in self.revisions),
            tuple(place.content for place in self.revisions),
            tuple(place.changed_lines for place in self.revisions),
        )

    @property
    def codes(self) -> dict[str, int]:
        """The first version that holds a revision's code, by the revision's name: equal code has an equal number."""
        versions = self.versions
        first: dict[int, int] = {}
        for version, group in versions.groups.items():
            first[group] = min(first.get(group, version), version)
        return {
            place.name: first[versions.groups[version]] if version in versions.groups else version
            for place in self.revisions
            for version in (versions.version_at[place.position],)
        }
