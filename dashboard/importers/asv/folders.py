"""What lies in a folder of results: the list of benchmarks, the machines, and one file per revision."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from dashboard.importers.asv.benchmarks import Benchmark, read_benchmarks
from dashboard.importers.asv.documents import Document, read_document, text_of
from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.source import ImportSource

BENCHMARKS = "benchmarks.json"
MACHINE = "machine.json"
_ENDINGS = (".json", ".json.gz")


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of results; `results` names each result file and the machine whose folder it lies in."""

    title: str
    benchmarks: Mapping[str, Benchmark]
    results: tuple[tuple[str, Document], ...]
    remarks: tuple[str, ...]


def open_folder(source: ImportSource, faults: Faults) -> Folder:
    """What lies in the folder; the faults of its list of benchmarks and of its machines are noted.

    The folder may be the one that asv writes to or any above it.
    """
    names = sorted(source.names)
    root = _root(names)
    if root is None:
        faults.add(
            source.title,
            f"holds no {BENCHMARKS}",
            "Give the folder that asv.conf.json names as results_dir; `asv run` writes the list of benchmarks",
        )
        return Folder(source.title, {}, (), ())
    inside = [name for name in names if PurePosixPath(name).is_relative_to(root)]
    benchmarks = _read_benchmarks(source, str(root / BENCHMARKS), faults)
    machines = _machines(source, inside, faults)
    results = []
    strangers = 0
    for name in inside:
        path = PurePosixPath(name)
        if path.name in {BENCHMARKS, MACHINE} or not name.endswith(_ENDINGS) or path.parent == root:
            continue
        machine = machines.get(str(path.parent))
        if machine is None:
            strangers += 1
        else:
            results.append((name, machine))
    remarks = (
        (f"{strangers} files lie in folders without a {MACHINE} and were passed over, as asv does",)
        if strangers
        else ()
    )
    return Folder(source.title, benchmarks, tuple(results), remarks)


def _root(names: list[str]) -> PurePosixPath | None:
    """The folder nearest to the top that holds a list of benchmarks."""
    found = [PurePosixPath(name).parent for name in names if PurePosixPath(name).name == BENCHMARKS]
    return min(found, key=lambda path: (len(path.parts), str(path)), default=None)


def _read_benchmarks(source: ImportSource, file: str, faults: Faults) -> Mapping[str, Benchmark]:
    try:
        document = read_document(source, file, faults)
    except SourceError as error:
        faults.add_fault(error.fault)
        return {}
    return read_benchmarks(document, file, faults) if document is not None else {}


def _machines(source: ImportSource, names: list[str], faults: Faults) -> dict[str, Document]:
    """What is known of each machine, by its folder."""
    found: dict[str, Document] = {}
    for name in names:
        path = PurePosixPath(name)
        if path.name != MACHINE:
            continue
        try:
            document = read_document(source, name, faults)
        except SourceError as error:
            faults.add_fault(error.fault)
            continue
        if document is not None and text_of(document, "machine", name, faults):
            found[str(path.parent)] = document
    return found
