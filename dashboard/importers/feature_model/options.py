"""The options of a feature model as they are written, each with the lines that name things."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from dashboard.importers.errors import Faults
from dashboard.importers.feature_model.locations import locations_of
from dashboard.importers.feature_model.numbers import HELD, values_of
from dashboard.importers.feature_model.xml import Element
from dashboard.importers.feature_records import FeatureLocationRecord
from dashboard.importers.limits import LONGEST

MAX_REMARKS = 50
_NAME = re.compile(r'[^\s&|!()="<>+*~,;]+')
_KNOWN = frozenset(
    {
        "name",
        "outputString",
        "prefix",
        "preFix",
        "postfix",
        "postFix",
        "parent",
        "children",
        "impliedOptions",
        "excludedOptions",
        "defaultValue",
        "optional",
        "minValue",
        "maxValue",
        "values",
        "stepFunction",
        "deselectedFlag",
        "locations",
    }
)
# The tools that write these files read an entry by its text alone; some published files call it so.
_ENTRIES = frozenset({"options", "option"})


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of another option, or several of which one is meant, and the line on which it stands."""

    names: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Draft:
    """An option as its element says it; nothing of it is checked against other options."""

    name: str
    line: int
    optional: bool
    parent: Mention | None
    children: tuple[Mention, ...] = ()
    implied: tuple[Mention, ...] = ()
    excluded: tuple[Mention, ...] = ()
    values: tuple[float, ...] | None = None
    output: str = ""
    prefix: str = ""
    postfix: str = ""
    locations: tuple[FeatureLocationRecord, ...] = field(default=())


def read_option(
    option: Element, file: str, faults: Faults, remarks: list[str], *, numeric: bool, most: int = HELD
) -> Draft | None:
    """An option; None, with a fault noted, where it has no name to speak of it by."""
    name = _text(option, "name")
    if not _NAME.fullmatch(name) or name == "True" or len(name) > LONGEST["option"]:
        remedy = f"Use 1 to {LONGEST['option']} characters, none of them a space or an operator"
        problem = "an option has no name" if not name else "this is no name for an option"
        faults.add(file, problem, remedy, line=(option.child("name") or option).line, value=name)
        return None
    for part in option.children:
        if part.tag not in _KNOWN and len(remarks) < MAX_REMARKS:
            passed = f"passed over the unknown element {part.tag[:40]} of {name}"
            remarks += [f"{file}, line {part.line}: {passed}."]
    flagged = option.child("deselectedFlag") is not None
    parent = option.child("parent")
    return Draft(
        name=name,
        line=option.line,
        optional=_truth(option, file, faults) or flagged,
        parent=Mention((parent.text,), parent.line) if parent is not None and parent.text else None,
        children=tuple(_mentions(option, "children", file, faults)),
        implied=tuple(_mentions(option, "impliedOptions", file, faults)),
        excluded=tuple(_mentions(option, "excludedOptions", file, faults)),
        values=values_of(option, file, faults, most) if numeric else None,
        output=_text(option, "outputString"),
        prefix=_text(option, "prefix") or _text(option, "preFix"),
        postfix=_text(option, "postfix") or _text(option, "postFix"),
        locations=tuple(locations_of(option, name, file, faults)),
    )


def _text(option: Element, tag: str) -> str:
    element = option.child(tag)
    return "" if element is None else element.text


def _truth(option: Element, file: str, faults: Faults) -> bool:
    """Whether the option is optional; False where nothing is said."""
    element = option.child("optional")
    text = "" if element is None else element.text.lower()
    if element is not None and text not in {"true", "false", ""}:
        remedy = "Write True or False"
        faults.add(file, "optional is neither True nor False", remedy, line=element.line, value=element.text)
    return text == "true"


def _mentions(option: Element, tag: str, file: str, faults: Faults) -> Iterator[Mention]:
    """The options that one list names; an entry may name several, separated by `|`."""
    for listed in option.children:
        if listed.tag != tag:
            continue
        for entry in listed.children:
            if entry.tag not in _ENTRIES:
                faults.add(file, f"{entry.tag} stands in {tag}", "Write options", line=entry.line)
            elif entry.text:
                names = tuple(part.strip() for part in entry.text.split("|"))
                yield Mention(names, entry.line)
