"""XML from outside, read piece by piece within bounds: no entity, no document type of its own, no other file.

Expat is used directly: it names the line of everything, keeps nothing, and lets each of these be refused by itself.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, NoReturn
from xml.parsers import expat

from dashboard.importers.errors import SourceError

MAX_BYTES = 1 << 24
MAX_TEXT = 100_000  # characters of one element
MAX_ELEMENTS = 1_000_000
MAX_DEPTH = 12  # the deepest element that the format knows is the line of a source range, the seventh
_CHUNK = 1 << 16
_REMEDY = "Correct the XML here"
_NEVER = "which is never read"
_PLAIN = "Write the text itself"


@dataclass(slots=True)
class Element:
    """An element: its line, its attributes, its text, without surrounding blanks once it is read, and the elements in it."""

    tag: str
    line: int
    attributes: Mapping[str, str]
    text: str = ""
    children: list["Element"] = field(default_factory=list)

    def child(self, tag: str) -> "Element | None":
        """The first element called `tag` in this one."""
        return next((one for one in self.children if one.tag == tag), None)

    def text_of(self, tag: str) -> str:
        """The text of the first element called `tag` in this one; blank where there is none."""
        element = self.child(tag)
        return "" if element is None else element.text

    def line_of(self, tag: str) -> int:
        """The line of the first element called `tag` in this one; its own where there is none."""
        return (self.child(tag) or self).line

    def entries(self, tag: str) -> Iterator["Element"]:
        """The elements in all elements called `tag` in this one."""
        return (entry for one in self.children if one.tag == tag for entry in one.children)


# How many elements enclose an element, the tag of the section it stands in ("" for none), and the element.
Part = tuple[int, str, Element]


def read_xml(
    stream: IO[bytes], file: str, *, most: Mapping[str, int] | None = None, most_bytes: int = MAX_BYTES
) -> Iterator[Part]:
    """The parts of an XML file: the root when it opens, and each section behind the elements inside of it.

    `most` says of tags how many elements there may be. No more than the elements of one piece of the file are held at a
    time. Raises `SourceError` where it cannot be read to its end, behind the parts up to there.
    """
    reader = _XmlReader(file, most or {})
    fault: SourceError | None = None
    size = 0
    piece = b"-"
    while piece and fault is None:
        try:
            piece = stream.read(_CHUNK)
            size += len(piece)
            if size > most_bytes:
                reader.stop(f"is larger than {most_bytes >> 20} MB", "Give a smaller file")
            reader.parser.Parse(piece, not piece)
        except SourceError as error:
            fault = error
        except expat.ExpatError as error:
            words = expat.errors.messages[error.code]
            fault = SourceError(file, f"is not well-formed: {words}", _REMEDY, line=error.lineno)
        except (ValueError, LookupError) as error:  # an encoding that Python or expat does not know
            fault = SourceError(file, f"cannot be decoded ({error})", "Save it as UTF-8", line=1)
        yield from reader.parts
        reader.parts.clear()
    if fault is not None:
        raise fault


class _XmlReader:
    """The state of one parse: the elements that are open, and the `parts` that nobody has taken yet."""

    def __init__(self, file: str, most: Mapping[str, int]) -> None:
        self.parts: list[Part] = []
        self._file = file
        self._most = most
        self._counts: Counter[str] = Counter()
        self._open: list[Element] = []
        self._count = 0
        self.parser = parser = expat.ParserCreate()
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = lambda _name, _system, _public, has_subset: (
            self.stop(f"declares a document type of its own, {_NEVER}", "Remove the declarations")
            if has_subset
            else None
        )
        parser.EntityDeclHandler = lambda name, *_: self.stop(f"declares an entity, {_NEVER}", _PLAIN, name)
        parser.SkippedEntityHandler = lambda name, *_: self.stop(
            f"refers to an entity, {_NEVER}", _PLAIN, name
        )
        parser.ExternalEntityRefHandler = lambda *_: self.stop(f"refers to another file, {_NEVER}", _PLAIN)

    def stop(self, problem: str, remedy: str, value: str = "") -> NoReturn:
        """Read no further than the current line."""
        raise SourceError(self._file, problem, remedy, line=self.parser.CurrentLineNumber, value=value)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            self.stop(f"holds more than {MAX_ELEMENTS} elements", "Give a smaller model")
        self._counts[tag] += 1
        if self._counts[tag] > (most := self._most.get(tag, MAX_ELEMENTS)):
            self.stop(f"there are more than {most} elements {tag}", "Give a smaller model")
        if len(self._open) == MAX_DEPTH:
            self.stop(f"elements lie more than {MAX_DEPTH} deep in one another", _REMEDY, tag)
        if sum(map(len, attributes.values())) > MAX_TEXT:
            self.stop(f"the attributes of {tag} have more than {MAX_TEXT} characters", _REMEDY)
        element = Element(tag, self.parser.CurrentLineNumber, attributes)
        if not self._open:
            self.parts.append((0, "", element))
        self._open.append(element)

    def _end(self, _: str) -> None:
        element = self._open.pop()
        element.text = element.text.strip()
        depth = len(self._open)
        if depth > 2:
            self._open[-1].children.append(element)
        elif depth:
            self.parts.append((depth, self._open[1].tag if depth == 2 else "", element))

    def _text(self, text: str) -> None:
        if len(self._open) <= 2:
            return  # between elements: nobody reads it, and indentation grows with the file
        element = self._open[-1]
        element.text += text
        if len(element.text) > MAX_TEXT:
            self.stop(f"the text of {element.tag} has more than {MAX_TEXT} characters", _REMEDY)
