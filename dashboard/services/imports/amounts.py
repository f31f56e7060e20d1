"""How much an import brings or brought, in words: what there is none of is left out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from dashboard.importers.records import SystemRecords
from dashboard.selectors.jobs import MEASURED

Amount = tuple[int, str, str]


def in_words(amounts: Iterable[Amount]) -> str:
    """`1 run, 3 series`, from numbers with their words for one and for several; `nothing` where all are zero."""
    words = [f"{number} {one if number == 1 else several}" for number, one, several in amounts if number]
    return ", ".join(words) or "nothing"


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did: the `records` that came in, none where the system held the same content already.

    `held_points` tells how many points of the file were there already, `replaced_points` how many took the place of
    another value.
    """

    system_slug: str
    system_name: str
    is_new: bool
    records: SystemRecords = field(default_factory=SystemRecords)
    held_points: int = 0
    replaced_points: int = 0
    remarks: tuple[str, ...] = ()

    def in_words(self) -> str:
        """What came in, in numbers."""
        records = self.records
        if records.series and not records.runs:
            points = len(records.points.series)
            held = f" ({self.held_points} were there already)" if self.held_points else ""
            if self.replaced_points:
                held += f", {self.replaced_points} in place of earlier ones"
            rest = in_words(_lengths(records, "series", "revisions"))
            return f"{points} point{'' if points == 1 else 's'}{held}, {rest}"
        of_model = ("feature_models", "options") if records.feature_models else ()
        return in_words(
            [_runs(records), *_lengths(records, "configurations", "regions", "revisions", *of_model)]
        )

    def as_json(self) -> dict[str, Any]:
        """The outcome as the result of a job."""
        lists = ("configurations", "regions", "revisions")
        return {
            "system": self.system_slug,
            "name": self.system_name,
            "is_new": self.is_new,
            "runs": _runs(self.records)[0],
            **{name: len(getattr(self.records, name)) for name in lists},
            "in_words": self.in_words(),
            "remarks": list(self.remarks[:20]),
        }


def amounts_of(records: SystemRecords) -> str:
    """How much is to be written, in words."""
    measurements = len(records.region_measurements.run) + len(records.measurements.run)
    return in_words(
        [
            _runs(records),
            (measurements, "measurement", "measurements"),
            (len(records.points.series), "point", "points"),
            *_lengths(records, "series", "feature_models"),
        ]
    )


def _runs(records: SystemRecords) -> Amount:
    """The runs as every page counts them: the plain and the profiled one of an execution together are one."""
    measured = {at for at, batch in enumerate(records.batches) if batch.format == MEASURED}
    executed = sum(run.kind == "plain" or run.batch not in measured for run in records.runs)
    return executed, "run", "runs"


def _lengths(records: SystemRecords, *lists: str) -> Iterator[Amount]:
    for name in lists:
        several = name.replace("_", " ")
        yield len(getattr(records, name)), several if name == "series" else several.removesuffix("s"), several
