"""Benchmarks of Go and Rust: `go test -bench`, `cargo bench` (libtest) and Criterion."""

import re

from pydantic_core import from_json

from dashboard.importers.benchmarks.output import JsonValue, OutputError, ToolOutput, number_of
from dashboard.importers.benchmarks.results import (
    ALLOCATED,
    THROUGHPUT,
    BenchmarkReport,
    BenchmarkResult,
    aggregate,
    one_value,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_keys, has_lines
from dashboard.importers.common_records import WALL_SECONDS
from dashboard.importers.records import MetricRecord

_ALLOCATIONS = MetricRecord("allocations", "", "none")
_GO = r"(?P<name>Benchmark\S*)\s+(?P<n>\d+)\t?\s+(?P<values>\S+ \S+/(?:op|s)\b.*)$"
_GO_METRICS = {
    "ns/op": (WALL_SECONDS, 1e-9),
    "MB/s": (THROUGHPUT, 1e6),
    "B/op": (ALLOCATED, 1.0),
    "allocs/op": (_ALLOCATIONS, 1.0),
}
_LIBTEST = (
    r"test (?P<name>.+?)\s+\.\.\. bench:\s+(?P<value>\S+) (?P<unit>ns|us|µs|ms)/iter \(\+/- (?P<range>\S+)\)"
)
_CRITERION = r"(?P<name>\S.*?)?\s+time:\s+\[\S+ \S+ (?P<value>\S+) (?P<unit>\S+) \S+ \S+\]"


def go_test(output: ToolOutput) -> BenchmarkReport:
    """What `go test -bench` prints; several lines of one benchmark (`-count`) are repetitions.

    Parts of a name written key=value are options, as `b.Run("size=10", ...)` makes them.
    """
    lines = list(output.all(_GO))
    if not any(end.line > lines[-1].line for end in output.all(r"(PASS|FAIL|ok\s)")):
        raise OutputError(
            "does not say PASS, ok or FAIL behind the last benchmark: it is not complete", lines[-1].place
        )
    told = {key: list(output.all(rf"{key}: (?P<value>.+)$")) for key in ("goos", "goarch", "cpu", "pkg")}
    processors = {found[0] if (found := re.findall(r"-\d+$", line.text("name"))) else "" for line in lines}
    results, left_out = [], set()
    for line in lines:
        package = next((one.text("value") for one in reversed(told["pkg"]) if one.line < line.line), "")
        name = line.text("name")
        # Which number of processors, where it is always the same one, is told of the machine.
        name = re.sub(r"-\d+$", "", name) if len(processors) == 1 else name
        plain, *parts = name.split("/")
        options = dict(part.split("=", 1) for part in parts if re.fullmatch(r"[A-Za-z_]\w*=.+", part))
        words = [plain, *(part for part in parts if part.partition("=")[0] not in options)]
        full = ".".join(one for one in (package, "/".join(words)) if one)
        cells = line.text("values").split()
        for value, unit in zip(cells[::2], cells[1::2], strict=False):
            if unit not in _GO_METRICS:
                left_out.add(unit)
                continue
            metric, factor = _GO_METRICS[unit]
            results.append(one_value(full, metric, number_of(value, line.place), factor, options=options))
    machine = {key: told[key][0].text("value") for key in ("cpu", "goos", "goarch") if told[key]}
    if len(processors) == 1:
        machine["gomaxprocs"] = f"GOMAXPROCS {processors.pop().lstrip('-') or 1}"
    failed = len(list(output.all(r"\s*--- FAIL: Benchmark")))
    return BenchmarkReport(results, machine=machine, left_out=sorted(left_out), failed=failed)


def libtest(output: ToolOutput) -> BenchmarkReport:
    """What `cargo bench` prints without a framework: medians of iterations."""
    lines = list(output.all(_LIBTEST))
    if not any(end.line > lines[-1].line for end in output.all(r"test result: ")):
        raise OutputError(
            "has no line “test result:” behind the last benchmark: it is not complete", lines[-1].place
        )
    results = []
    for line in lines:
        line.number("range")
        unit = seconds_per(line.text("unit"), line.place)
        results.append(one_value(line.text("name"), WALL_SECONDS, line.number("value"), unit))
    return BenchmarkReport(results)


def criterion(output: ToolOutput) -> BenchmarkReport:
    """What Criterion.rs prints: the estimate in the middle of each interval. A long name has a line of its own."""
    results = []
    for line in output.all(_CRITERION):
        name = line.text("name")
        if not name and line.line > 1:
            name = output.lines[line.line - 2].strip()
        if not name or ":" in name.partition(" ")[0][-1:]:
            raise OutputError("stands behind no name of a benchmark", line.place)
        unit = seconds_per(line.text("unit"), line.place)
        results.append(one_value(name, WALL_SECONDS, line.number("value"), unit))
    return BenchmarkReport(results)


def criterion_folder(output: ToolOutput) -> BenchmarkReport:
    """`new/estimates.json` in `target/criterion`, with the name and the samples that lie beside it."""
    own = output.beside("benchmark.json")
    if own is None:
        raise OutputError(
            "has no benchmark.json beside it, which names the benchmark",
            remedy="Give the whole folder target/criterion",
        )
    about = _document(own)
    name = "/".join(part.text() for key in ("group_id", "function_id") if (part := about.get(key)))
    level = about.get("value_str")
    options = {"value": level.text()} if level else {}
    samples = output.beside("sample.json")
    if samples is None:
        median, deviation = (output.document[key]["point_estimate"].number() for key in ("median", "std_dev"))
        return BenchmarkReport(
            [aggregate(name, WALL_SECONDS, median, deviation=deviation, factor=1e-9, options=options)]
        )
    found = _document(samples)
    iterations = [one.number() for one in found["iters"].each()]
    times = [one.number() for one in found["times"].each()]
    if len(iterations) != len(times) or not all(one.value for one in iterations):
        raise OutputError("does not have as many iterations as times in sample.json", found.place)
    values = [time.value / n.value * 1e-9 for time, n in zip(times, iterations, strict=True)]
    return BenchmarkReport([BenchmarkResult(name, WALL_SECONDS, values, options)])


def _document(text: str) -> JsonValue:
    try:
        return JsonValue(from_json(text))
    except ValueError as error:
        raise OutputError(f"lies beside a file that is no JSON ({error})") from None


TOOLS = (
    BenchmarkTool("go test", "text", "lines “BenchmarkName N … ns/op”", has_lines(_GO), go_test),
    BenchmarkTool(
        "cargo bench", "text", "lines “test name ... bench: N ns/iter (+/- N)”", has_lines(_LIBTEST), libtest
    ),
    BenchmarkTool(
        "Criterion", "text", "lines “name time: [low estimate high]”", has_lines(_CRITERION), criterion
    ),
    BenchmarkTool(
        "Criterion folder",
        "JSON",
        "estimates.json with mean, median and median_abs_dev",
        has_keys("mean", "median", "median_abs_dev", "std_dev"),
        criterion_folder,
        others=r"(?:.*/)?(?:(?:base|change|report)/.*|(?:new/)?(?:benchmark|sample|tukey)\.json|(?:new/)?raw\.csv|.*\.(?:svg|html))",
    ),
)
