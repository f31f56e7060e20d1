"""The list of benchmarks: what each measures, in which unit, and how its parameters are called."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from dashboard.importers.asv.documents import Document, is_storable
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import MetricRecord

_VERSIONS = (1, 2)
_TRACK = "track"
_NOT_BENCHMARKS = "version"
# asv 0.3.1 and later measure by the wall clock unless a benchmark names another timer; which one, no file says.
_TIME = MetricRecord("time", "s", "wall")
_KINDS: Mapping[str, MetricRecord] = MappingProxyType(
    {
        "time": _TIME,
        "memory": MetricRecord("memory", "bytes", "none"),
        "peakmemory": MetricRecord("peak memory", "bytes", "none"),
        _TRACK: MetricRecord("tracked value", "unit", "none"),
    }
)
# How asv tells the type of a benchmark by the last part of its name.
_PREFIXES: Mapping[str, str] = MappingProxyType(
    {"peakmem": "peakmemory", "mem": "memory", "timeraw": "time", "time": "time"}
)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One entry of the list; `names` are those of its parameters, in order."""

    metric: MetricRecord
    names: tuple[str, ...]


def read_benchmarks(document: Document, file: str, faults: Faults) -> dict[str, Benchmark]:
    """The benchmarks by name; faults are noted."""
    version = document.get("version")
    if version not in _VERSIONS or isinstance(version, bool):
        remedy = "Formats 1 and 2 are known: update the folder with `asv update`"
        faults.add(file, "is of an unknown format", remedy, column="version", value=repr(version))
        return {}
    found = {}
    for name, entry in document.items():
        if name != _NOT_BENCHMARKS:
            found[name] = _benchmark(name, entry, file, faults)
    return found


def unlisted(name: str) -> Benchmark:
    """A benchmark that the suite has no longer: what it measured is told by its name, as asv does."""
    last = name.rpartition(".")[2].lower()
    kind = next((kind for prefix, kind in _PREFIXES.items() if last.startswith(prefix)), _TRACK)
    return Benchmark(_KINDS[kind], ())


def _benchmark(name: str, entry: Any, file: str, faults: Faults) -> Benchmark:
    remedy = "Write the list anew: asv run --bench just-discover"
    if not isinstance(entry, dict):
        faults.add(file, "is no description of a benchmark", remedy, column=name, value=repr(entry)[:100])
        return unlisted(name)
    guess = unlisted(name)
    kind, unit, names = entry.get("type"), entry.get("unit"), entry.get("param_names", [])
    metric = guess.metric if kind is None else _KINDS.get(str(kind), _KINDS[_TRACK])
    if not isinstance(names, list) or not all(isinstance(one, str) and is_storable(one) for one in names):
        faults.add(file, "is no list of names", remedy, column=f"{name}/param_names", value=repr(names)[:100])
        names = []
    if unit is not None and metric.quantity != "time":
        if isinstance(unit, str) and len(unit) <= LONGEST["metric"] and is_storable(unit):
            metric = MetricRecord(metric.quantity, unit, metric.clock)
        else:
            problem = f"is no unit of up to {LONGEST['metric']} characters"
            faults.add(file, problem, remedy, column=f"{name}/unit", value=repr(unit)[:100])
    return Benchmark(metric, tuple(names))
