"""The feature model of a system: its valid configurations, what one violates, and where features lie."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from analytics.configurations.feature_models.conditions import Condition, conditions, violated
from analytics.configurations.feature_models.diagrams import DecidedConfigurations
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.feature_models.valid import own_levels
from analytics.configurations.feature_models.valid import valid_configurations as decide
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.unconstrained import Unconstrained
from analytics.configurations.validity import ValidConfigurations
from dashboard.access import Principal, require
from dashboard.importers.feature_payload import model_of
from dashboard.models import Batch, FeatureLocation, Revision, StoredFeatureModel, System
from dashboard.selectors.configurations import chosen
from dashboard.selectors.feature_models.rows import LocationRow, Violation
from dashboard.selectors.option_spaces import options_of

_KEPT = 16  # models whose decision diagrams stay in memory


@dataclass(frozen=True, slots=True)
class OpenFeatureModel:
    """A feature model that is ready for questions; `valid` is over the options of the system."""

    row: StoredFeatureModel
    folding: Folding
    conditions: tuple[Condition, ...]
    valid: DecidedConfigurations


def newest_of(system: System) -> StoredFeatureModel | None:
    """The feature model that holds for a system; one query. For selectors, behind their check."""
    held = StoredFeatureModel.objects.filter(system=system, batch__state=Batch.State.VISIBLE)
    return held.order_by("-batch_id").first()


def get_feature_model(*, principal: Principal, slug: str) -> OpenFeatureModel | None:
    """The feature model of a system, None where it has none. Two or three queries. Raises `NotFound`."""
    return feature_model_of(require(principal, slug))


def feature_model_of(system: System) -> OpenFeatureModel | None:
    """The feature model of a system, None where it has none. Two or three queries."""
    row = newest_of(system)
    return None if row is None else _opened(row, options_of(system))


def valid_configurations(system: System) -> ValidConfigurations:
    """The valid configurations of a system: all of them where it has no feature model."""
    space = options_of(system)
    row = newest_of(system)
    return Unconstrained(space) if row is None else _opened(row, space).valid


def violation(
    *, principal: Principal, slug: str, levels: Mapping[str, str], fixed: frozenset[str] = frozenset()
) -> Violation | None:
    """What the configuration with these levels by option violates; None where it is valid or nothing is known.

    Options that are not named are at their reference level; those of `fixed` keep their level in the nearest valid
    configuration. Raises `NotFound`.
    """
    opened = get_feature_model(principal=principal, slug=slug)
    if opened is None:
        return None
    space = opened.valid.space
    row = np.array(
        [
            option.index_of_text(levels[option.name]) if option.name in levels else 0
            for option in space.options
        ],
        dtype=np.int8,
    )
    if opened.valid.allows(row[np.newaxis])[0]:
        return None
    kept = {space.position(name): int(row[space.position(name)]) for name in fixed if name in space.names}
    nearest = opened.valid.nearest(row, kept)
    return Violation(
        conditions=_violated(opened, row),
        nearest=None if nearest is None else chosen(space, nearest, np.ones(len(nearest), dtype=bool)),
        changes=()
        if nearest is None
        else tuple(
            (space.options[place].name, space.options[place].text(int(nearest[place])))
            for place in np.flatnonzero(nearest != row)
        ),
    )


def locations_of(*, principal: Principal, slug: str, revision: str = "") -> tuple[LocationRow, ...]:
    """The locations of features, by file and line; with `revision`, those that are valid in it. Raises `NotFound`."""
    return _locations(require(principal, slug), revision)


def locations_in(system: System, revision: str, file: str) -> tuple[LocationRow, ...]:
    """The locations in a file of a revision; three queries at most. For selectors, behind their check."""
    return tuple(one for one in _locations(system, revision) if in_file(one, file))


def features_at(locations: tuple[LocationRow, ...], line: int) -> tuple[str, ...]:
    """The features that a line belongs to, by locations of its file."""
    return tuple(dict.fromkeys(one.feature for one in locations if one.first_line <= line <= one.last_line))


def in_file(location: LocationRow, file: str) -> bool:
    """Whether a location is of this file: one of the two may be written from a folder further down."""
    one, other = f"/{location.file.removeprefix('./')}", f"/{file.removeprefix('./')}"
    return bool(file) and (one.endswith(other) or other.endswith(one))


def _locations(system: System, revision: str) -> tuple[LocationRow, ...]:
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


def _opened(row: StoredFeatureModel, space: OptionSpace) -> OpenFeatureModel:
    folding, asked, valid = _decided(json.dumps(row.payload, sort_keys=True), space)
    return OpenFeatureModel(row, folding, asked, valid)


@lru_cache(maxsize=_KEPT)
def _decided(
    payload: str, space: OptionSpace
) -> tuple[Folding, tuple[Condition, ...], DecidedConfigurations]:
    folding = fold(model_of(json.loads(payload)))
    return folding, conditions(folding), decide(folding, space)


def _violated(opened: OpenFeatureModel, row: IntArray) -> tuple[str, ...]:
    """The conditions that a configuration of the system's options violates, in words."""
    space, own = opened.valid.space, opened.folding.space
    configuration = own.reference
    for place, option in enumerate(own.options):
        target = space.options[space.position(option.name)]
        at = int(row[space.position(option.name)])
        level = own_levels(option, target)[at]
        if level is None:
            return (f"{option.name} has no level {target.text(at)} in the feature model",)
        configuration[place] = level
    return tuple(one.words for one in violated(opened.folding, opened.conditions, configuration))


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
