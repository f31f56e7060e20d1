"""The text of a trace as JSON can be read from it: without lines of the tracer, and closed at its end."""

import re
from typing import IO

from dashboard.importers.errors import SourceError

# What a tracer writes into its output when it cannot follow. No string of JSON holds a line break, so what ends
# with one stands outside of strings.
_LOST = re.compile(rb"Lost (\d{1,18}) events[ \t]{0,8}\r?\n")
_LOST_LAST = re.compile(rb"Lost (\d{1,18}) events\s*\Z")
# Python refuses to read such a number, and the parser written in C does not survive that.
_TOO_LONG = re.compile(rb"\d{400}")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_HELD = 4096  # longer than any such line
_MAX_EVENT = 64 << 20


class TraceText:
    """A stream of bytes for a JSON parser, which reads it piece by piece.

    `is_array` tells the array form, whose closing bracket may be missing, from the object form. `lost` counts the
    events that the tracer says it lost. Reading raises `SourceError` for absurd numbers, and where 64 MB hold no end of
    an event, as told by `event_ended`: nothing else bounds the memory for one event.
    """

    def __init__(self, file: str, stream: IO[bytes]) -> None:
        self.lost = 0
        self._file = file
        self._stream = stream
        self._held = stream.read(_HELD).removeprefix(_BYTE_ORDER_MARK)
        self.is_array = self._held.lstrip().startswith(b"[")
        self._ended = False
        self._in_event = 0

    def event_ended(self) -> None:
        """Say that the parser handed out an event."""
        self._in_event = 0

    def read(self, size: int = -1) -> bytes:
        """About `size` bytes; none at the end, or where none are asked for."""
        if size == 0:
            return b""
        while not self._ended:
            part = self._stream.read(max(size, _HELD))
            self._in_event += len(part)
            text = _LOST.sub(self._note, self._held + part)
            self._check(text)
            if not part:
                self._ended = True
                return self._closed(_LOST_LAST.sub(self._note, text))
            self._held = text[-_HELD:]
            if len(text) > _HELD:
                return text[:-_HELD]
        return b""

    def _check(self, text: bytes) -> None:
        if self._in_event > _MAX_EVENT:
            problem = f"holds no event in {_MAX_EVENT >> 20} MB"
            raise SourceError(self._file, problem, "Check that it is a trace")
        if _TOO_LONG.search(text):
            raise SourceError(
                self._file, "holds a number of more than 400 digits", "Check that it is a trace"
            )

    def _note(self, found: re.Match[bytes]) -> bytes:
        self.lost += int(found[1])
        return b"\n"

    def _closed(self, end: bytes) -> bytes:
        """The end of the text. A program that died leaves the array form without its bracket."""
        bare = end.rstrip()
        if not self.is_array or bare.endswith(b"]"):
            return end
        return bare.removesuffix(b",") + b"]"
