"""How much an import brings or brought, in words: what there is none of is left out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dashboard.importers.records import Imported, SystemRecords
from dashboard.models import System

Amount = tuple[int, str, str]


def in_words(amounts: Iterable[Amount]) -> str:
    """`1 run, 3 series`, from numbers with their words for one and for several; `nothing` where all are zero."""
    words = [f"{number} {one if number == 1 else several}" for number, one, several in amounts if number]
    return ", ".join(words) or "nothing"


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What an import did and how much came in; nothing where the system held the same content already.

    `points` are those of series that came as aggregates, `held_points` how many of the file were there already, and
    `replaced_points` how many took the place of another value.
    """

    system_slug: str
    system_name: str
    is_new: bool
    runs: int = 0
    configurations: int = 0
    regions: int = 0
    revisions: int = 0
    series: int = 0
    points: int = 0
    held_points: int = 0
    replaced_points: int = 0
    options: int = 0
    feature_models: int = 0
    remarks: tuple[str, ...] = ()

    def in_words(self) -> str:
        """What came in, in numbers."""
        if self.series and not self.runs:
            held = f" ({self.held_points} were there already)" if self.held_points else ""
            if self.replaced_points:
                held += f", {self.replaced_points} in place of earlier ones"
            rest = in_words([(self.series, "series", "series"), (self.revisions, "revision", "revisions")])
            return f"{self.points} point{'' if self.points == 1 else 's'}{held}, {rest}"
        options = self.options if self.feature_models else 0
        return in_words(
            [
                (self.runs, "run", "runs"),
                (self.configurations, "configuration", "configurations"),
                (self.regions, "region", "regions"),
                (self.revisions, "revision", "revisions"),
                (self.feature_models, "feature model", "feature models"),
                (options, "option", "options"),
            ]
        )

    def as_json(self) -> dict[str, Any]:
        """The outcome as the result of a job."""
        return {
            "system": self.system_slug,
            "name": self.system_name,
            "is_new": self.is_new,
            "runs": self.runs,
            "configurations": self.configurations,
            "regions": self.regions,
            "revisions": self.revisions,
            "in_words": self.in_words(),
            "remarks": list(self.remarks[:20]),
        }


def outcome_of(target: System, found: Imported, *, held: int, replaced: int) -> ImportOutcome:
    """The outcome of an import; `held` points were there already, `replaced` took the place of others."""
    lists = ("runs", "configurations", "regions", "revisions", "series", "options", "feature_models")
    return ImportOutcome(
        system_slug=target.slug,
        system_name=target.name,
        is_new=True,
        points=len(found.records.points.series),
        held_points=held,
        replaced_points=replaced,
        remarks=found.remarks,
        **{name: len(getattr(found.records, name)) for name in lists},
    )


def amounts_of(records: SystemRecords) -> str:
    """How much is to be written, in words."""
    measurements = len(records.region_measurements.run) + len(records.measurements.run)
    return in_words(
        [
            (len(records.runs), "run", "runs"),
            (measurements, "measurement", "measurements"),
            (len(records.points.series), "point", "points"),
            (len(records.series), "series", "series"),
            (len(records.feature_models), "feature model", "feature models"),
        ]
    )
