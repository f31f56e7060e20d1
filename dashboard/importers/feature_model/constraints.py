"""The constraints of a feature model: reading them, or-groups among them, and whether anything satisfies all.

An or-group asks for at least one of several optional features below one parent. SPL Conqueror writes it as
`!parent | a | b`. Files also write `a | b` alone. Taken at its word, that would make a parent that can be missing
present everywhere, and so its alternatives impossible. It is read as the group.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from analytics.configurations.errors import ConfigurationError, ConstraintSyntaxError, FeatureModelError
from analytics.configurations.feature_models.conditions import expression_of
from analytics.configurations.feature_models.expressions import features_in, parse
from analytics.configurations.feature_models.features import Constraint, ConstraintKind, FeatureModel, rivals
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.polynomials import check_arithmetic
from analytics.configurations.feature_models.valid import first_contradiction, valid_configurations
from analytics.configurations.operations import Operation
from dashboard.importers.errors import FileFaults
from dashboard.importers.feature_model.options import MAX_REMARKS, overlong_names
from dashboard.importers.xml_elements import Element

KINDS: dict[str, ConstraintKind] = {
    "booleanConstraints": "boolean",
    "nonBooleanConstraints": "non-boolean",
    "mixedConstraints": "mixed",
}
_LANGUAGE = "See the reference of the format for what a constraint may hold"
# A constraint and the line on which it stands.
LocatedConstraint = tuple[Constraint, int]


def read_constraint(element: Element, section: str, faults: FileFaults) -> list[LocatedConstraint]:
    """The constraint of an element as it is written; none where it is empty."""
    if not element.text:
        return []
    written = {}
    for name, known in (("req", ("all", "none")), ("exprKind", ("pos", "neg"))):
        value = written[name] = element.attributes.get(name, known[0]).strip().lower()
        if value not in known:
            remedy = f"Write {' or '.join(known)}"
            faults.add(f"{name} is unknown", remedy, line=element.line, value=value)
    constraint = Constraint(element.text)
    if KINDS[section] != "boolean":
        wanted: Literal["all", "none"] = "none" if written["req"] == "none" else "all"
        constraint = Constraint(element.text, KINDS[section], wanted, written["exprKind"] == "neg")
    return [(constraint, element.line)]


def check_constraints(
    constraints: Sequence[LocatedConstraint], names: Collection[str], faults: FileFaults
) -> None:
    """Note constraints that cannot be read, and names in them that are no options."""
    known = set(names)
    for constraint, line in constraints:
        text = constraint.text
        try:
            expression = parse(text, names)
            check_arithmetic(expression)
        except (ConstraintSyntaxError, FeatureModelError) as error:
            faults.add(f"the constraint cannot be read: {error}", _LANGUAGE, line=line, value=text)
            continue
        for name in features_in(expression):
            if name not in known:
                problem = f"the constraint names {name}, which is no option"
                faults.add(problem, "Add it, or correct the name", line=line, value=text)


def check_solvable(
    model: FeatureModel, constraints: Sequence[LocatedConstraint], line: int, faults: FileFaults
) -> None:
    """Note where the model cannot be decided or stored, and where no configuration satisfies it."""
    try:
        folding = fold(model)
        for name in overlong_names(folding.space):
            faults.add("a name is too long", "Shorten it", line=line, value=name)
        if valid_configurations(folding).count():
            return
        contradiction = first_contradiction(folding)
    except ConfigurationError as error:
        faults.add(str(error), "Simplify the model", line=line)
        return
    names = tuple(feature.name for feature in model.features)
    lines = (own for one, own in constraints if expression_of(one, names) == contradiction.expression)
    problem = f"no configuration is valid: nothing that the rest allows satisfies {contradiction.words!r}"
    faults.add(problem, "Correct it or what it contradicts", line=next(lines, line))


def with_or_groups(
    model: FeatureModel, constraints: Sequence[LocatedConstraint], faults: FileFaults
) -> list[LocatedConstraint]:
    """The constraints, where an or-group below a parent that can be missing asks only where that is present.

    Each such reading adds a remark with the line of the constraint, up to `MAX_REMARKS`.
    """
    alternatives = {name for name, others in rivals(model).items() if others}
    found = []
    for constraint, line in constraints:
        parent = _parent_of_group(constraint, model)
        # The tree alone lets a configuration leave the parent out where it, or what it stands below, is a choice.
        above = None if parent is None else model.feature(parent)
        while above is not None and not (above.optional or above.name in alternatives):
            above = None if above.parent is None else model.feature(above.parent)
        if parent is None or above is None or above.parent is None:
            found.append((constraint, line))
            continue
        found.append((replace(constraint, text=f"!{parent} | {constraint.text}"), line))
        if len(faults.all.remarks) < MAX_REMARKS:
            faults.all.remarks.append(
                f"{faults.file}, line {line}: read {constraint.text!r} as asked only where {parent} is chosen; "
                f"taken alone it would ask for {parent} everywhere."
            )
    return found


def _parent_of_group(constraint: Constraint, model: FeatureModel) -> str | None:
    """The parent of the optional features of which `constraint` asks for at least one, None if it is no such group."""
    if constraint.kind != "boolean" or "|" not in constraint.text:
        return None
    expression = parse(constraint.text, [feature.name for feature in model.features])
    if not isinstance(expression, Operation) or expression.operator != "|":
        return None
    members = [model.feature(part) for part in expression.parts if isinstance(part, str)]
    if len(members) < len(expression.parts) or not all(member.optional for member in members):
        return None
    parents = {member.parent for member in members}
    return parents.pop() if len(parents) == 1 else None
