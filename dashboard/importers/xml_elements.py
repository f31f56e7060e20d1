"""XML from outside, read piece by piece within bounds: no entity, no document type of its own, no other file.

Expat is used directly: it names the line of everything, keeps nothing, and lets each of these be refused by itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import IO, NoReturn
from xml.parsers import expat

from dashboard.importers.errors import FileFaults, SourceError

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
    """An element that is being read: its line, its attributes, its text and the elements in it."""

    tag: str
    line: int
    attributes: Mapping[str, str]
    parts: list[str] = field(default_factory=list)
    children: list["Element"] = field(default_factory=list)
    characters: int = 0

    @property
    def text(self) -> str:
        """The text without surrounding blanks."""
        return "".join(self.parts).strip()

    def child(self, tag: str) -> "Element | None":
        """The first element called `tag` in this one."""
        return next((one for one in self.children if one.tag == tag), None)

    def text_of(self, tag: str) -> str:
        """The text of the first element called `tag` in this one; blank where there is none."""
        element = self.child(tag)
        return "" if element is None else element.text


Taker = Callable[[Element], None]


class _Stop(Exception):
    """Nothing further can be read; the fault is noted."""


def read_xml(
    stream: IO[bytes],
    faults: FileFaults,
    *,
    opened: Taker,
    closed: Callable[[str, Element], None],
    ended: Taker = lambda _: None,
    most_bytes: int = MAX_BYTES,
) -> bool:
    """Hand out the parts of an XML file; False, with a fault noted, where it cannot be read to its end.

    `opened` takes the root when it opens, `closed` each element inside of a section with the section's tag, `ended` each
    section; no more than one element below a section is held at a time. Raises what `stream` raises.
    """
    reader = _XmlReader(faults, opened, closed, ended)
    size = 0
    try:
        while piece := stream.read(_CHUNK):
            size += len(piece)
            if size > most_bytes:
                reader.stop(f"is larger than {most_bytes >> 20} MB", "Give a smaller file")
            reader.parser.Parse(piece, False)
        reader.parser.Parse(b"", True)
    except _Stop:
        return False
    except expat.ExpatError as error:
        words = expat.errors.messages[error.code]
        faults.add(f"is not well-formed: {words}", _REMEDY, line=error.lineno)
        return False
    except SourceError as error:
        faults.all.add_fault(error.fault)
        return False
    except (ValueError, LookupError) as error:  # an encoding that Python or expat does not know
        faults.add(f"cannot be decoded ({error})", "Save it as UTF-8", line=1)
        return False
    return True


class _XmlReader:
    """The state of one parse: the elements that are open."""

    def __init__(
        self, faults: FileFaults, opened: Taker, closed: Callable[[str, Element], None], ended: Taker
    ) -> None:
        self._faults = faults
        self._opened = opened
        self._closed = closed
        self._ended = ended
        self._open: list[Element] = []
        self._count = 0
        self.parser = parser = expat.ParserCreate()
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = lambda name, *_: self.stop(f"declares an entity, {_NEVER}", _PLAIN, name)
        parser.SkippedEntityHandler = lambda name, *_: self.stop(
            f"refers to an entity, {_NEVER}", _PLAIN, name
        )
        parser.ExternalEntityRefHandler = lambda *_: self.stop(f"refers to another file, {_NEVER}", _PLAIN)

    def stop(self, problem: str, remedy: str, value: str = "") -> NoReturn:
        """Note a fault at the current line and read no further."""
        self._faults.add(problem, remedy, line=self.parser.CurrentLineNumber, value=value)
        raise _Stop

    def _doctype(self, _name: str, _system: str | None, _public: str | None, has_subset: int) -> None:
        if has_subset:
            self.stop(f"declares a document type of its own, {_NEVER}", "Remove the declarations")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            self.stop(f"holds more than {MAX_ELEMENTS} elements", "Give a smaller model")
        if len(self._open) == MAX_DEPTH:
            self.stop(f"elements lie more than {MAX_DEPTH} deep in one another", _REMEDY, tag)
        if sum(map(len, attributes.values())) > MAX_TEXT:
            self.stop(f"the attributes of {tag} have more than {MAX_TEXT} characters", _REMEDY)
        element = Element(tag, self.parser.CurrentLineNumber, attributes)
        if not self._open:
            self._opened(element)
        self._open.append(element)

    def _end(self, _: str) -> None:
        element = self._open.pop()
        if len(self._open) == 1:
            self._ended(element)
        elif len(self._open) == 2:
            self._closed(self._open[1].tag, element)
        elif len(self._open) > 2:
            self._open[-1].children.append(element)

    def _text(self, text: str) -> None:
        if len(self._open) <= 2:
            return  # between elements: nobody reads it, and indentation grows with the file
        element = self._open[-1]
        element.characters += len(text)
        if element.characters > MAX_TEXT:
            self.stop(f"the text of {element.tag} has more than {MAX_TEXT} characters", _REMEDY)
        element.parts.append(text)
