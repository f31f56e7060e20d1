"""A digest of what a program returned: the same in every process and however the program was run, where there is one."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Beyond these there is no digest: what is shared many times over is walked as often as it is reached.
MOST_OBJECTS = 100_000
MOST_BYTES = 4_000_000
# Sets within sets.
_DEEPEST = 50
_SLICE = 65_536
_CONTAINERS = (list, tuple, dict, set, frozenset)


class _NoDigest(Exception):
    """The value is too large, or holds an object whose text may contain an address."""


def digest(returned: Any) -> str:
    """Return a digest of numbers, texts, bytes and lists, tuples, dicts and sets of them; "" for anything else.

    Instances of subclasses are something else. Who else holds an object does not matter.
    """
    try:
        return _Walk().digest(returned, 0).hex()
    # The program's limit of recursion may be low, and its threads may change what we look at.
    except (_NoDigest, RuntimeError, MemoryError):
        return ""


class _Walk:
    """What is left of the bounds, for one value and all of the sets within it."""

    def __init__(self) -> None:
        self._objects = MOST_OBJECTS
        self._bytes = MOST_BYTES

    def digest(self, value: Any, depth: int) -> bytes:
        """Walk `value`, which lies within `depth` sets; there is no recursion but for those, which hold no cycles."""
        if depth > _DEEPEST:
            raise _NoDigest
        made = hashlib.sha256()
        # Containers that we are in, by identity, with how deep they lie; and what is left of each.
        inside: dict[int, int] = {}
        open_containers: list[tuple[Any, Iterator[Any]]] = [((), iter((value,)))]
        while open_containers:
            container, rest = open_containers[-1]
            for one in rest:
                self._objects -= 1
                if self._objects < 0:
                    raise _NoDigest
                if id(one) in inside:
                    made.update(b"up %d;" % (len(open_containers) - inside[id(one)]))
                    continue
                parts = self._parts(made, one, depth)
                if parts is not None:
                    inside[id(one)] = len(open_containers)
                    open_containers.append((one, parts))
                    break
            else:
                open_containers.pop()
                inside.pop(id(container), None)
        return made.digest()

    def _parts(self, made: Any, one: Any, depth: int) -> Iterator[Any] | None:
        """Put `one` itself into the digest; return what it holds, if it is a container."""
        kind: type = type(one)
        if kind not in _CONTAINERS:
            self._leaf(made, kind, one)
            return None
        made.update(b"%s %d;" % (kind.__name__.encode(), len(one)))
        if kind is dict:
            return (part for item in one.items() for part in item)
        if kind is list or kind is tuple:
            return (part for part in one)
        # The order of sets is that of hashes, which differ from process to process.
        for element in sorted(self.digest(element, depth + 1) for element in one):
            made.update(element)
        return None

    def _leaf(self, made: Any, kind: type, one: Any) -> None:
        if kind is str or kind is bytes:
            self._take(len(one))
            made.update(b"%s %d;" % (kind.__name__.encode(), len(one)))
            # In slices, for a copy of the whole would count in the memory of the run.
            for at in range(0, len(one), _SLICE):
                part = one[at : at + _SLICE]
                made.update(part if kind is bytes else part.encode("utf-8", "surrogatepass"))
        elif kind is int:
            self._take(one.bit_length() // 8)
            made.update(b"int %x;" % one)
        elif kind is float:
            made.update(f"float {one.hex()};".encode())
        elif kind is complex:
            made.update(f"complex {one.real.hex()} {one.imag.hex()};".encode())
        elif one is None or kind is bool:
            made.update(f"{one};".encode())
        else:
            raise _NoDigest

    def _take(self, size: int) -> None:
        self._bytes -= size
        if self._bytes < 0:
            raise _NoDigest
