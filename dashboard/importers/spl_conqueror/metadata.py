"""What is known of measurements beside their tables: what a person and a README say of them, and the order of releases.

Of a README only what stands there is taken over: a unit that it doubts itself stays unknown.
"""

import re
from collections.abc import Sequence
from typing import cast

from packaging.version import InvalidVersion, Version

from dashboard.importers.errors import Faults, InvalidSetting
from dashboard.importers.limits import LONGEST, Better
from dashboard.importers.settings import ImportSetting, ImportSettings, pairs, single

MOST_REPETITIONS = 100_000
SETTINGS = (
    ImportSetting("unit", "METRIC=UNIT", "the unit of a metric, as performance=ms", repeatable=True),
    ImportSetting("better", "METRIC=lower|higher", "which direction of a metric is better", repeatable=True),
    ImportSetting(
        "metric", "COLUMN", "a column that holds a metric, where its name does not tell", repeatable=True
    ),
    ImportSetting(
        "workload-column",
        "COLUMN",
        "a column that tells the workload: zeros and ones of one workload, or names",
        repeatable=True,
    ),
    ImportSetting("repetitions", "N", "how many executions each value stands for"),
    ImportSetting("revision", "NAME", "the revision that was measured, where no column tells"),
)
_REPETITIONS = (
    re.compile(r"\brepeated\b[^.\n]{0,80}?\b(\d{1,4}|one|two|three|five|ten)\s+times\b", re.IGNORECASE),
    re.compile(r"^\s*[-*]?\s*(\d{1,4})\s+repetitions\b", re.IGNORECASE | re.MULTILINE),
)
_WORDS = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10}
_UNITS = {
    "seconds": "s", "second": "s", "s": "s", "milliseconds": "ms", "ms": "ms", "microseconds": "us",
    "nanoseconds": "ns", "bytes": "B", "kb": "KB", "kib": "KiB", "mb": "MB", "mib": "MiB", "mbit": "Mbit",
    "mbits": "Mbit", "mbit/s": "Mbit/s", "joules": "J", "joule": "J", "watts": "W", "watt": "W", "percent": "%",
}  # fmt: skip
_UNIT = r"\bin\s+(?P<unit>[A-Za-z/]+)\b(?P<doubt>\s*\(?\s*\?)?"
_COMMIT = re.compile(r"^\s*[-*]\s*(\S+?):\s*([0-9a-f]{40})\b", re.MULTILINE)
_CLUSTER = re.compile(r"^\s*[-*]\s*cluster:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
_WORKLOAD = re.compile(
    r"^\s*[-*]\s*benchmark/workload:[ \t]*(.*(?:\n[ \t]+[-*].*)*)", re.IGNORECASE | re.MULTILINE
)
_DIGITS = re.compile(r"(\d+)")


class SplMetadata:
    """What settings and README say: units and directions by metric, the columns that hold metrics and workloads.

    `revision` is the one that was measured, blank where nobody names it; `commits` are by release, `description` is the
    README itself. `doubts` are remarks about what the README says. Raises `InvalidSetting`.
    """

    def __init__(self, given: ImportSettings) -> None:
        self.units, better = (pairs(name, given.get(name, ())) for name in ("unit", "better"))
        for metric, unit in self.units.items():
            if len(unit) > LONGEST["metric"]:
                remedy = f"Write at most {LONGEST['metric']} characters"
                raise InvalidSetting("unit", "is too long", remedy, metric)
        for metric, direction in better.items():
            if direction not in {"lower", "higher"}:
                written = f"{metric}={direction}"
                raise InvalidSetting("better", "is no direction", "Write lower or higher", written)
        self.better = cast("dict[str, Better]", better)
        self.metrics = given.get("metric", ())
        self.workloads: tuple[str, ...] = given.get("workload-column", ())
        self.revision = single(given, "revision") or ""
        if len(self.revision) > LONGEST["revision"]:
            raise InvalidSetting("revision", "is too long", f"Write at most {LONGEST['revision']} characters")
        number = single(given, "repetitions")
        if number is not None and not (
            number.isascii() and number.isdigit() and 1 <= int(number) <= MOST_REPETITIONS
        ):
            remedy = "Write a whole number from 1"
            raise InvalidSetting("repetitions", "is no number of executions", remedy, number)
        self.repetitions = None if number is None else int(number)
        self.description = self.cluster = self.workload = ""
        self.commits: dict[str, str] = {}
        self.doubts: list[str] = []

    def add_readme(self, text: str, metrics: Sequence[str]) -> None:
        """Add what the README `text` says of the measured `metrics`; settings count before it.

        Raises `InvalidSetting` where a setting is about a metric that is not measured.
        """
        for name, named in (("unit", self.units), ("better", self.better), ("metric", self.metrics)):
            for metric in named:
                if metric not in metrics:
                    remedy = f"Known are {', '.join(metrics)}"
                    raise InvalidSetting(name, "is about no metric of the file", remedy, metric)
        written: list[tuple[str, re.Match[str]]] = []
        for metric in metrics:
            pattern = rf"^\s*[-*]?\s*{re.escape(metric)}\b[^:\n]*:[^\n]*?{_UNIT}"
            if match := re.search(pattern, text, re.IGNORECASE | re.MULTILINE):
                written.append((metric, match))
        speed = re.search(rf"\bthroughput\b[^.:\n]{{0,40}}?{_UNIT}", text, re.IGNORECASE)
        if speed and len(metrics) == 1:
            written.append((metrics[0], speed))
            # Of a throughput more is better.
            self.better.setdefault(metrics[0], "higher")
        units: dict[str, str] = {}
        for metric, match in written:
            unit = _UNITS.get(match["unit"].lower())
            if unit is not None and match["doubt"]:
                self.doubts.append(
                    f"{metric}: the README doubts its unit ({match['unit']}?); it stays unknown."
                )
            elif unit is not None:
                units[metric] = unit
        self.units = units | self.units
        repetitions = next((times[1].lower() for one in _REPETITIONS if (times := one.search(text))), None)
        stated = None if repetitions is None else max(1, _WORDS.get(repetitions) or int(repetitions))
        self.repetitions = self.repetitions or stated
        self.description = text.strip().lstrip("# ")
        self.commits = {name.replace("_", "."): commit for name, commit in _COMMIT.findall(text)}
        cluster, workload = _CLUSTER.search(text), _WORKLOAD.search(text)
        self.cluster = cluster[1] if cluster else ""
        self.workload = " ".join(workload[1].split()) if workload else ""


def releases_in_order(names: Sequence[str], faults: Faults) -> list[str]:
    """The releases, named as the file lists them, from first to last; a remark says by which rule.

    Versions as Python packages write them compare as PEP 440 says (1.0rc1 before 1.0); where one of the names is
    none, numbers inside all names compare as numbers and the rest as text (v0.9.7 before v0.9.7-p1 before v0.10).
    """
    try:
        versions = {name: Version(name) for name in names}
        ordered, rule = sorted(names, key=lambda name: (versions[name], name)), "by version number"
    except InvalidVersion:
        # Text and numbers in turn, so that equal places hold what can be compared.
        parts = {
            name: [
                (part.isdigit(), int(part) if part.isdigit() else 0, part)
                for part in _DIGITS.split(name)
                if part
            ]
            for name in names
        }
        ordered, rule = sorted(names, key=parts.__getitem__), "by the numbers in their names"
    if len(ordered) > 1:
        other = "" if ordered == names else ", unlike the file"
        faults.remarks.append(
            f"releases stand in the order from {ordered[0]} to {ordered[-1]} {rule}{other}."
        )
    return ordered
