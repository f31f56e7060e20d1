"""Tools of the JVM and of .NET: JMH and BenchmarkDotNet."""

import re
from collections.abc import Iterator

from dashboard.importers.benchmarks.output import JsonValue, LineMatch, OutputError, Place, ToolOutput
from dashboard.importers.benchmarks.results import (
    ALLOCATED,
    OPERATIONS,
    BenchmarkReport,
    BenchmarkResult,
    aggregate,
    one_value,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_keys, has_lines
from dashboard.importers.common_records import WALL_SECONDS
from dashboard.importers.records import MetricRecord

_UNIT = re.compile(r"(?P<time>[a-zµμ]+)/op|ops/(?P<per>[a-zµμ]+)")
# Modes whose times are others than the average of the mode avgt.
_SUFFIXES = {"avgt": "", "thrpt": "", "sample": " (sampled)", "ss": " (single shot)"}
_JMH_TABLE = r"Benchmark\s+(?P<params>(?:\([^)\s]+\)\s+)*)Mode\s+Cnt\s+Score\s+(?:Error\s+)?Units\s*$"
_JMH_ROW = re.compile(
    r"(?P<name>[\w.$]+)\s+(?P<params>(?:\S+\s+)*?)(?P<mode>thrpt|avgt|sample|ss)\s+(?:(?P<count>\d+)\s+)?"
    r"(?P<score>\S+)\s+(?:±\s*\S+\s+)?(?P<unit>\S+/\S+)\s*$"
)


def _metric(unit: str, at: JsonValue | LineMatch) -> tuple[MetricRecord, float]:
    """The metric of a unit as JMH writes it, and the factor that brings its values into the metric's."""
    found = _UNIT.fullmatch(unit)
    if found is None:
        raise OutputError("is no unit of JMH", at.place, unit)
    if found["time"]:
        return WALL_SECONDS, seconds_per(found["time"], at.place)
    return OPERATIONS, 1 / seconds_per(found["per"], at.place)


def jmh(output: ToolOutput) -> BenchmarkReport:
    """What `-rf json` of JMH writes: all iterations of all forks, @Param as options."""
    results: list[BenchmarkResult] = []
    facts: dict[str, str] = {}
    for one in output.document.each():
        facts |= one.texts()
        mode = one["mode"]
        if mode.text() not in _SUFFIXES:
            raise OutputError("is no mode of JMH", mode.place, mode.text())
        name = one["benchmark"].text() + _SUFFIXES[mode.text()]
        parameters = one.get("params")
        options = {key: value.text() for key, value in parameters.items()} if parameters else {}
        primary = one["primaryMetric"]
        metric, factor = _metric(primary["scoreUnit"].text(), primary["scoreUnit"])
        raw = primary.get("rawData")
        values = (
            [value.number().value * factor for fork in raw.each() for value in fork.each()] if raw else []
        )
        values = values or [primary["score"].number().value * factor]
        results.append(BenchmarkResult(name, metric, values, options))
        further = one.get("secondaryMetrics")
        for key, value in further.items() if further else ():
            if key.endswith("gc.alloc.rate.norm") and value["scoreUnit"].text() == "B/op":
                results.append(one_value(name, ALLOCATED, value["score"].number(), options=options))
    machine = {
        "vm": f"{facts.get('vmName', '')} {facts.get('vmVersion', '')}".strip(),
        "jdk": facts.get("jdkVersion", ""),
    }
    return BenchmarkReport(results, machine=machine, facts={"jmh": facts.get("jmhVersion", "")})


def jmh_table(output: ToolOutput) -> BenchmarkReport:
    """The table that JMH prints last: scores with the number of iterations behind them."""
    header = output.required(_JMH_TABLE, "Benchmark … Mode Cnt Score Error Units")
    names = re.findall(r"\(([^)\s]+)\)", header.text("params"))
    results = []
    for at, line in enumerate(output.lines[header.line :], start=header.line + 1):
        if not line.strip():
            break
        if re.match(r"[\w.$]+:", line):
            continue  # percentiles and figures of profilers, which stand below their benchmark
        found = _JMH_ROW.match(line)
        row = LineMatch(at, found) if found else None
        levels = row.text("params").split() if row else []
        if row is None or len(levels) != len(names):
            raise OutputError("is no row of the table", Place(at), line)
        metric, factor = _metric(row.text("unit"), row)
        options = {name: level for name, level in zip(names, levels, strict=True) if level != "N/A"}
        name = row.text("name") + _SUFFIXES[row.text("mode")]
        count = row.number("count") if row.text("count") else None
        results.append(aggregate(name, metric, row.number("score"), n=count, factor=factor, options=options))
    return BenchmarkReport(results)


def benchmark_dotnet(output: ToolOutput) -> BenchmarkReport:
    """What the exporters JsonFull and JsonBrief write: nanoseconds of each iteration, parameters as options."""
    results: list[BenchmarkResult] = []
    failed = 0
    for one in output.document["Benchmarks"].each():
        if one.get("Statistics") is None:
            failed += 1
        else:
            results += _dotnet_results(one)
    host = output.document["HostEnvironmentInfo"].texts()
    keys = ("ProcessorName", "OsVersion", "Architecture", "RuntimeVersion")
    return BenchmarkReport(
        results,
        machine={key: host.get(key, "") for key in keys},
        facts={"version": host.get("BenchmarkDotNetVersion", "")},
        failed=failed,
    )


def _dotnet_results(one: JsonValue) -> Iterator[BenchmarkResult]:
    name = f"{one['Type'].text()}.{one['Method'].text()}"
    shown = one.get("DisplayInfo")
    job = re.search(r": (.+?)(?: \[|$)", shown.text()) if shown else None
    if job and job[1] != "DefaultJob":
        name += f" ({job[1]})"
    parameters = one.get("Parameters")
    written = str(parameters.raw) if parameters else ""
    options = dict(pair.split("=", 1) for pair in re.split("[&,] ?", written) if "=" in pair)
    statistics = one["Statistics"]
    raw = statistics.get("OriginalValues")
    if raw is not None and raw.raw:
        values = [value.number().value * 1e-9 for value in raw.each()]
        yield BenchmarkResult(name, WALL_SECONDS, values, options)
    else:
        n, deviation = statistics["N"].number(), statistics["StandardDeviation"].number()
        median = statistics["Median"].number()
        yield aggregate(name, WALL_SECONDS, median, n=n, deviation=deviation, factor=1e-9, options=options)
    memory = one.get("Memory")
    allocated = memory.get("BytesAllocatedPerOperation") if memory else None
    if allocated is not None:
        yield one_value(name, ALLOCATED, allocated.number(), options=options)


TOOLS = (
    BenchmarkTool(
        "JMH",
        "JSON",
        "a list of entries with jmhVersion or primaryMetric",
        lambda output: (
            isinstance(output.document.raw, list)
            and all(one.has("benchmark", "primaryMetric") for one in output.document.each())
        ),
        jmh,
    ),
    BenchmarkTool(
        "JMH table", "text", "a header “Benchmark … Mode Cnt Score Units”", has_lines(_JMH_TABLE), jmh_table
    ),
    BenchmarkTool(
        "BenchmarkDotNet",
        "JSON",
        "HostEnvironmentInfo and Benchmarks",
        has_keys("HostEnvironmentInfo", "Benchmarks"),
        benchmark_dotnet,
    ),
)
