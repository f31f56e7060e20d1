"""Where in the source a feature lies: the source ranges of its option."""

from dashboard.importers.errors import Faults
from dashboard.importers.feature_model.xml import Element
from dashboard.importers.feature_records import FeatureLocationRecord
from dashboard.importers.limits import LARGEST, LONGEST

_CATEGORIES = ("necessary", "inessential")


def locations_of(option: Element, feature: str, file: str, faults: Faults) -> list[FeatureLocationRecord]:
    """The locations of one feature; faulty ones are noted and left out."""
    found: list[FeatureLocationRecord] = []
    for place in option.children:
        if place.tag != "locations":
            continue
        for part in place.children:
            if part.tag != "sourceRange":
                problem = f"{part.tag} stands among the locations of {feature}"
                faults.add(file, problem, "Write a sourceRange", line=part.line)
                continue
            location = _location(part, feature, file, faults)
            if location is not None and location not in found:
                found.append(location)
    return found


def _location(part: Element, feature: str, file: str, faults: Faults) -> FeatureLocationRecord | None:
    before = faults.count
    category = part.attributes.get("category", "necessary")
    if category not in _CATEGORIES:
        remedy = f"Write {' or '.join(_CATEGORIES)}"
        faults.add(file, "the category of a sourceRange is unknown", remedy, line=part.line, value=category)
    path = _text(part, "path", LONGEST["file"], file, faults)
    if not path:
        faults.add(file, f"a sourceRange of {feature} has no path", "Name its file", line=part.line)
    first, last = _position(part, "start", file, faults), _position(part, "end", file, faults)
    if faults.count == before and last < first:
        problem = f"a sourceRange of {feature} ends before it starts"
        faults.add(file, problem, "Exchange start and end", line=part.line)
    revisions = part.child("revisionRange")
    introduced, removed = (
        ("", "")
        if revisions is None
        else (_text(revisions, tag, LONGEST["revision"], file, faults) for tag in ("introduced", "removed"))
    )
    member = _text(part, "memberOffset", LONGEST["file"], file, faults)
    if faults.count > before:
        return None
    return FeatureLocationRecord(
        feature=feature,
        file=path,
        first_line=first[0],
        first_column=first[1],
        last_line=last[0],
        last_column=last[1],
        first_revision=introduced,
        removed_in=removed,
        category="inessential" if category == "inessential" else "necessary",
        member=member,
    )


def _text(part: Element, tag: str, longest: int, file: str, faults: Faults) -> str:
    element = part.child(tag)
    if element is None:
        return ""
    if len(element.text) > longest:
        problem = f"{tag} has more than {longest} characters"
        faults.add(file, problem, "Shorten it", line=element.line, value=element.text)
    return element.text


def _position(part: Element, tag: str, file: str, faults: Faults) -> tuple[int, int]:
    """Line and column from 1; a fault is noted where they are missing or no such numbers."""
    element = part.child(tag)
    if element is None:
        faults.add(file, f"a sourceRange has no {tag}", "Write its line and column", line=part.line)
        return 0, 0
    return _count(element, "line", file, faults), _count(element, "column", file, faults)


def _count(part: Element, tag: str, file: str, faults: Faults) -> int:
    element = part.child(tag)
    text = "" if element is None else element.text
    if not (text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= LARGEST):
        line = part.line if element is None else element.line
        faults.add(
            file, f"the {tag} of {part.tag} is no number from 1", "Count from 1", line=line, value=text
        )
        return 0
    return int(text)
