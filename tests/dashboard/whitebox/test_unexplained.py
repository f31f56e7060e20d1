"""What an analysis names as left out is not listed again as unexplained."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from analytics.configurations.discrepancies import Counted, Findings, findings
from analytics.configurations.exploring import Exploration
from analytics.configurations.options import Option, OptionSpace
from dashboard.services.tracing.known import Known

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))
COUNTED = Counted.of(
    SPACE,
    np.array([[0, 0], [1, 1]], dtype=np.int8),
    np.array([[1, 3, 5], [1, 4, 6]], dtype=np.int64),
    (("main", 1, 0, "call"), ("main", 2, 4, "turn"), ("check", 9, 4, "if")),
)


def known_of(found: Findings, excluded: dict[str, str]) -> Known:
    """An analysis without taints, of two runs that differ in both options."""
    configurations = cast("Any", SimpleNamespace(space=SPACE, labels=lambda row: row.tolist()))
    exploration = Exploration(SPACE, (), frozenset())
    return Known(configurations, exploration, frozenset(), {}, COUNTED, found, (), excluded)


def test_the_statements_of_an_excluded_region_are_not_listed() -> None:
    found = findings(COUNTED, frozenset())
    for excluded, listed in (
        ({}, [("check", 9), ("main", 2)]),
        ({"check": "only parses options"}, [("main", 2)]),
    ):
        rows = known_of(found, excluded).unexplained()
        assert sorted((row["region"], row["line"]) for row in rows) == listed
