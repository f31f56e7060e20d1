"""What a README says of its measurements: only what stands there is taken over."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_REPETITIONS = (
    re.compile(r"\brepeated\b[^.\n]{0,80}?\b(\d{1,4}|one|two|three|five|ten)\s+times\b", re.IGNORECASE),
    re.compile(r"^\s*[-*]?\s*(\d{1,4})\s+repetitions\b", re.IGNORECASE | re.MULTILINE),
)
_WORDS = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10}
_UNITS = {
    "seconds": "s",
    "second": "s",
    "s": "s",
    "milliseconds": "ms",
    "ms": "ms",
    "microseconds": "us",
    "nanoseconds": "ns",
    "bytes": "B",
    "kb": "KB",
    "kib": "KiB",
    "mb": "MB",
    "mib": "MiB",
    "mbit": "Mbit",
    "mbits": "Mbit",
    "mbit/s": "Mbit/s",
    "joules": "J",
    "joule": "J",
    "watts": "W",
    "watt": "W",
    "percent": "%",
}
_UNIT = r"\bin\s+(?P<unit>[A-Za-z/]+)\b(?P<doubt>\s*\(?\s*\?)?"
_COMMIT = re.compile(r"^\s*[-*]\s*(\S+?):\s*([0-9a-f]{40})\b", re.MULTILINE)
_CLUSTER = re.compile(r"^\s*[-*]\s*cluster:\s*(.+?)\s*$", re.IGNORECASE | re.MULTILINE)
_WORKLOAD = re.compile(
    r"^\s*[-*]\s*benchmark/workload:[ \t]*(.*(?:\n[ \t]+[-*].*)*)", re.IGNORECASE | re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Readme:
    """What was found: `units` by metric, `throughput` the metrics that are said to be one (higher is better)."""

    text: str = ""
    repetitions: int | None = None
    units: Mapping[str, str] | None = None
    throughput: tuple[str, ...] = ()
    commits: Mapping[str, str] | None = None
    cluster: str = ""
    workload: str = ""
    doubts: tuple[str, ...] = ()


def read_readme(text: str, metrics: Sequence[str]) -> Readme:
    """What `text` says of these metrics. A unit that it doubts itself is no unit, and told in `doubts`."""
    units: dict[str, str] = {}
    doubts: list[str] = []
    for metric in metrics:
        said = re.search(rf"^\s*[-*]?\s*{re.escape(metric)}\b[^:\n]*:[^\n]*?{_UNIT}", text, _FLAGS)
        if said is not None:
            _take(metric, said, units, doubts)
    throughput: tuple[str, ...] = ()
    said = re.search(rf"\bthroughput\b[^.:\n]{{0,40}}?{_UNIT}", text, re.IGNORECASE)
    if said is not None and len(metrics) == 1:
        throughput = tuple(metrics)
        _take(metrics[0], said, units, doubts)
    cluster = _CLUSTER.search(text)
    workload = _WORKLOAD.search(text)
    return Readme(
        text=text.strip().lstrip("# "),
        repetitions=_repetitions(text),
        units=units,
        throughput=throughput,
        commits={name.replace("_", "."): commit for name, commit in _COMMIT.findall(text)},
        cluster=cluster.group(1) if cluster else "",
        workload=" ".join(workload.group(1).split()) if workload else "",
        doubts=tuple(doubts),
    )


_FLAGS = re.IGNORECASE | re.MULTILINE


def _take(metric: str, said: re.Match[str], units: dict[str, str], doubts: list[str]) -> None:
    unit = _UNITS.get(said["unit"].lower())
    if unit is None:
        return
    if said["doubt"]:
        doubts.append(f"{metric}: the README doubts its unit ({said['unit']}?); it stays unknown.")
    else:
        units[metric] = unit


def _repetitions(text: str) -> int | None:
    for pattern in _REPETITIONS:
        found = pattern.search(text)
        if found is not None:
            word = found.group(1).lower()
            return max(1, _WORDS.get(word) or int(word))
    return None
