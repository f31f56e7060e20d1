"""What a run counted, packed without pickle: the places that counters stand at, and the numbers that they showed."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from analytics.configurations.options import IntArray
from analytics.whitebox.dependencies import Site


def pack_sites(sites: Sequence[Site]) -> bytes:
    """The bytes of a list of sites."""
    return zlib.compress(json.dumps(sites, separators=(",", ":")).encode())


def unpack_sites(packed: bytes | memoryview) -> list[Site]:
    """The sites that `pack_sites` packed."""
    return [
        (region, line, column, kind) for region, line, column, kind in json.loads(zlib.decompress(packed))
    ]


def pack_counts(counts: Mapping[int, int]) -> bytes:
    """The bytes of the counts by position of their site; those at 0 are left out."""
    passed = sorted((at, count) for at, count in counts.items() if count)
    table = np.array(passed, dtype="<i8").reshape(len(passed), 2)
    return zlib.compress(table.T.tobytes())


def unpack_counts(packed: bytes | memoryview) -> tuple[IntArray, IntArray]:
    """The positions that `pack_counts` packed, ascending, and their counts; both int64 of shape (n,)."""
    table = np.frombuffer(zlib.decompress(packed), dtype="<i8").reshape(2, -1)
    return table[0], table[1]


def extended(known: Sequence[Site], more: Iterable[Site]) -> list[Site]:
    """`known` with those of `more` that are new behind it: positions in it stay what they are."""
    return list(dict.fromkeys([*known, *more]))
