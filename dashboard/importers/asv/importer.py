"""Series and points out of all result files of a folder, of which one at a time is held; in two processes where that is safe."""

import multiprocessing
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import IO

from analytics.garbage import uncollected
from dashboard.importers.asv.folder import Benchmark, Document, host_link_of, read_folder
from dashboard.importers.asv.series import AsvSeries, State
from dashboard.importers.errors import Faults, FileFaults, InvalidSetting
from dashboard.importers.point_buffer import PointBuffer
from dashboard.importers.records import Imported
from dashboard.importers.settings import NO_SETTINGS, ImportSetting, ImportSettings, identity, single
from dashboard.importers.source import ImportSource

REPLACE = "replace"
SETTINGS = (
    ImportSetting(
        "reruns",
        REPLACE.upper(),
        f"write {REPLACE} to take results that were measured anew in place of earlier ones",
    ),
)
# More faults than anybody reads: the rest of a folder that is no folder of results is not looked at.
_ENOUGH = 1_000
# Of so many files on a second process reads the later ones. This one takes the smaller share: it joins the two.
MANY = 100
_SHARE = 0.48

# Result files, each with what is known of its machine.
Results = Sequence[tuple[str, Document]]


def read(source: ImportSource, given: ImportSettings = NO_SETTINGS) -> Imported:
    """The records of a folder of results, one point per value. Raises `InvalidBundle` and `InvalidSetting`.

    Machines, environments, benchmark versions and units are kept apart. Points go to a temporary file.
    """
    reruns = single(given, "reruns")
    if reruns not in {None, REPLACE}:
        remedy = f"Write {REPLACE}, or leave it away"
        raise InvalidSetting("reruns", "is nothing that can be done", remedy, reruns)
    faults = Faults()
    benchmarks, results = read_folder(source, faults)
    if not results and not faults.count:
        remedy = "Give the folder that asv.conf.json names as results_dir"
        faults.add(source.title, "holds no result of any revision", remedy)
    with uncollected(), tempfile.TemporaryFile() as buffer:
        found = None
        if not faults.count and len(results) >= MANY and _may_copy(source):
            found = _read_in_two(source, given, benchmarks, results, buffer)
        if found is None:
            # Nothing of a second process is left: whatever is wrong is told file by file.
            buffer.truncate(0)
            buffer.seek(0)
            series = AsvSeries(benchmarks, PointBuffer(buffer))
            _take(series, source, results, faults)
            faults.stop_if_any()
            found = series, identity(source, None, given)
        series, digest = found
        records = replace(series.records(digest, source.title), host_link=host_link_of(source))
    words = {"failed": "results failed and have no value", "skipped": "results were skipped by the suite"}
    faults.remarks += [f"{count} {words[kind]}" for kind, count in sorted(series.missing.items()) if count]
    return Imported(records, digest, tuple(faults.remarks), replaces=reruns == REPLACE)


def _take(series: AsvSeries, source: ImportSource, results: Results, faults: Faults) -> None:
    for file, machine in results:
        series.take(source, machine, FileFaults(file, faults))
        if faults.count > _ENOUGH:
            break


def _may_copy(source: ImportSource) -> bool:
    """Whether a copy of this process may read files: it has no other threads, and each file is opened by itself."""
    is_alone = threading.active_count() == 1 and not multiprocessing.current_process().daemon
    return source.is_folder and sys.platform == "linux" and is_alone


def _read_in_two(
    source: ImportSource,
    given: ImportSettings,
    benchmarks: Mapping[str, Benchmark],
    results: Results,
    buffer: IO[bytes],
) -> tuple[AsvSeries, str] | None:
    """What `read` finds with a second process, equal to what one alone finds, and the digest; None where there is a fault."""
    middle = int(_SHARE * len(results))
    with (
        tempfile.TemporaryFile() as further,
        _second(source, benchmarks, results[middle:], further) as second,
    ):
        faults = Faults()
        series = AsvSeries(benchmarks, PointBuffer(buffer))
        _take(series, source, results[:middle], faults)
        if faults.count:
            return None
        try:
            told: tuple[State, int, dict[str, str]] | None = second.recv()
        except EOFError:
            return None
        if told is None:
            return None
        state, count, digests = told
        source.digests |= digests
        joined = series.join(state, PointBuffer(further, count))
        return (series, identity(source, None, given)) if joined else None


@contextmanager
def _second(
    source: ImportSource, benchmarks: Mapping[str, Benchmark], results: Results, buffer: IO[bytes]
) -> Iterator[Connection]:
    """A copy of this process that reads these results; it sends what it found, None where there is a fault."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    copies = multiprocessing.get_context("fork")
    process = copies.Process(target=_send, args=(theirs, source, benchmarks, results, buffer), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        process.kill()
        process.join()
        ours.close()


def _send(
    to: Connection,
    source: ImportSource,
    benchmarks: Mapping[str, Benchmark],
    results: Results,
    buffer: IO[bytes],
) -> None:
    # What the other process does between files, such as telling the database that it lives, is not for two.
    source.go_on = lambda: None
    # Whoever interrupts both means the other one, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faults, points = Faults(), PointBuffer(buffer)
    series = AsvSeries(benchmarks, points)
    _take(series, source, results, faults)
    buffer.flush()
    to.send(None if faults.count else (series.state(), len(points), source.digests))
