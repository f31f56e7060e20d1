"""The features of a model as a tree, each with the option that it became."""

from dataclasses import dataclass

from analytics.configurations.feature_models.features import Feature
from analytics.configurations.feature_models.folding import Folding
from analytics.configurations.options import level_text


@dataclass(frozen=True, slots=True)
class FeatureRow:
    """A feature of the tree, `depth` steps below the root.

    `kind` tells how it can be chosen: root, mandatory, optional, alternative or number. `values` are those of a
    numeric feature, `option` and `level` what it became, blank where it is always present.
    """

    name: str
    depth: int
    kind: str
    values: tuple[str, ...]
    option: str
    level: str
    output: str


def feature_tree(folding: Folding) -> tuple[FeatureRow, ...]:
    """All features, each followed by those below it."""
    children = folding.model.children()
    grouped = {feature.name for members in folding.groups.values() for feature in members}
    found: list[FeatureRow] = []
    waiting = [(folding.model.features[0], 0)]
    while waiting:
        feature, depth = waiting.pop()
        found.append(_row(folding, feature, depth, alternative=feature.name in grouped))
        waiting += [(child, depth + 1) for child in reversed(children[feature.name])]
    return tuple(found)


def _row(folding: Folding, feature: Feature, depth: int, *, alternative: bool) -> FeatureRow:
    presence = folding.presences[feature.name]
    level = ""
    if presence.option is not None and feature.values is None and len(presence.levels) == 1:
        level = folding.option(presence.option).text(presence.levels[0])
    return FeatureRow(
        name=feature.name,
        depth=depth,
        kind=_kind(feature, alternative=alternative),
        values=tuple(
            level_text(int(value) if value.is_integer() else value)
            for value in map(float, feature.values or ())
        ),
        option=presence.option or "",
        level=level,
        output=feature.output,
    )


def _kind(feature: Feature, *, alternative: bool) -> str:
    if feature.parent is None:
        return "root"
    if feature.values is not None:
        return "optional number" if feature.optional else "number"
    if alternative:
        return "alternative"
    return "optional" if feature.optional else "mandatory"
