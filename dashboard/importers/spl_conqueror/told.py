"""What a person tells beside the files: units, directions, repetitions, which columns are metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from dashboard.importers.errors import InvalidSetting
from dashboard.importers.limits import LONGEST
from dashboard.importers.settings import Given, Setting, pairs, single

Better = Literal["lower", "higher"]
MOST_REPETITIONS = 100_000

SETTINGS = (
    Setting("unit", "METRIC=UNIT", "the unit of a metric, as performance=ms", repeatable=True),
    Setting("better", "METRIC=lower|higher", "which direction of a metric is better", repeatable=True),
    Setting(
        "metric", "COLUMN", "a column that holds a metric, where its name does not tell", repeatable=True
    ),
    Setting(
        "workload-column",
        "COLUMN",
        "a column that tells the workload: zeros and ones of one workload, or names",
        repeatable=True,
    ),
    Setting("repetitions", "N", "how many executions each value stands for"),
    Setting("revision", "NAME", "the revision that was measured, where no column tells"),
)


@dataclass(frozen=True, slots=True)
class Told:
    """The settings, parsed."""

    units: Mapping[str, str]
    better: Mapping[str, Better]
    metrics: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()
    repetitions: int | None = None
    revision: str = ""


def parse(given: Given) -> Told:
    """The settings as given. Raises `InvalidSetting`."""
    units = pairs(given, "unit")
    for metric, unit in units.items():
        if len(unit) > LONGEST["metric"]:
            raise InvalidSetting(
                "unit", "is too long", f"Write at most {LONGEST['metric']} characters", metric
            )
    better = pairs(given, "better")
    for metric, direction in better.items():
        if direction not in {"lower", "higher"}:
            raise InvalidSetting(
                "better", "is no direction", "Write lower or higher", f"{metric}={direction}"
            )
    revision = single(given, "revision") or ""
    if len(revision) > LONGEST["revision"]:
        raise InvalidSetting("revision", "is too long", f"Write at most {LONGEST['revision']} characters")
    return Told(
        units=units,
        better=cast("dict[str, Better]", better),
        metrics=given.get("metric", ()),
        workloads=given.get("workload-column", ()),
        repetitions=_repetitions(single(given, "repetitions")),
        revision=revision,
    )


def check_metrics(told: Told, known: tuple[str, ...]) -> None:
    """Raise `InvalidSetting` where a setting is about a metric that is not measured."""
    for name, metrics in (("unit", told.units), ("better", told.better), ("metric", told.metrics)):
        for metric in metrics:
            if metric not in known:
                raise InvalidSetting(
                    name, "is about no metric of the file", f"Known are {', '.join(known)}", metric
                )


def _repetitions(text: str | None) -> int | None:
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_REPETITIONS):
        raise InvalidSetting("repetitions", "is no number of executions", "Write a whole number from 1", text)
    return int(text)
