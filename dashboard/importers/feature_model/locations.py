"""Where in the source a feature lies: the source ranges of its option."""

from dashboard.importers.errors import FileFaults
from dashboard.importers.feature_records import FeatureLocationRecord
from dashboard.importers.limits import LARGEST, LONGEST
from dashboard.importers.xml_elements import Element

_CATEGORIES = ("necessary", "inessential")


def locations_of(option: Element, feature: str, faults: FileFaults) -> tuple[FeatureLocationRecord, ...]:
    """The locations of one feature; faulty ones are noted and left out."""
    found: dict[FeatureLocationRecord, None] = {}
    for listed in option.children:
        for part in listed.children if listed.tag == "locations" else ():
            if part.tag != "sourceRange":
                problem = f"{part.tag} stands among the locations of {feature}"
                faults.add(problem, "Write a sourceRange", line=part.line)
                continue
            location = _location(part, feature, faults)
            if location is not None:
                found[location] = None
    return tuple(found)


def _location(part: Element, feature: str, faults: FileFaults) -> FeatureLocationRecord | None:
    before = faults.count
    category = part.attributes.get("category", "necessary")
    if category not in _CATEGORIES:
        remedy = f"Write {' or '.join(_CATEGORIES)}"
        faults.add("the category of a sourceRange is unknown", remedy, line=part.line, value=category)
    path = _text(part, "path", LONGEST["file"], faults)
    if not path:
        faults.add(f"a sourceRange of {feature} has no path", "Name its file", line=part.line)
    first, last = _position(part, "start", faults), _position(part, "end", faults)
    if faults.count == before and last < first:
        problem = f"a sourceRange of {feature} ends before it starts"
        faults.add(problem, "Exchange start and end", line=part.line)
    revisions = part.child("revisionRange") or Element("revisionRange", part.line, {})
    introduced, removed = (
        _text(revisions, tag, LONGEST["revision"], faults) for tag in ("introduced", "removed")
    )
    member = _text(part, "memberOffset", LONGEST["file"], faults)
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


def _text(part: Element, tag: str, longest: int, faults: FileFaults) -> str:
    element = part.child(tag)
    if element is not None and len(element.text) > longest:
        problem = f"{tag} has more than {longest} characters"
        faults.add(problem, "Shorten it", line=element.line, value=element.text)
    return part.text_of(tag)


def _position(part: Element, tag: str, faults: FileFaults) -> tuple[int, int]:
    """Line and column from 1; a fault is noted where they are missing or no such numbers."""
    element = part.child(tag)
    if element is None:
        faults.add(f"a sourceRange has no {tag}", "Write its line and column", line=part.line)
        return 0, 0
    return _count(element, "line", faults), _count(element, "column", faults)


def _count(part: Element, tag: str, faults: FileFaults) -> int:
    text = part.text_of(tag)
    if not (text.isascii() and text.isdecimal() and len(text) < 11 and 1 <= int(text) <= LARGEST):
        line = (part.child(tag) or part).line
        faults.add(f"the {tag} of {part.tag} is no number from 1", "Count from 1", line=line, value=text)
        return 0
    return int(text)
