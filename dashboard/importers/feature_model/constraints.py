"""The constraints of a feature model, and whether anything satisfies all of them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.feature_models.conditions import conditions, expression_of
from analytics.configurations.feature_models.errors import ConstraintSyntaxError, FeatureModelError
from analytics.configurations.feature_models.expressions import features_in, parse
from analytics.configurations.feature_models.features import Constraint, ConstraintKind, FeatureModel
from analytics.configurations.feature_models.folding import Folding, fold
from analytics.configurations.feature_models.polynomials import check_arithmetic
from analytics.configurations.feature_models.valid import first_contradiction, valid_configurations
from dashboard.importers.errors import Faults
from dashboard.importers.feature_model.xml import Element

KINDS: dict[str, ConstraintKind] = {
    "booleanConstraints": "boolean",
    "nonBooleanConstraints": "non-boolean",
    "mixedConstraints": "mixed",
}
_LANGUAGE = "See the reference of the format for what a constraint may hold"


@dataclass(frozen=True, slots=True)
class Placed:
    """A constraint and the line on which it stands."""

    constraint: Constraint
    line: int


def read_constraint(element: Element, section: str, file: str, faults: Faults) -> Placed | None:
    """A constraint as it is written; None where its element is empty."""
    if not element.text:
        return None
    kind = KINDS[section]
    requirement = _attribute(element, "req", ("all", "none"), file, faults)
    sign = _attribute(element, "exprKind", ("pos", "neg"), file, faults)
    if kind == "boolean":
        return Placed(Constraint(element.text), element.line)
    wanted: Literal["all", "none"] = "none" if requirement == "none" else "all"
    return Placed(Constraint(element.text, kind, wanted, sign == "neg"), element.line)


def _attribute(element: Element, name: str, known: tuple[str, ...], file: str, faults: Faults) -> str:
    """The value of an attribute, the first of `known` where there is none."""
    value = element.attributes.get(name, known[0]).strip().lower()
    if value not in known:
        faults.add(file, f"{name} is unknown", f"Write {' or '.join(known)}", line=element.line, value=value)
    return value


def check_constraints(placed: Sequence[Placed], names: Collection[str], file: str, faults: Faults) -> None:
    """Note constraints that cannot be read, and names in them that are no options."""
    known = set(names)
    for one in placed:
        text = one.constraint.text
        try:
            expression = parse(text, names)
            check_arithmetic(expression)
        except (ConstraintSyntaxError, FeatureModelError) as error:
            problem = f"the constraint cannot be read: {error}"
            faults.add(file, problem, _LANGUAGE, line=one.line, value=text)
            continue
        for name in features_in(expression):
            if name not in known:
                problem = f"the constraint names {name}, which is no option"
                faults.add(file, problem, "Add it, or correct the name", line=one.line, value=text)


def check_solvable(
    model: FeatureModel, placed: Sequence[Placed], line: int, file: str, faults: Faults
) -> None:
    """Note where the model cannot be decided, and where no configuration satisfies it."""
    try:
        folding = fold(model)
        if valid_configurations(folding).count():
            return
        contradiction = first_contradiction(folding)
    except ConfigurationError as error:
        faults.add(file, str(error), "Simplify the model", line=line)
        return
    place = next((one.line for one in placed if _is_of(contradiction, one, folding)), line)
    problem = f"no configuration is valid: nothing that the rest allows satisfies {contradiction!r}"
    faults.add(file, problem, "Correct it or what it contradicts", line=place)


def _is_of(words: str, placed: Placed, folding: Folding) -> bool:
    names = tuple(feature.name for feature in folding.model.features)
    expression = expression_of(placed.constraint, names)
    return any(one.words == words and one.expression == expression for one in conditions(folding))
