"""How a benchmark with its parameters is called: `bench_core.CountNonzero.time_it(2, 10000, int)`.

asv keeps the `repr` of each value. What identifies a series is made of the values alone: names of parameters stand in
the present list of benchmarks only, and change or vanish without the measurements changing.
"""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from dashboard.importers.limits import LONGEST

# What Python writes around the name of a class or a function.
_WRAPPED = re.compile(
    r"<(?:class|type|enum) '([^']*)'>|<(?:function|built-in function|ufunc|module) '?([^ '>]+)'?[^<>]*>"
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LONGEST_VALUE = 60


def subjects_of(
    benchmark: str, params: Sequence[Sequence[str]], names: Sequence[str]
) -> list[tuple[str, str]]:
    """What identifies each combination of values and how people read it, the last parameter varying fastest."""
    if not params:
        return [(_fitting(benchmark, ()), _fitting(benchmark, ()))]
    columns = [_readable(values) for values in params]
    named = names if len(names) == len(params) else ()
    found = []
    for values in itertools.product(*columns):
        words = [f"{name}={value}" for name, value in zip(named, values, strict=True)] if named else values
        found.append((_fitting(benchmark, values), _fitting(benchmark, words)))
    return found


def _readable(values: Sequence[str]) -> list[str]:
    """The values without Python's wrapping, unless two of them would read alike."""
    unwrapped = []
    for value in values:
        short = _ADDRESS.sub("", _WRAPPED.sub(lambda match: match[1] or match[2], value))
        unwrapped.append(short if len(short) <= _LONGEST_VALUE else f"{short[:_LONGEST_VALUE]}…")
    for shown in (unwrapped, list(values)):
        if len(set(shown)) == len(shown):
            return shown
    seen: Counter[str] = Counter()
    numbered = []
    for value in values:
        seen[value] += 1
        numbered.append(f"{value} ({seen[value]})" if seen[value] > 1 else value)
    return numbered


def _fitting(benchmark: str, values: Sequence[str]) -> str:
    """The text, cut with a digest of the whole where no table holds it."""
    whole = f"{benchmark}({', '.join(values)})" if values else benchmark
    if len(whole) <= LONGEST["subject"]:
        return whole
    mark = f"… {sha256(whole.encode()).hexdigest()[:8]}"
    return whole[: LONGEST["subject"] - len(mark)] + mark
