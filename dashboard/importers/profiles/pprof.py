"""Profiles of pprof, which Go, Rust and others write: the few fields of its protocol buffer that stacks need."""

import gzip
import zlib
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from typing import Any

from dashboard.importers.profiles.stacks import (
    SAMPLES,
    Allowance,
    Frame,
    Stack,
    StackProfile,
    seconds,
    summed,
)
from dashboard.importers.records import MetricRecord

# What one profile may unpack to.
_MOST_BYTES = 1 << 28
# Numbers of the fields of a profile, and of the kinds of fields of protocol buffers.
_SAMPLE_TYPE, _SAMPLE, _LOCATION, _FUNCTION, _TEXTS = 1, 2, 4, 5, 6
_NUMBER, _LONG, _BYTES, _SHORT = 0, 1, 2, 5
# Of several types of values the first of these is taken, else the last, as pprof does.
_TIMES = {"cpu": "cpu", "wall": "wall"}


def is_pprof(content: bytes, allowance: Allowance) -> bool:
    """Whether the bytes read as a profile with types, samples, functions and texts."""
    try:
        found = _fields(_unpacked(content), allowance)
    except ValueError:
        return False
    return all(found.get(number) for number in (_SAMPLE_TYPE, _LOCATION, _TEXTS)) and found[_TEXTS][0] == b""


def pprof(content: bytes, allowance: Allowance) -> StackProfile:
    """Stacks with their values of one type: processor time where there is some, else by the wall clock, else the last."""
    fields = partial(_fields, allowance=allowance)
    profile = _fields(_unpacked(content), allowance)
    texts = [text.decode("utf-8", "replace") for text in profile[_TEXTS]]
    types = [fields(one) for one in profile[_SAMPLE_TYPE]]
    told = [(texts[_one(one, 1)], texts[_one(one, 2)]) for one in types]
    names = [name for name, _ in told]
    at = next((names.index(name) for name in _TIMES if name in names), len(names) - 1)
    functions = {}
    for one in map(fields, profile.get(_FUNCTION, ())):
        functions[_one(one, 1)] = Frame(texts[_one(one, 2)] or "(unknown)", texts[_one(one, 4)])
    locations: dict[int, Stack] = {}
    for one in map(fields, profile[_LOCATION]):
        # The last of several lines called those before it, which were inlined.
        lines = [_one(fields(line), 1) for line in reversed(one.get(4, ()))]
        locations[_one(one, 1)] = tuple(functions[line] for line in lines) or (Frame(f"0x{_one(one, 3):x}"),)

    def stacks() -> Iterator[tuple[Stack, float]]:
        for one in map(fields, profile.get(_SAMPLE, ())):
            places, values = (_numbers(one.get(number, ()), allowance) for number in (1, 2))
            allowance.spend(sum(len(locations[place]) for place in places))
            yield tuple(frame for place in reversed(places) for frame in locations[place]), float(values[at])

    name, unit = told[at]
    metric, factor = MetricRecord(name[:40], unit[:40], "none"), 1.0
    if unit in ("nanoseconds", "microseconds", "milliseconds", "seconds"):
        factor = {"nanoseconds": 1e-9, "microseconds": 1e-6, "milliseconds": 1e-3, "seconds": 1.0}[unit]
        metric = seconds("cpu" if name == "cpu" else "wall")
    elif unit == "count" and name == "samples":
        metric = SAMPLES
    return StackProfile(summed((stack, value * factor) for stack, value in stacks()), metric)


def _unpacked(content: bytes) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        with gzip.GzipFile(fileobj=BytesIO(content)) as packed:
            plain = packed.read(_MOST_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"the gzip file: {error}") from None
    if len(plain) > _MOST_BYTES:
        raise ValueError(f"more than {_MOST_BYTES >> 20} MB")
    return plain


def _fields(content: bytes, allowance: Allowance) -> dict[int, list[Any]]:
    """The fields of a message by number: bytes, or numbers. Raises `ValueError` where it is cut or no message."""
    found: dict[int, list[Any]] = {}
    at = 0
    while at < len(content):
        allowance.spend()
        tag, at = _varint(content, at)
        number, kind = tag >> 3, tag & 7
        value: Any = b""
        if kind == _NUMBER:
            value, at = _varint(content, at)
        else:
            size = {_LONG: 8, _SHORT: 4}.get(kind, -1)
            if kind == _BYTES:
                size, at = _varint(content, at)
            if not number or size < 0 or at + size > len(content):
                raise ValueError(f"the field at byte {at}")
            value, at = content[at : at + size], at + size
        found.setdefault(number, []).append(value)
    return found


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """The number of variable length at a byte, and where it ends."""
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(content):
            break
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError(f"the number at byte {at}")


def _one(message: dict[int, list[Any]], number: int) -> int:
    """The last number of a field, 0 where there is none."""
    value = message.get(number, (0,))[-1]
    if not isinstance(value, int):
        raise ValueError(f"the field {number}, which is no number")  # noqa: TRY004 -- the one error of this module
    return value


def _numbers(values: Any, allowance: Allowance) -> list[int]:
    """Repeated numbers, packed or one by one."""
    found: list[int] = []
    for value in values:
        if isinstance(value, int):
            found.append(value)
            continue
        at = 0
        while at < len(value):
            allowance.spend()
            number, at = _varint(value, at)
            found.append(number)
    return found
