"""Tools of further languages, and what services for benchmarks take: PHPBench, BenchmarkTools.jl, benchmark-ips, Bencher."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dashboard.importers.benchmarks.output import JsonValue, OutputError, Place, ToolOutput, number_of
from dashboard.importers.benchmarks.python_tools import instant_of
from dashboard.importers.benchmarks.results import (
    ALLOCATED,
    CPU_SECONDS,
    OPERATIONS,
    PEAK_MEMORY,
    BenchmarkReport,
    BenchmarkResult,
    one_value,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_lines
from dashboard.importers.common_records import WALL_SECONDS
from dashboard.importers.records import MetricRecord
from dashboard.importers.xml_elements import Element

if TYPE_CHECKING:
    from datetime import datetime

_IPS = r"\s*(?P<name>\S.*?)?\s+(?P<value>[\d.]+)(?P<unit>[kMBTQ]?)\s*\(±\s*(?P<error>\S+?)%\) i/s"
_IPS_UNITS = {"": 1.0, "k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12, "Q": 1e15}
_RUBY_HEADER = r"\s+user\s+system\s+total\s+real$"
_RUBY = r"(?P<name>\S.*?)?\s+(?P<user>\d\S*)\s+(?P<system>\d\S*)\s+(?P<total>\d\S*)\s+\(\s*(?P<real>\S+)\)$"
_FEWER = ("instructions", "l1-accesses", "l2-accesses", "ram-accesses", "total-accesses", "estimated-cycles")
# The measures that Bencher has by itself, with their units.
_BENCHER = {
    "latency": (WALL_SECONDS, 1e-9),
    "throughput": (OPERATIONS, 1.0),
    "build-time": (MetricRecord("build time", "s", "wall"), 1.0),
    "file-size": (MetricRecord("file size", "bytes", "none"), 1.0),
    **{name: (MetricRecord(name, "", "count"), 1.0) for name in _FEWER},
}


def phpbench(output: ToolOutput) -> BenchmarkReport:
    """What `--dump-file` of PHPBench writes: microseconds of each iteration, parameters as options."""
    results: list[BenchmarkResult] = []
    commit, machine = "", {}
    measured_at: datetime | None = None
    for element in output.elements():
        if element.tag == "benchmark":
            for subject in element.children:
                name = f"{element.attributes.get('class', '')}::{subject.attributes.get('name', '')}".lstrip(
                    "\\"
                )
                for variant in subject.children:
                    if variant.tag == "variant":
                        results += _php_variant(name, variant)
        elif element.tag == "env":
            facts = {one.tag: one.attributes for one in element.children}
            commit = facts.get("vcs", {}).get("version", "")
            uname = facts.get("uname", {})
            machine = {
                "system": uname.get("os", ""),
                "machine": uname.get("machine", ""),
                "php": f"PHP {facts.get('php', {}).get('version', '')}",
            }
        elif element.tag == "suite" and element.attributes.get("date"):
            measured_at = instant_of(JsonValue(element.attributes["date"].replace(" ", "T"), "suite/date"))
    return BenchmarkReport(results, commit=commit, measured_at=measured_at, machine=machine)


def _php_variant(name: str, variant: Element) -> Iterator[BenchmarkResult]:
    options = {
        one.attributes.get("name", ""): one.attributes.get("value", "")
        for each in variant.children
        if each.tag == "parameter-set"
        for one in each.children
    }
    iterations = [one for one in variant.children if one.tag == "iteration"]
    if not iterations:
        raise OutputError("has no iteration", Place(variant.line))
    times = [
        number_of(one.attributes.get("time-avg", ""), Place(one.line)).value * 1e-6 for one in iterations
    ]
    yield BenchmarkResult(name, WALL_SECONDS, times, options)
    if "mem-peak" in iterations[0].attributes:
        peaks = [number_of(one.attributes.get("mem-peak", ""), Place(one.line)).value for one in iterations]
        yield BenchmarkResult(name, PEAK_MEMORY, peaks, options)


def benchmark_tools(output: ToolOutput) -> BenchmarkReport:
    """What `BenchmarkTools.save` of Julia writes: nanoseconds of each sample, and memory of one evaluation."""
    header, content = output.document.each()
    results: list[BenchmarkResult] = []
    for one in content.each():
        _julia_results(one, "", results)
    return BenchmarkReport(results, machine={"julia": f"Julia {header.texts().get('Julia', '')}"})


def _julia_results(one: JsonValue, path: str, results: list[BenchmarkResult]) -> None:
    parts = one.each()
    if len(parts) != 2:
        raise OutputError("is no pair of a type and its content", one.place)
    kind, content = parts[0].text().rpartition(".")[2], parts[1]
    if kind == "BenchmarkGroup":
        for name, inner in content["data"].items():
            _julia_results(inner, f"{path}/{name}" if path else name, results)
    elif kind in ("Trial", "TrialEstimate"):
        times = content["times"].each() if kind == "Trial" else [content["time"]]
        results.append(
            BenchmarkResult(path or "trial", WALL_SECONDS, [time.number().value * 1e-9 for time in times])
        )
        results.append(one_value(path or "trial", ALLOCATED, content["memory"].number()))
    else:
        raise OutputError("is no group or trial", parts[0].place, kind)


def benchmark_ips(output: ToolOutput) -> BenchmarkReport:
    """What benchmark-ips of Ruby prints: iterations in a second. A long name has a line of its own."""
    results = []
    for line in output.all(_IPS):
        name = line.text("name") or output.lines[line.line - 2].strip()
        line.number("error")
        results.append(one_value(name, OPERATIONS, line.number("value"), _IPS_UNITS[line.text("unit")]))
    return BenchmarkReport(results)


def ruby_benchmark(output: ToolOutput) -> BenchmarkReport:
    """What `Benchmark.bm` of Ruby prints: seconds by the wall clock and of the processor."""
    results = []
    for line in output.all(_RUBY):
        name = line.text("name").rstrip(":")
        for group in ("user", "system"):
            line.number(group)
        results.append(one_value(name, WALL_SECONDS, line.number("real")))
        results.append(one_value(name, CPU_SECONDS, line.number("total")))
    return BenchmarkReport(results)


def bencher(output: ToolOutput) -> BenchmarkReport:
    """Bencher Metric Format: the measures that Bencher has by itself; of others nothing tells which direction is better."""
    results, left_out = [], set()
    for name, measures in output.document.items():
        for measure, one in measures.items():
            if measure in _BENCHER:
                metric, factor = _BENCHER[measure]
                results.append(one_value(name, metric, one["value"].number(), factor))
            else:
                left_out.add(measure)
    return BenchmarkReport(results, left_out=sorted(left_out))


def custom_action(output: ToolOutput) -> BenchmarkReport:
    """The lists that github-action-benchmark takes: times, and amounts in a second; of other units no direction is told."""
    results, left_out = [], set()
    for one in output.document.each():
        unit = one["unit"].text().strip()
        name, value = one["name"].text(), one["value"].number()
        rate = unit.lower() in ("ops/s", "ops/sec", "iter/sec", "iter/s", "req/s", "requests/sec")
        plain = unit.partition("/")[0] if unit.endswith(("/iter", "/op")) else unit
        if rate:
            results.append(one_value(name, OPERATIONS, value))
        elif plain in ("ns", "us", "µs", "ms", "s", "sec", "seconds"):
            results.append(one_value(name, WALL_SECONDS, value, seconds_per(plain, one["unit"].place)))
        else:
            left_out.add(unit)
    return BenchmarkReport(results, left_out=sorted(left_out))


def _is_bencher(output: ToolOutput) -> bool:
    raw = output.document.raw
    return (
        isinstance(raw, dict)
        and bool(raw)
        and all(
            isinstance(one, dict)
            and one
            and all(isinstance(each, dict) and "value" in each for each in one.values())
            for one in raw.values()
        )
    )


TOOLS = (
    BenchmarkTool("PHPBench", "XML", "phpbench", lambda output: output.root() == "phpbench", phpbench),
    BenchmarkTool(
        "BenchmarkTools.jl",
        "JSON",
        "versions of Julia and BenchmarkTools, then groups",
        lambda output: (
            isinstance(output.document.raw, list)
            and len(output.document.raw) == 2
            and output.document.each()[0].has("BenchmarkTools")
        ),
        benchmark_tools,
    ),
    BenchmarkTool("benchmark-ips", "text", "lines “name N (±N%) i/s”", has_lines(_IPS), benchmark_ips),
    BenchmarkTool(
        "Ruby Benchmark",
        "text",
        "a header “user system total real”",
        has_lines(_RUBY_HEADER, _RUBY),
        ruby_benchmark,
    ),
    BenchmarkTool("Bencher", "JSON", "benchmarks with measures with a value", _is_bencher, bencher),
    BenchmarkTool(
        "github-action-benchmark",
        "JSON",
        "a list of entries with name, unit and value",
        lambda output: (
            isinstance(output.document.raw, list)
            and all(one.has("name", "unit", "value") for one in output.document.each())
        ),
        custom_action,
    ),
)
