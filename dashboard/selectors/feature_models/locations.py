"""Where features lie in the source of a system."""

from dataclasses import fields

from django.db.models import Max

from dashboard.importers.feature_records import FeatureLocationRecord
from dashboard.models import FeatureLocation, RegionVersion, Revision, System
from dashboard.selectors.feature_models.valid import newest_of

_FIELDS = tuple(field.name for field in fields(FeatureLocationRecord))


def in_file(location: FeatureLocationRecord, file: str) -> bool:
    """Whether a location is of this file: one of the two may be written from a folder further down."""
    one, other = f"/{location.file.removeprefix('./')}", f"/{file.removeprefix('./')}"
    return bool(file) and (one.endswith(other) or other.endswith(one))


def locations_of(system: System, revision: str = "") -> tuple[FeatureLocationRecord, ...]:
    """The locations of features, by file and line; with `revision`, those that are valid in it."""
    row = newest_of(system)
    if row is None:
        return ()
    rows = FeatureLocation.objects.filter(feature_model=row).order_by("file", "first_line", "pk")
    held = tuple(FeatureLocationRecord(**values) for values in rows.values(*_FIELDS))
    if not revision:
        return held
    # Where each revision stands, by its name and by its commit, in whichever order it has its first position.
    places: dict[str, int] = {}
    revisions = Revision.objects.filter(system=system)
    for name, commit, position in revisions.values_list("name", "commit", "positions__position"):
        if position is not None:
            places.setdefault(name, position)
            if commit:
                places.setdefault(commit, position)
    at = places.get(revision)
    if at is None:
        return tuple(one for one in held if one.removed_in != revision)
    # Ends that the system does not know are taken as open.
    return tuple(
        one for one in held if places.get(one.first_revision, at) <= at < places.get(one.removed_in, at + 1)
    )


def located_features(system: System) -> tuple[tuple[FeatureLocationRecord, str], ...]:
    """The locations of features, each with the key of the smallest region that it lies in, or "". Three queries.

    Regions lie where the newest revision that has them says.
    """
    rows = (
        RegionVersion.objects.filter(region__system=system)
        .exclude(file="")
        .annotate(place=Max("revision__positions__position"))
        .order_by("place", "revision_id")
        .values_list("region__key", "file", "first_line", "last_line")
    )
    regions = {key: (file, first, last) for key, file, first, last in rows}
    found = []
    for one in locations_of(system):
        inside = [
            (last - first, key)
            for key, (file, first, last) in regions.items()
            if in_file(one, file) and first <= one.last_line and one.first_line <= last
        ]
        found.append((one, min(inside)[1] if inside else ""))
    return tuple(found)
