"""Whether tracing changed what a program prints and returns."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def compared_runs(
    traced: Iterable[Mapping[str, Any]], counted: Iterable[Mapping[str, Any]]
) -> tuple[int, list[dict[str, str]]]:
    """In how many configurations a traced run and one that counted can be compared, and those where they differ.

    The runs are as they are stored; what is compared is what they printed and returned.
    """
    pairs = list(_pairs(traced, counted))
    return len(pairs), [run["levels"] for run, plain in pairs if run["said"] != plain["said"]]


def returned_compared(traced: Iterable[Mapping[str, Any]], counted: Iterable[Mapping[str, Any]]) -> bool:
    """Whether what was returned could be compared in each of these configurations, not only what was printed."""
    return all(run.get("returned") and plain.get("returned") for run, plain in _pairs(traced, counted))


def _pairs(
    traced: Iterable[Mapping[str, Any]], counted: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    plain = {_key(run): run for run in counted if run.get("said")}
    for run in traced:
        if run.get("said") and _key(run) in plain:
            yield run, plain[_key(run)]


def _key(run: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(run["levels"].items()))
