"""The options of a feature model as they are written, each with the lines that name things."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from analytics.configurations.feature_models.features import Feature, Names
from analytics.configurations.options import OptionSpace
from dashboard.importers.errors import FileFaults
from dashboard.importers.feature_model.locations import locations_of
from dashboard.importers.feature_model.values import HELD, values_of
from dashboard.importers.feature_records import FeatureLocationRecord
from dashboard.importers.limits import LONGEST
from dashboard.importers.xml_elements import Element

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


# Names of other options, of which one is meant, and the line on which they stand.
Mention = tuple[Names, int]


@dataclass(frozen=True, slots=True)
class OptionDraft:
    """An option as its element says it; nothing of it is checked against other options.

    Its feature has the parent that it names itself, on `parent_line`.
    """

    feature: Feature
    line: int
    parent_line: int
    children: tuple[Mention, ...]
    implied: tuple[Mention, ...]
    excluded: tuple[Mention, ...]
    locations: tuple[FeatureLocationRecord, ...]


def read_option(
    option: Element, faults: FileFaults, *, numeric: bool, most: int = HELD
) -> OptionDraft | None:
    """An option; None, with a fault noted, where it has no name to speak of it by."""
    name = option.text_of("name")
    if not _NAME.fullmatch(name) or name == "True" or len(name) > LONGEST["option"]:
        remedy = f"Use 1 to {LONGEST['option']} characters, none of them a space or an operator"
        problem = "an option has no name" if not name else "this is no name for an option"
        faults.add(problem, remedy, line=(option.child("name") or option).line, value=name)
        return None
    for part in option.children:
        if part.tag not in _KNOWN:
            remark_unknown(part, f"of {name}", faults)
    optional = option.child("optional")
    if optional is not None and optional.text.lower() not in {"true", "false", ""}:
        problem, remedy = "optional is neither True nor False", "Write True or False"
        faults.add(problem, remedy, line=optional.line, value=optional.text)
    parent = option.child("parent")
    children, implied, excluded = (
        tuple(_mentions(option, tag, faults)) for tag in ("children", "impliedOptions", "excludedOptions")
    )
    feature = Feature(
        name,
        option.text_of("parent") or None,
        optional=option.text_of("optional").lower() == "true" or option.child("deselectedFlag") is not None,
        implied=tuple(names for names, _ in implied),
        excluded=tuple(names for names, _ in excluded),
        values=values_of(option, faults, most) if numeric else None,
        output=option.text_of("outputString"),
        prefix=option.text_of("prefix") or option.text_of("preFix"),
        postfix=option.text_of("postfix") or option.text_of("postFix"),
    )
    parent_line = option.line if parent is None else parent.line
    locations = locations_of(option, name, faults)
    return OptionDraft(feature, option.line, parent_line, children, implied, excluded, locations)


def remark_unknown(element: Element, where: str, faults: FileFaults) -> None:
    """Remark that an element is passed over, unless there are many remarks already."""
    if len(faults.all.remarks) < MAX_REMARKS:
        passed = f"passed over the unknown element {element.tag[:40]} {where}"
        faults.all.remarks.append(f"{faults.file}, line {element.line}: {passed}.")


def overlong_names(space: OptionSpace) -> tuple[str, ...]:
    """The names of options and levels that are too long to be stored."""
    names = (
        name
        for option in space.options
        for name in (option.name, *(option.text(index) for index in range(len(option.levels))))
    )
    return tuple(name for name in names if len(name) > LONGEST["level"])


def _mentions(option: Element, tag: str, faults: FileFaults) -> Iterator[Mention]:
    """The options that one list names; an entry may name several, separated by `|`."""
    for listed in option.children:
        for entry in listed.children if listed.tag == tag else ():
            if entry.tag not in _ENTRIES:
                faults.add(f"{entry.tag} stands in {tag}", "Write options", line=entry.line)
            elif entry.text:
                yield tuple(part.strip() for part in entry.text.split("|")), entry.line
