"""What lies in a folder of results: JSON documents, the list of benchmarks, the machines, and one file per revision."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from pydantic_core import from_json

from dashboard.importers.common_records import WALL_SECONDS
from dashboard.importers.errors import Faults, FileFaults, SourceError
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import EnvironmentRecord, MetricRecord, RevisionRecord
from dashboard.importers.source import ImportSource
from runner.host_links import COMMIT, commit_pattern, problem_of

BENCHMARKS = "benchmarks.json"
MACHINE = "machine.json"
SETTINGS_FILE = "asv.conf.json"
REMEDY = "Run asv for this revision anew, or remove the file"
UNKNOWN_FORMAT = "Formats 1 and 2 are known: update the folder with `asv update`"
# Results of one revision take a few hundred kilobytes, megabytes with all samples. Read, a file takes ten times as much.
LARGEST_FILE = 1 << 26
# As many characters of a commit as tell it from all others of a large project.
NAME_LENGTH = 10
_ENDINGS = (".json", ".json.gz")
_MILLISECONDS = 1000
_ADDRESSES = re.compile(r'^\s*"(?P<key>show_commit_url|repo)"\s*:\s*"(?P<value>[^"\\]*)"', re.MULTILINE)
# What of a machine tells whether it is still the same one.
_HARDWARE = ("arch", "cpu")
_TRACKED = MetricRecord("tracked value", "unit", "none")
_METRICS: Mapping[str, MetricRecord] = {
    # asv 0.3.1 and later measure by the wall clock unless a benchmark names another timer; which one, no file says.
    "time": WALL_SECONDS,
    "memory": MetricRecord("memory", "bytes", "none"),
    "peakmemory": MetricRecord("peak memory", "bytes", "none"),
}
# How asv tells the type of a benchmark by the last part of its name.
_PREFIXES = {"peakmem": "peakmemory", "mem": "memory", "timeraw": "time", "time": "time"}

Document = dict[str, Any]
# What the list of benchmarks says of one: its metric, and the names of its parameters in order.
Benchmark = tuple[MetricRecord, Sequence[str]]


def read_document(source: ImportSource, faults: FileFaults) -> Document | None:
    """The JSON object in a file; None, with a fault noted, where it cannot be read or holds anything else.

    Python writes NaN and Infinity into JSON, and so does asv.
    """
    try:
        content = source.read_once(faults.file, LARGEST_FILE)
    except SourceError as error:
        faults.all.add_fault(error.fault)
        return None
    if len(content) > LARGEST_FILE:
        problem = f"is larger than {LARGEST_FILE >> 20} MB: no result file of one revision is"
        faults.add(problem, "Remove the samples, or the file")
        return None
    try:
        document = from_json(content)
    except ValueError as error:
        remedy = "Copy it again, or remove it and run asv for its revision anew"
        faults.add(f"is no JSON ({error})", remedy)
        return None
    if not isinstance(document, dict):
        faults.add("is no JSON object", "Give a folder that asv wrote", value=repr(document))
        return None
    return document


def text_of(document: Document, key: str, faults: FileFaults) -> str:
    """The text under `key`; blank, with a fault noted, where there is none or a text that no database holds."""
    text = document.get(key)
    if isinstance(text, str) and text and is_storable(text):
        return text
    shown = "" if text is None else repr(text)
    faults.add("is no text" if key in document else "is missing", REMEDY, column=key, value=shown)
    return ""


def is_storable(text: str) -> bool:
    """Whether a database takes the text: NUL characters and halves of surrogate pairs it does not."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def unlisted_benchmark(name: str) -> Benchmark:
    """A benchmark that the suite has no longer: its metric is derived from its name, as asv does."""
    last = name.rpartition(".")[2].lower()
    kind = next((kind for prefix, kind in _PREFIXES.items() if last.startswith(prefix)), "")
    return _METRICS.get(kind, _TRACKED), ()


def revision_of(document: Document, faults: FileFaults) -> RevisionRecord | None:
    """The revision of a result file; None, with a fault noted, where it does not tell one."""
    commit = text_of(document, "commit_hash", faults)
    date = document.get("date")
    try:
        at = datetime.fromtimestamp(float(str(date)) / _MILLISECONDS, UTC)
    except (ValueError, OverflowError, OSError):
        faults.add("is no date in milliseconds since 1970", REMEDY, column="date", value=repr(date))
        return None
    if len(commit) > LONGEST["commit"]:
        problem = f"is longer than {LONGEST['commit']} characters"
        faults.add(problem, REMEDY, column="commit_hash", value=commit)
        return None
    return RevisionRecord(commit[:NAME_LENGTH], commit, "", at) if commit else None


def environment_of(document: Document, machine: Document, faults: FileFaults) -> EnvironmentRecord | None:
    """The machine and environment of a result file; None, with a fault noted, where it does not tell them."""
    if "env_name" in document:
        name = text_of(document, "env_name", faults)
    else:
        # Where asv wrote no name yet an environment is called by its Python and what it requires.
        required = document.get("requirements")
        versions = sorted(required.items()) if isinstance(required, dict) else ()
        parts = [f"{package}{version or ''}" for package, version in versions]
        name = "-".join([f"py{document.get('python', '')}", *parts])
        name = name if is_storable(name) else ""
    params = document.get("params")
    if not isinstance(params, dict):
        faults.add("is no description of the machine", REMEDY, column="params")
        return None
    if params.get("machine") != machine["machine"]:
        problem = f"names another machine than the folder's {machine['machine']!r}"
        remedy = "Move the file into the folder of its machine"
        faults.add(problem, remedy, column="params/machine", value=repr(params.get("machine")))
        return None
    parts = ["asv", machine["machine"], *(str(params.get(part, "")) for part in _HARDWARE), name]
    digest = sha256("\0".join(parts).encode(errors="replace")).hexdigest()
    title = f"{machine['machine']}, {name}"[: LONGEST["environment"]]
    details = {
        key: str(value) for key, value in params.items() if is_storable(key) and is_storable(str(value))
    }
    return EnvironmentRecord(digest, title, details) if name else None


def read_folder(
    source: ImportSource, faults: Faults
) -> tuple[Mapping[str, Benchmark], Sequence[tuple[str, Document]]]:
    """The benchmarks by name, and each result file with what is known of the machine whose folder it lies in.

    The folder may be the one that asv writes to or any above it. Faults of its benchmarks and machines are noted.
    """
    paths = [PurePosixPath(name) for name in sorted(source.names)]
    # The folder nearest to the top that holds a list of benchmarks.
    roots = [path.parent for path in paths if path.name == BENCHMARKS]
    if not roots:
        remedy = (
            "Give the folder that asv.conf.json names as results_dir; `asv run` writes the list of benchmarks"
        )
        faults.add(source.title, f"holds no {BENCHMARKS}", remedy)
        return {}, ()
    root = min(roots, key=lambda path: (len(path.parts), str(path)))
    inside = [path for path in paths if path.is_relative_to(root)]
    benchmarks = _read_benchmarks(source, FileFaults(str(root / BENCHMARKS), faults))
    machines: dict[PurePosixPath, Document] = {}
    for path in inside:
        if path.name == MACHINE:
            own = FileFaults(str(path), faults)
            document = read_document(source, own)
            if document is not None and text_of(document, "machine", own):
                machines[path.parent] = document
    results = [
        path
        for path in inside
        if path.name not in {BENCHMARKS, MACHINE} and str(path).endswith(_ENDINGS) and path.parent != root
    ]
    if strangers := sum(path.parent not in machines for path in results):
        remark = f"files lie in folders without a {MACHINE} and were passed over, as asv does"
        faults.remarks.append(f"{strangers} {remark}")
    return benchmarks, [(str(path), machines[path.parent]) for path in results if path.parent in machines]


def host_link_of(source: ImportSource) -> str:
    """How the project's host addresses commits, by the settings of asv where they lie in the folder; "" where nothing tells."""
    files = [PurePosixPath(name) for name in source.names if PurePosixPath(name).name == SETTINGS_FILE]
    if not files:
        return ""
    nearest = min(files, key=lambda path: (len(path.parts), str(path)))
    try:
        text = source.read(str(nearest)).decode("utf-8", "replace")
    except SourceError:
        return ""
    # asv's JSON has comments and commas that JSON does not: what is asked for stands alone on its line.
    told = {match["key"]: match["value"] for match in _ADDRESSES.finditer(text)}
    shown = told.get("show_commit_url", "")
    if shown and not problem_of(f"{shown}{COMMIT}"):
        return f"{shown}{COMMIT}"
    return commit_pattern(told.get("repo", ""))


def _read_benchmarks(source: ImportSource, faults: FileFaults) -> dict[str, Benchmark]:
    document = read_document(source, faults)
    if document is None:
        return {}
    version = document.pop("version", None)
    if version not in (1, 2) or isinstance(version, bool):
        faults.add("is of an unknown format", UNKNOWN_FORMAT, column="version", value=repr(version))
        return {}
    remedy = "Write the list anew: asv run --bench just-discover"
    benchmarks = {}
    for name, entry in document.items():
        benchmarks[name] = unlisted_benchmark(name)
        if not isinstance(entry, dict):
            faults.add("is no description of a benchmark", remedy, column=name, value=repr(entry))
            continue
        metric, _ = benchmarks[name]
        kind, unit, names = entry.get("type"), entry.get("unit"), entry.get("param_names", [])
        if kind is not None:
            metric = _METRICS.get(str(kind), _TRACKED)
        if not isinstance(names, list) or not all(isinstance(one, str) and is_storable(one) for one in names):
            faults.add("is no list of names", remedy, column=f"{name}/param_names", value=repr(names))
            names = []
        if unit is not None and metric.quantity != "time":
            if isinstance(unit, str) and len(unit) <= LONGEST["metric"] and is_storable(unit):
                metric = replace(metric, unit=unit)
            else:
                problem = f"is no unit of up to {LONGEST['metric']} characters"
                faults.add(problem, remedy, column=f"{name}/unit", value=repr(unit))
        benchmarks[name] = (metric, names)
    return benchmarks
