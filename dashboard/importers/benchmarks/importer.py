"""Files of benchmark tools put together as records: points of benchmarks, and runs of those that have parameters."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import PurePosixPath

from dashboard.importers.benchmarks.collection import BenchmarkCollection
from dashboard.importers.benchmarks.output import OutputError, ToolOutput, require_whole_lines
from dashboard.importers.benchmarks.registry import TOOLS, tool_of, tools_of
from dashboard.importers.benchmarks.results import BenchmarkReport
from dashboard.importers.common_records import batch_record
from dashboard.importers.errors import Faults, InvalidSetting, SourceError
from dashboard.importers.instants import read_instant
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import Imported, RevisionRecord
from dashboard.importers.settings import NO_SETTINGS, ImportSetting, ImportSettings, identity, single
from dashboard.importers.source import ImportSource
from dashboard.importers.text_files import read_text
from dashboard.importers.unmerged import BASE

REPLACE = "replace"
SETTINGS = (
    ImportSetting(
        "revision", "NAME", "the revision that ran: a commit or a release, where the file does not tell it"
    ),
    ImportSetting(
        "date", "TIME", "when that revision was made, as 2026-05-01T12:00:00Z: its place in histories"
    ),
    ImportSetting("benchmark", "NAME", "what ran, where the tool does not tell it"),
    ImportSetting("environment", "NAME", "the machine it ran on, in place of what the file tells"),
    ImportSetting(
        "reruns",
        REPLACE.upper(),
        f"write {REPLACE} to take results that were measured anew in place of earlier ones",
    ),
)
# Files, and bytes of each, that are looked at to tell the format of a source.
_MOST_FILES = 50
_MOST_BYTES = 1 << 24
# As asv's folders call a commit.
_SHORT = 10
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_DATES = "dates"
_UNDATED = "nothing tells when {} was made: it has no place in histories until it is imported with --date"
_MEASURED = (
    "its place in histories is when it was measured, for the file does not tell when {} was made: --date does"
)


def read(source: ImportSource, given: ImportSettings = NO_SETTINGS) -> Imported:
    """The records of a file of a benchmark tool, or of several. Raises `InvalidBundle`, `InvalidSetting` and `SourceError`."""
    reruns = single(given, "reruns")
    if reruns not in {None, REPLACE}:
        raise InvalidSetting(
            "reruns", "is nothing that can be done", f"Write {REPLACE}, or leave it away", reruns
        )
    for name in ("revision", "benchmark", "environment"):
        text = single(given, name)
        longest = LONGEST["workload" if name == "benchmark" else name]
        if text is not None and (len(text) > longest or not text.isprintable()):
            raise InvalidSetting(name, "cannot be stored", f"Use up to {longest} plain characters", text[:80])
    faults = Faults()
    reports = dict(_reports(source, faults))
    if not reports and not faults.count:
        faults.add(source.title, "holds no file", "Give the output of a benchmark tool")
    faults.stop_if_any()
    benchmark = single(given, "benchmark")
    named = {}
    for file, (_, report) in reports.items():
        if benchmark is None and not all(one.benchmark for one in report.results):
            raise InvalidSetting("benchmark", f"{file} does not tell what ran", "Name it")
        results = [replace(one, benchmark=one.benchmark or benchmark or "") for one in report.results]
        named[file] = replace(report, results=results)
    collection = BenchmarkCollection(faults, single(given, "environment"))
    for file, revision in _revisions(named, given, faults):
        collection.take(file, named[file], revision)
    faults.stop_if_any()
    digest = identity(source, None, given)
    tools = {file: tool for file, (tool, _) in reports.items()}
    records = collection.records()
    dated = all(one.released_at is not None for one in records.revisions)
    batch = batch_record("benchmarks", digest, source.title, {"tools": tools})
    records = replace(records, batches=(batch,), date_order=_DATES if dated else "")
    return Imported(records, digest, tuple(dict.fromkeys(faults.remarks)), replaces=reruns == REPLACE)


def is_told(source: ImportSource) -> bool:
    """Whether one of the files is the output of exactly one tool."""
    for file in islice(sorted(source.names), _MOST_FILES):
        try:
            with source.stream(file) as stream:
                content = stream.read(_MOST_BYTES + 1)
        except SourceError:
            continue
        output = ToolOutput(file, content[:_MOST_BYTES].decode("utf-8", "replace"))
        tools = [one for one in tools_of(output) if len(content) <= _MOST_BYTES or one.kind == "CSV"]
        if len(tools) == 1:
            return True
    return False


def _reports(source: ImportSource, faults: Faults) -> Iterator[tuple[str, tuple[str, BenchmarkReport]]]:
    """Each file with the name of its tool and what it says; faults are noted."""
    others = [re.compile(one.others) for one in TOOLS if one.others]
    for file in sorted(source.names):
        if len(source.names) > 1 and any(pattern.fullmatch(file) for pattern in others):
            continue
        text = read_text(source, file, faults)
        if text is None:
            continue

        def beside(name: str, path: str = file) -> str | None:
            other = str(PurePosixPath(path).parent / name)
            return read_text(source, other, faults) if other in source.names else None

        try:
            found = _report_of(ToolOutput(file, text, beside))
        except OutputError as error:
            line, path = error.place
            faults.add(file, error.problem, error.remedy, line=line, column=path, value=error.value)
        except SourceError as error:
            faults.add_fault(error.fault)
        else:
            faults.remarks += _remarks(file, *found)
            yield file, found
        source.go_on()


def _report_of(output: ToolOutput) -> tuple[str, BenchmarkReport]:
    """The name of the tool that wrote the output, and what it says. Raises `OutputError` and `SourceError`."""
    tool = tool_of(output)
    if tool.kind in ("text", "CSV"):
        require_whole_lines(output)
    report = tool.read(output)
    if not report.results:
        left = ", ".join(report.left_out[:8])
        told = f"; of {left} nothing tells which direction is better" if left else ""
        remedy = "Give the output of a run that measured something"
        raise OutputError(f"is of {tool.name} and holds no result{told}", remedy=remedy)
    return tool.name, report


def _remarks(file: str, tool: str, report: BenchmarkReport) -> Iterator[str]:
    """What was told, and what is left out, in words."""
    n = len({(one.benchmark, tuple(one.options.items())) for one in report.results})
    yield f"{file} is the output of {tool}: {n} benchmark{'' if n == 1 else 's'}."
    if report.failed:
        yield f"{file}: {report.failed} failed and {'has' if report.failed == 1 else 'have'} no value."
    if report.left_out:
        left = ", ".join(report.left_out[:8]) + (", ..." if len(report.left_out) > 8 else "")
        yield f"{file}: left out, as not measured or without a direction that is known to be better: {left}."


def _revisions(
    reports: dict[str, BenchmarkReport], given: ImportSettings, faults: Faults
) -> Iterator[tuple[str, RevisionRecord]]:
    """The revision of each file: the one that is given, else the file's own. Raises `InvalidSetting`."""
    name, date = single(given, "revision"), single(given, "date")
    commits = {one.commit for one in reports.values() if one.commit}
    if len(commits) > 1:
        for setting, text in (("revision", name), ("date", date)):
            if text is not None:
                raise InvalidSetting(
                    setting, f"the files are of {len(commits)} revisions, as they tell", "Leave it away", text
                )
    at: datetime | None = None
    if date is not None:
        try:
            at = read_instant(date)
        except ValueError as error:
            remedy = "Write 2026-05-01T12:00:00Z, or what git log -1 --format=%cI prints"
            raise InvalidSetting("date", str(error), remedy, date) from None
    known: dict[str, RevisionRecord] = {}
    for file, report in reports.items():
        told = name or report.commit
        if not told:
            raise InvalidSetting(
                "revision", f"{file} does not tell which revision ran", "Give the commit or the release"
            )
        is_commit = _COMMIT.fullmatch(told) is not None
        short = told[:_SHORT] if is_commit else told
        made = at or (report.committed_at if told == report.commit else None)
        # A revision of an unmerged branch has no place in time.
        if made is None and not given.get(BASE.name):
            faults.remarks.append(f"{file}: {(_MEASURED if report.measured_at else _UNDATED).format(short)}.")
        made = made or report.measured_at
        record = RevisionRecord(short, told if is_commit else "", "", made.astimezone(UTC) if made else None)
        yield file, known.setdefault(short, record)
