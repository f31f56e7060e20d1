"""Alternative groups: siblings of which exactly one is present wherever their parent is."""

from collections.abc import Iterable

from analytics.configurations.feature_models.features import Feature, FeatureModel

Group = tuple[Feature, ...]


def exclusions(model: FeatureModel) -> dict[str, set[str]]:
    """For each feature those that it excludes alone, or that exclude it."""
    found: dict[str, set[str]] = {feature.name: set() for feature in model.features}
    for feature in model.features:
        for entry in feature.excluded:
            if len(entry) == 1:
                found[feature.name].add(entry[0])
                found[entry[0]].add(feature.name)
    return found


def rivals(model: FeatureModel) -> dict[str, set[str]]:
    """For each binary feature that is not optional, the like siblings that exclude it or that it excludes."""
    apart = exclusions(model)
    return {
        feature.name: {
            name
            for name in apart[feature.name]
            if _may_rival(other := model.feature(name))
            and other.parent == feature.parent
            and other != feature
        }
        for feature in model.features
        if _may_rival(feature)
    }


def _may_rival(feature: Feature) -> bool:
    return not feature.optional and feature.values is None and feature.parent is not None


def alternative_groups(model: FeatureModel) -> tuple[Group, ...]:
    """All groups of siblings that are not optional and exclude each other, every one every other."""
    apart = rivals(model)
    return tuple(
        tuple(feature for feature in model.features if feature.name in component)
        for component in _components(apart)
        if len(component) > 1 and all(len(apart[name]) == len(component) - 1 for name in component)
    )


def _components(neighbours: dict[str, set[str]]) -> Iterable[frozenset[str]]:
    """The connected components, in the order of their first member."""
    seen: set[str] = set()
    for start in neighbours:
        if start in seen:
            continue
        component, waiting = {start}, [start]
        while waiting:
            fresh = neighbours[waiting.pop()] - component
            component |= fresh
            waiting.extend(fresh)
        seen |= component
        yield frozenset(component)
