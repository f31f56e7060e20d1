"""The options of a feature model as they are written, with the source ranges that belong to each."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analytics.configurations.feature_models.features import Feature, Names
from analytics.configurations.options import OptionSpace
from dashboard.importers.errors import FileFaults
from dashboard.importers.feature_model.values import HELD, Measured, values_of
from dashboard.importers.feature_records import FeatureLocationRecord
from dashboard.importers.limits import LARGEST, LONGEST
from dashboard.importers.xml_elements import Element

MAX_REMARKS = 50
_NAME = re.compile(r'[^\s&|!()="<>+*~,;]+')
_MENTIONS = ("children", "impliedOptions", "excludedOptions")
_KNOWN = frozenset(_MENTIONS) | {
    "name", "outputString", "prefix", "preFix", "postfix", "postFix", "parent", "defaultValue", "optional",
    "minValue", "maxValue", "values", "stepFunction", "deselectedFlag", "locations",
}  # fmt: skip
# The tools that write these files read an entry by its text alone; some published files call it so.
_ENTRIES = frozenset({"options", "option"})
_CATEGORIES = ("necessary", "inessential")


class OptionElement(NamedTuple):
    """An option as a feature whose parent is as written, the element that it was read from, and its source ranges."""

    feature: Feature
    element: Element
    locations: Sequence[FeatureLocationRecord]


def read_option(
    option: Element, faults: FileFaults, *, numeric: bool, most: int = HELD, measured: Measured | None = None
) -> list[OptionElement]:
    """The option of an element; none, with a fault noted, where it has no name to speak of it by."""
    name = option.text_of("name")
    if not _NAME.fullmatch(name) or name == "True" or len(name) > LONGEST["option"]:
        remedy = f"Use 1 to {LONGEST['option']} characters, none of them a space or an operator"
        problem = "an option has no name" if not name else "this is no name for an option"
        faults.add(problem, remedy, line=option.line_of("name"), value=name)
        return []
    for part in option.children:
        if part.tag not in _KNOWN:
            remark_unknown(part, f"of {name}", faults)
    optional = option.text_of("optional")
    if optional.lower() not in {"true", "false", ""}:
        problem, remedy = "optional is neither True nor False", "Write True or False"
        faults.add(problem, remedy, line=option.line_of("optional"), value=optional)
    for tag in _MENTIONS:
        for entry in option.entries(tag):
            if entry.tag not in _ENTRIES:
                faults.add(f"{entry.tag} stands in {tag}", "Write options", line=entry.line)
    feature = Feature(
        name,
        option.text_of("parent") or None,
        optional=optional.lower() == "true" or option.child("deselectedFlag") is not None,
        implied=tuple(names for names, _ in mentions(option, "impliedOptions")),
        excluded=tuple(names for names, _ in mentions(option, "excludedOptions")),
        values=values_of(option, faults, most, measured) if numeric else None,
        output=option.text_of("outputString"),
        prefix=option.text_of("prefix") or option.text_of("preFix"),
        postfix=option.text_of("postfix") or option.text_of("postFix"),
    )
    return [OptionElement(feature, option, _locations(option, name, faults))]


def mentions(option: Element, tag: str) -> Iterator[tuple[Names, int]]:
    """The options that one list of an option names, each entry with its line; `|` separates those of which one is meant."""
    for entry in option.entries(tag):
        if entry.tag in _ENTRIES and entry.text:
            yield tuple(part.strip() for part in entry.text.split("|")), entry.line


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


def _locations(option: Element, feature: str, faults: FileFaults) -> Sequence[FeatureLocationRecord]:
    """Where in the source a feature lies: the source ranges of its option; faulty ones are noted and left out."""
    found: dict[FeatureLocationRecord, None] = {}
    for part in option.entries("locations"):
        if part.tag != "sourceRange":
            problem = f"{part.tag} stands among the locations of {feature}"
            faults.add(problem, "Write a sourceRange", line=part.line)
        elif (location := _location(part, feature, faults)) is not None:
            found[location] = None
    return list(found)


def _location(part: Element, feature: str, faults: FileFaults) -> FeatureLocationRecord | None:
    before = faults.count
    category = part.attributes.get("category", "necessary")
    if category not in _CATEGORIES:
        remedy = f"Write {' or '.join(_CATEGORIES)}"
        faults.add("the category of a sourceRange is unknown", remedy, line=part.line, value=category)

    def text(element: Element, tag: str, longest: int) -> str:
        written = element.text_of(tag)
        if len(written) > longest:
            problem = f"{tag} has more than {longest} characters"
            faults.add(problem, "Shorten it", line=element.line_of(tag), value=written)
        return written

    path = text(part, "path", LONGEST["file"])
    if not path:
        faults.add(f"a sourceRange of {feature} has no path", "Name its file", line=part.line)
    (first_line, first_column), (last_line, last_column) = (
        _position(part, tag, faults) for tag in ("start", "end")
    )
    if faults.count == before and (last_line, last_column) < (first_line, first_column):
        problem = f"a sourceRange of {feature} ends before it starts"
        faults.add(problem, "Exchange start and end", line=part.line)
    revisions = part.child("revisionRange") or Element("revisionRange", part.line, {})
    introduced, removed = (text(revisions, tag, LONGEST["revision"]) for tag in ("introduced", "removed"))
    member = text(part, "memberOffset", LONGEST["file"])
    if faults.count > before:
        return None
    return FeatureLocationRecord(
        feature=feature,
        file=path,
        first_line=first_line,
        first_column=first_column,
        last_line=last_line,
        last_column=last_column,
        first_revision=introduced,
        removed_in=removed,
        category="inessential" if category == "inessential" else "necessary",
        member=member,
    )


def _position(part: Element, tag: str, faults: FileFaults) -> tuple[int, int]:
    """Line and column from 1; a fault is noted where they are missing or no such numbers."""
    end = part.child(tag)
    if end is None:
        faults.add(f"a sourceRange has no {tag}", "Write its line and column", line=part.line)
        return 0, 0
    numbers = []
    for count in ("line", "column"):
        text = end.text_of(count)
        if text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= LARGEST:
            numbers.append(int(text))
        else:
            problem = f"the {count} of {tag} is no number from 1"
            faults.add(problem, "Count from 1", line=end.line_of(count), value=text)
    return (numbers[0], numbers[1]) if len(numbers) > 1 else (0, 0)
