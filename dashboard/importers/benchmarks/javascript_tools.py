"""Tools of JavaScript: benchmark.js, tinybench, Vitest and mitata."""

import re

from dashboard.importers.benchmarks.output import OutputError, Place, ToolOutput, number_of
from dashboard.importers.benchmarks.results import (
    OPERATIONS,
    BenchmarkReport,
    BenchmarkResult,
    aggregate,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_keys, has_lines
from dashboard.importers.common_records import WALL_SECONDS

_BENCHMARK_JS = r"\s*(?P<name>\S.*?) x (?P<value>\S+) ops/sec ±(?P<error>\S+)% \((?P<n>\S+) runs? sampled\)$"
_TABLE = r"│ \(index\)\s*│ '?Task [Nn]ame'?\s*│"
_TIME_COLUMN = re.compile(
    r"(?:Latency (?P<kind>med|avg|average|median)|(?P<old>Average Time)) \((?P<unit>ns|us|ms|s)\)"
)


def benchmark_js(output: ToolOutput) -> BenchmarkReport:
    """What benchmark.js prints of each case: operations in a second."""
    results = []
    for line in output.all(_BENCHMARK_JS):
        line.number("error")
        results.append(aggregate(line.text("name"), OPERATIONS, line.number("value"), n=line.number("n")))
    return BenchmarkReport(results)


def tinybench(output: ToolOutput) -> BenchmarkReport:
    """What `console.table(bench.table())` prints: the median where there is a column for it, else the average."""
    header = output.required(_TABLE, "│ (index) │ Task name │")
    columns = [one.strip().strip("'") for one in output.lines[header.line - 1].split("│")]
    times = {
        found["kind"] or "avg": (at, found["unit"])
        for at, one in enumerate(columns)
        if (found := _TIME_COLUMN.fullmatch(one))
    }
    if not times or "Samples" not in columns:
        raise OutputError("has no column of times, or none of samples", header.place)
    at, unit = next((times[kind] for kind in ("med", "median") if kind in times), next(iter(times.values())))
    results: list[BenchmarkResult] = []
    for line, text in enumerate(output.lines[header.line :], start=header.line + 1):
        if text.startswith("└"):
            return BenchmarkReport(results)
        if not text.startswith("│"):
            continue
        cells = [one.strip().strip("'") for one in text.split("│")]
        place = Place(line)
        if len(cells) != len(columns):
            raise OutputError("has another number of columns than the header", place, text)
        name = cells[columns.index("Task name" if "Task name" in columns else "Task Name")]
        n = number_of(cells[columns.index("Samples")], place)
        value = number_of(cells[at].partition("±")[0], place)
        results.append(aggregate(name, WALL_SECONDS, value, n=n, factor=seconds_per(unit, place)))
    raise OutputError("ends within the table: it is not complete", header.place)


def vitest(output: ToolOutput) -> BenchmarkReport:
    """What `vitest bench --outputJson` writes: milliseconds."""
    results = []
    for file in output.document["files"].each():
        for group in file["groups"].each():
            for one in group["benchmarks"].each():
                name = f"{group['fullName'].text()} > {one['name'].text()}"
                samples = one.get("samples")
                if samples is not None and samples.raw:
                    values = [sample.number().value * 1e-3 for sample in samples.each()]
                    results.append(BenchmarkResult(name, WALL_SECONDS, values))
                    continue
                value = one.get("median") or one["mean"]
                n, deviation = one["sampleCount"].number(), one["sd"].number()
                results.append(
                    aggregate(name, WALL_SECONDS, value.number(), n=n, deviation=deviation, factor=1e-3)
                )
    return BenchmarkReport(results)


def mitata(output: ToolOutput) -> BenchmarkReport:
    """What `run({ format: "json" })` prints: nanoseconds; arguments are options."""
    results = []
    failed = 0
    for one in output.document["benchmarks"].each():
        for run in one["runs"].each():
            if run.get("error") is not None or run.get("stats") is None:
                failed += 1
                continue
            arguments = run.get("args")
            options = arguments.texts() if arguments else {}
            values = [sample.number().value * 1e-9 for sample in run["stats"]["samples"].each()]
            results.append(BenchmarkResult(one["alias"].text(), WALL_SECONDS, values, options))
    context = output.document["context"]
    cpu = context.get("cpu")
    told = context.texts()
    machine = {
        "cpu": cpu.texts().get("name", "") if cpu else "",
        "arch": told.get("arch", ""),
        "runtime": f"{told.get('runtime', '')} {told.get('version', '')}".strip(),
    }
    return BenchmarkReport(results, machine=machine, failed=failed)


TOOLS = (
    BenchmarkTool(
        "benchmark.js",
        "text",
        "lines “name x N ops/sec ±N% (N runs sampled)”",
        has_lines(_BENCHMARK_JS),
        benchmark_js,
    ),
    BenchmarkTool("tinybench", "text", "a table with (index) and Task name", has_lines(_TABLE), tinybench),
    BenchmarkTool(
        "Vitest",
        "JSON",
        "files with groups of benchmarks",
        lambda output: (
            output.document.has("files")
            and all(one.has("filepath", "groups") for one in output.document["files"].each())
        ),
        vitest,
    ),
    BenchmarkTool(
        "mitata",
        "JSON",
        "layout, benchmarks and context",
        has_keys("layout", "benchmarks", "context"),
        mitata,
    ),
)
