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
