"""What an analysis missed, where all configurations were run: counts have no noise, so they tell the truth.

An option truly matters to a statement if two configurations that differ in this option alone differ in a count of the
statement. The analysis claims the options of the taints of the statement's decisions, data and control together.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray


@dataclass(frozen=True, slots=True)
class Judged:
    """One statement: positions of the options that truly matter, and of those that are claimed."""

    statement: Hashable
    true: frozenset[int]
    claimed: frozenset[int]

    @property
    def missed(self) -> frozenset[int]:
        """True and not claimed."""
        return self.true - self.claimed


@dataclass(frozen=True, slots=True)
class Soundness:
    """All statements that some configuration passed. A statement is unsound if an option was missed."""

    statements: tuple[Judged, ...]

    @property
    def true(self) -> int:
        """How many pairs of a statement and an option there truly are."""
        return sum(len(one.true) for one in self.statements)

    @property
    def missed(self) -> int:
        """How many of them were missed."""
        return sum(len(one.missed) for one in self.statements)

    @property
    def spurious(self) -> int:
        """How many pairs are claimed that do not matter."""
        return sum(len(one.claimed - one.true) for one in self.statements)

    @property
    def recall(self) -> float:
        """The share of true pairs that are claimed; 1 where there are none."""
        return 1 - self.missed / self.true if self.true else 1.0

    @property
    def unsound(self) -> tuple[Judged, ...]:
        """The statements with a missed option, the most missed first."""
        found = [one for one in self.statements if one.missed]
        return tuple(sorted(found, key=lambda one: (-len(one.missed), str(one.statement))))

    @property
    def unsound_share(self) -> float:
        """Their share of all statements."""
        return len(self.unsound) / len(self.statements) if self.statements else 0.0


def soundness(
    configurations: IntArray,
    counts: Mapping[Hashable, IntArray],
    claimed: Mapping[Hashable, frozenset[int]],
    options: frozenset[int],
) -> Soundness:
    """Judge what is claimed of each statement against all configurations (n, n_options) over `options` (positions).

    `counts` has for each statement an array (n, n_outcomes). Claims of options that did not vary are not judged.
    """
    found = []
    for statement, table in counts.items():
        true = frozenset(option for option in options if _matters(configurations, table, option))
        found.append(Judged(statement, true, claimed.get(statement, frozenset()) & options))
    return Soundness(tuple(found))


def _matters(configurations: IntArray, table: IntArray, option: int) -> bool:
    """Whether counts differ between configurations that differ in this option alone."""
    others = np.delete(configurations, option, axis=1)
    groups = np.unique(others, axis=0, return_inverse=True)[1].reshape(-1)
    cells = np.column_stack([groups, table])
    return len(np.unique(cells, axis=0)) > len(np.unique(groups))
