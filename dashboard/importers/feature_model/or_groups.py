"""Or-groups: a constraint that asks for at least one of several optional features below one parent.

SPL Conqueror writes such a group as `!parent | a | b`. Files also write `a | b` alone. Taken at its word, that would
make a parent that can be missing present everywhere, and so its alternatives impossible. It is read as the group.
"""

from collections.abc import Sequence
from dataclasses import replace

from analytics.configurations.feature_models.expressions import Named, Operation, parse
from analytics.configurations.feature_models.features import FeatureModel
from analytics.configurations.feature_models.groups import rivals
from dashboard.importers.feature_model.constraints import Placed
from dashboard.importers.feature_model.options import MAX_REMARKS


def with_or_groups(
    model: FeatureModel, placed: Sequence[Placed], file: str, remarks: list[str]
) -> list[Placed]:
    """`placed`, in order, where an or-group below a parent that can be missing asks only where that is present.

    Each such reading adds a remark with the line of the constraint, up to `MAX_REMARKS`.
    """
    alternatives = {name for name, others in rivals(model).items() if others}
    found = []
    for one in placed:
        parent = _parent_of_group(one, model)
        if parent is None or not _can_be_missing(parent, model, alternatives):
            found.append(one)
            continue
        text = f"!{parent} | {one.constraint.text}"
        found.append(replace(one, constraint=replace(one.constraint, text=text)))
        if len(remarks) < MAX_REMARKS:
            remarks.append(
                f"{file}, line {one.line}: read {one.constraint.text!r} as asked only where {parent} is chosen; "
                f"taken alone it would ask for {parent} everywhere."
            )
    return found


def _parent_of_group(placed: Placed, model: FeatureModel) -> str | None:
    """The parent of the optional features of which `placed` asks for at least one, None if it is no such group."""
    text = placed.constraint.text
    if placed.constraint.kind != "boolean" or "|" not in text:
        return None
    expression = parse(text, [feature.name for feature in model.features])
    if not isinstance(expression, Operation) or expression.operator != "|":
        return None
    members = [model.feature(part.feature) for part in expression.parts if isinstance(part, Named)]
    if len(members) < len(expression.parts) or not all(member.optional for member in members):
        return None
    parents = {member.parent for member in members}
    return parents.pop() if len(parents) == 1 else None


def _can_be_missing(name: str, model: FeatureModel, alternatives: set[str]) -> bool:
    """Whether the tree alone lets a configuration leave out `name`."""
    feature = model.feature(name)
    while feature.parent is not None:
        if feature.optional or feature.name in alternatives:
            return True
        feature = model.feature(feature.parent)
    return False
