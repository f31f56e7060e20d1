"""A benchmark tool as the registry lists it: what tells its output from that of all others, and who reads it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from dashboard.importers.benchmarks.output import ToolOutput
from dashboard.importers.benchmarks.results import BenchmarkReport


@dataclass(frozen=True, slots=True)
class BenchmarkTool:
    """A tool in one of its kinds of output: its name, what its output is told by, in words and as a test, and its reader.

    `read` raises `OutputError` or `SourceError`. `others` is a pattern of paths of files that the tool writes beside.
    """

    name: str
    kind: Literal["JSON", "XML", "CSV", "text"]
    told_by: str
    recognises: Callable[[ToolOutput], bool]
    read: Callable[[ToolOutput], BenchmarkReport]
    others: str = ""


def has_keys(*keys: str) -> Callable[[ToolOutput], bool]:
    """Whether the output is a JSON object with these keys."""
    return lambda output: output.document.has(*keys)


def has_lines(*patterns: str) -> Callable[[ToolOutput], bool]:
    """Whether each of these patterns matches a line from its start."""
    return lambda output: all(output.find(pattern) is not None for pattern in patterns)


def has_columns(*columns: str) -> Callable[[ToolOutput], bool]:
    """Whether the first line is a CSV header with these columns."""
    return lambda output: set(columns) <= set(output.header)
