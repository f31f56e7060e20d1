"""Whether tracing changed what a program prints and returns."""

from collections.abc import Iterable, Mapping
from typing import Any


def compared_runs(
    traced: Iterable[Mapping[str, Any]], counted: Iterable[Mapping[str, Any]]
) -> tuple[int, list[dict[str, str]]]:
    """In how many configurations a traced run and one that counted can be compared, and those where they differ.

    The runs are as they are stored; what is compared is what they printed and returned.
    """
    plain = {_key(run): run.get("said") for run in counted}
    both = [run for run in traced if run.get("said") and plain.get(_key(run))]
    return len(both), [run["levels"] for run in both if run["said"] != plain[_key(run)]]


def _key(run: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(run["levels"].items()))
