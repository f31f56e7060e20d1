"""What the comparison of two revisions is made of: frozen rows, free of Django. Values are in the metric's own unit."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from typing import Any, Literal

from analytics.revision_differences import RevisionDifferences
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import SeriesRow

# How a series is told: it differs, lies within its noise, has the same measurement at both, has no known noise, or was not
# measured at both.
Told = Literal["differs", "within", "same", "unknown", "missing"]


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """What a series is at one revision: the median of `runs`; `measured_at` names the revision of the same code that was measured."""

    value: float
    runs: int
    measured_at: str = ""


@dataclass(frozen=True, slots=True)
class RevisionDifference:
    """One series at two revisions: `absolute` and `relative` differences, each with its 95 % interval.

    `relative` is a share of the value before, of a term of what the default configuration takes. Differences are None where
    one value is missing, intervals where the noise is not known, as is `false_discovery_rate`: the share of noise among all
    that is told, if all as clear as this one are. `at_least` is how much it differs at least, a share.
    """

    series: SeriesRow
    told: Told
    before: ComparedValue | None = None
    after: ComparedValue | None = None
    absolute: float | None = None
    absolute_low: float | None = None
    absolute_high: float | None = None
    relative: float | None = None
    low: float | None = None
    high: float | None = None
    false_discovery_rate: float | None = None
    at_least: float = 0.0
    is_confirmed: bool = False

    @property
    def is_worse(self) -> bool:
        """Whether it moved in the direction that its metric's readers fear."""
        return ((self.absolute or 0.0) > 0) == (self.series.better == "lower")

    @property
    def is_exact(self) -> bool:
        """Whether its difference has no interval because its values have no noise."""
        return self.low is not None and self.low == self.high


_ALWAYS = ("absolute", "relative", "at_least")
_OF_NOISE = ("absolute_low", "absolute_high", "low", "high", "false_discovery_rate")


def with_differences(
    rows: Sequence[RevisionDifference], found: RevisionDifferences, rate: float
) -> Iterator[RevisionDifference]:
    """The rows with what was found of each, in their order; those are confirmed whose false-discovery rate is at most `rate`."""
    # Read once: some are worked out of all series.
    columns = {name: getattr(found, name).tolist() for name in (*_ALWAYS, *_OF_NOISE)}
    for at, (row, differs) in enumerate(zip(rows, found.differs.tolist(), strict=True)):
        is_known = not isnan(columns["false_discovery_rate"][at])
        told: Told = "unknown" if not is_known else "differs" if differs else "within"
        numbers: dict[str, Any] = {
            name: columns[name][at] for name in (*_ALWAYS, *(_OF_NOISE if is_known else ()))
        }
        is_confirmed = told == "differs" and numbers["false_discovery_rate"] <= rate
        yield replace(row, told=told, is_confirmed=is_confirmed, **numbers)


@dataclass(frozen=True)
class ComparedRevisions:
    """All series of a system at two revisions, the most relevant first: those that differ most at least.

    `same_code` says that both revisions hold the same code. `middle` is the median of all relative differences of times,
    None where fewer than ten were compared: the machine moves all of them.
    """

    before: RevisionPlace
    after: RevisionPlace
    rows: tuple[RevisionDifference, ...]
    same_code: bool
    middle: float | None

    @cached_property
    def counts(self) -> Mapping[Told, int]:
        """How many series there are of each."""
        return Counter(row.told for row in self.rows)

    @cached_property
    def kinds(self) -> Mapping[str, int]:
        """How many series of each kind differ."""
        return Counter(row.series.kind for row in self.rows if row.told == "differs")

    def shown(self, *, told: Told, kind: str = "", text: str = "") -> tuple[RevisionDifference, ...]:
        """Those that are told so, of one kind where it is given, with every word of `text` in their names."""
        words = text.lower().split()

        def fits(row: RevisionDifference) -> bool:
            one = row.series
            if row.told != told or kind not in {"", one.kind}:
                return False
            name = f"{one.kind} {one.label} {one.measure} {one.workload} {one.environment}".lower()
            return all(word in name for word in words)

        return tuple(row for row in self.rows if fits(row))
