"""Where features lie in the source of a system."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dashboard.models import FeatureLocation, Revision, System
from dashboard.selectors.feature_models.valid import newest_of


@dataclass(frozen=True, slots=True)
class LocationRow:
    """A source range of a feature; `region` is the key of a region that it lies in, or blank.

    It is valid from `first_revision` on, up to but without `removed_in`; both may be blank.
    """

    feature: str
    file: str
    first_line: int
    last_line: int
    first_revision: str
    removed_in: str
    category: str
    region: str = ""


def locations_in(system: System, revision: str, file: str) -> tuple[LocationRow, ...]:
    """The locations in a file of a revision; three queries at most."""
    return tuple(one for one in locations_of(system, revision) if in_file(one, file))


def features_at(locations: tuple[LocationRow, ...], line: int) -> tuple[str, ...]:
    """The features that a line belongs to, by locations of its file."""
    return tuple(dict.fromkeys(one.feature for one in locations if one.first_line <= line <= one.last_line))


def in_file(location: LocationRow, file: str) -> bool:
    """Whether a location is of this file: one of the two may be written from a folder further down."""
    one, other = f"/{location.file.removeprefix('./')}", f"/{file.removeprefix('./')}"
    return bool(file) and (one.endswith(other) or other.endswith(one))


def locations_of(system: System, revision: str = "") -> tuple[LocationRow, ...]:
    """The locations of features, by file and line; with `revision`, those that are valid in it."""
    row = newest_of(system)
    if row is None:
        return ()
    held = FeatureLocation.objects.filter(feature_model=row).order_by("file", "first_line", "pk")
    places = _places(system) if revision else {}
    return tuple(
        LocationRow(
            one.feature,
            one.file,
            one.first_line,
            one.last_line,
            one.first_revision,
            one.removed_in,
            one.category,
        )
        for one in held
        if not revision or _holds(one, revision, places)
    )


def _places(system: System) -> dict[str, int]:
    """The position of each revision by its name and by its commit, in whichever order it has its first one."""
    found: dict[str, int] = {}
    rows = Revision.objects.filter(system=system).values_list("name", "commit", "positions__position")
    for name, commit, position in rows:
        if position is not None:
            found.setdefault(name, position)
            if commit:
                found.setdefault(commit, position)
    return found


def _holds(one: FeatureLocation, revision: str, places: Mapping[str, int]) -> bool:
    """Whether a location is valid in a revision; ends that the system does not know are taken as open."""
    at = places.get(revision)
    if at is None:
        return revision != one.removed_in
    first, end = places.get(one.first_revision), places.get(one.removed_in)
    return (first is None or first <= at) and (end is None or at < end)


def with_regions(
    rows: tuple[LocationRow, ...], regions: Mapping[str, tuple[str, int, int]]
) -> tuple[LocationRow, ...]:
    """`rows` with the smallest region that each lies in; `regions` are files with first and last lines by key."""
    found = []
    for row in rows:
        inside = [
            (last - first, key)
            for key, (file, first, last) in regions.items()
            if in_file(row, file) and first <= row.last_line and row.first_line <= last
        ]
        found.append(replace(row, region=min(inside)[1]) if inside else row)
    return tuple(found)
