"""A profile as stacks with values, whichever profiler wrote it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from dashboard.importers.limits import Clock
from dashboard.importers.records import MetricRecord

SAMPLES = MetricRecord("samples", "", "count")


class Frame(NamedTuple):
    """A function, and the file that it stands in; blank where nothing tells it."""

    name: str
    file: str = ""


Stack = tuple[Frame, ...]
# What a small file may tell by few bytes.
_MOST_FRAMES = 5_000_000


class Allowance:
    """How many frames and fields a profile may unpack to: small files tell very many by naming the same ones again.

    Large files may have one more for each of their bytes.
    """

    def __init__(self, n_bytes: int) -> None:
        self._left = _MOST_FRAMES + n_bytes

    def spend(self, number: int = 1) -> None:
        """Take so many, before they are made. Raises `ValueError` where none are left."""
        self._left -= number
        if self._left < 0:
            raise ValueError(f"more than {_MOST_FRAMES} frames in so few bytes")

    def joined(self, above: Stack, own: Stack) -> Stack:
        """The stack `own` called from `above`. Raises `ValueError`."""
        self.spend(len(above) + len(own))
        return (*above, *own)


@dataclass(frozen=True, slots=True)
class StackProfile:
    """The value of each stack, the outermost function first, in the unit of the metric.

    `has_paths` says whether these are stacks, not functions alone.
    """

    values: Mapping[Stack, float]
    metric: MetricRecord
    has_paths: bool = True


def seconds(clock: Clock) -> MetricRecord:
    """The metric of times in seconds by this clock."""
    return MetricRecord("time", "s", clock)


def summed(stacks: Iterable[tuple[Stack, float]]) -> dict[Stack, float]:
    """The sum of the values of each stack. Raises `ValueError` for a value that is negative or no number."""
    values: dict[Stack, float] = {}
    for stack, value in stacks:
        if not 0 <= value < float("inf"):
            raise ValueError(f"the value {value} of {stack[-1].name if stack else 'a stack'}")
        values[stack] = values.get(stack, 0.0) + value
    return values
