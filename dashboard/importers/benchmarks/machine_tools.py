"""Tools that measure machines: sysbench, fio, iperf3 and stress-ng."""

from collections.abc import Iterator

from dashboard.importers.benchmarks.database_tools import TRANSACTIONS
from dashboard.importers.benchmarks.http_tools import latency
from dashboard.importers.benchmarks.output import JsonValue, OutputError, ToolOutput
from dashboard.importers.benchmarks.results import (
    BINARY,
    OPERATIONS,
    THROUGHPUT,
    BenchmarkReport,
    BenchmarkResult,
    aggregate,
    one_value,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_keys, has_lines
from dashboard.importers.records import MetricRecord

_EVENTS = MetricRecord("events", "1/s", "none", "higher")
_BOGUS = MetricRecord("bogus operations", "1/s", "none", "higher")
_RETRANSMITS = MetricRecord("retransmits", "", "none")
_SYSBENCH = r"sysbench \d\S* \("
_STRESS = (
    r"stress-ng: (?:info|metrc): \s*\[\d+\] stressor\s+bogo ops real time  usr time  sys time   bogo ops/s"
)
_STRESS_ROW = (
    r"stress-ng: (?:info|metrc): \s*\[\d+\] (?P<name>[a-z][\w-]*)\s+(?P<operations>\d\S*)\s+(?P<real>\d\S*)\s+(?P<user>\S+)\s+"
    r"(?P<system>\S+)\s+(?P<rate>\S+)\s+\S+"
)
# What each test of sysbench prints of itself, and the settings that tell it from others.
_SYSBENCH_TESTS = {
    "cpu": (r"CPU speed:", {"limit": "Prime numbers limit"}),
    "memory": (
        r"Running memory speed test",
        {"block": "  block size", "operation": "  operation", "scope": "  scope"},
    ),
    "sql": (r"SQL statistics:", {}),
}


def sysbench(output: ToolOutput) -> BenchmarkReport:
    """What sysbench 1.0 prints: events or transactions in a second, bytes moved, latencies in milliseconds.

    Tests of SQL are written in Lua, and the output does not say which one ran.
    """
    starts = list(output.all(_SYSBENCH))
    if len(starts) > 1:
        raise OutputError("holds more than one run", starts[1].place, remedy="Give a file for each")
    output.required(r"Threads fairness:", "Threads fairness:")
    output.required(r"\s+execution time \(avg/stddev\):", "execution time (avg/stddev):")

    told = output.required
    threads = told(r"Number of threads: (?P<value>\S+)$", "Number of threads:").text("value")
    test = next((name for name, (mark, _) in _SYSBENCH_TESTS.items() if output.find(mark)), "")
    if not test:
        remedy = f"Known are {', '.join(_SYSBENCH_TESTS)}"
        raise OutputError("is of a test of sysbench that is not supported", starts[0].place, remedy=remedy)
    known = _SYSBENCH_TESTS[test][1]
    settings = [
        f"{short} {told(rf'{key}: (?P<value>.+)$', f'{key}:').text('value')}" for short, key in known.items()
    ]
    name = "" if test == "sql" else f"{test} ({', '.join([*settings, f'threads {threads}'])})"
    results = []
    if test == "cpu":
        results.append(
            one_value(
                name,
                _EVENTS,
                told(r"\s+events per second:\s+(?P<value>\S+)$", "events per second:").number("value"),
            )
        )
    elif test == "memory":
        line = told(r".*\((?P<value>[\d.]+) (?P<unit>[KMG])iB/sec\)$", "MiB transferred (… MiB/sec)")
        results.append(one_value(name, THROUGHPUT, line.number("value"), BINARY[line.text("unit")]))
        line = told(r"Total operations: \S+ \(\s*(?P<value>\S+) per second\)$", "Total operations:")
        results.append(one_value(name, OPERATIONS, line.number("value")))
    else:
        line = told(r"\s+transactions:\s+\S+\s+\((?P<value>\S+) per sec\.\)$", "transactions:")
        results.append(one_value(name, TRANSACTIONS, line.number("value")))
    for which, key in (("mean", "avg"), ("p95", "95th percentile")):
        line = told(rf"\s+{key}:\s+(?P<value>\S+)$", f"{key}:")
        if test != "memory":  # hundredths of a millisecond tell nothing of an access to memory
            results.append(one_value(name, latency(which), line.number("value"), 1e-3))
    return BenchmarkReport(results)


def fio(output: ToolOutput) -> BenchmarkReport:
    """What `--output-format=json` of fio writes: of each job and direction bytes and operations in a second, and latency."""
    results: list[BenchmarkResult] = []
    for job in output.document["jobs"].each():
        error = job.get("error")
        if error is not None and error.number().value:
            raise OutputError("the job failed", error.place, f"{error.raw}", "Measure it where it succeeds")
        for direction in ("read", "write", "trim"):
            if (one := job.get(direction)) is not None and one["total_ios"].number().value:
                results += _fio_results(f"{job['jobname'].text()} {direction}", one)
    return BenchmarkReport(results, facts={"fio": output.document["fio version"].text()})


def _fio_results(name: str, one: JsonValue) -> Iterator[BenchmarkResult]:
    yield one_value(name, OPERATIONS, one["iops"].number())
    yield one_value(name, THROUGHPUT, one["bw_bytes"].number())
    # Microseconds before version 3, nanoseconds since.
    told = one["lat_ns"]
    yield aggregate(
        name,
        latency("mean"),
        told["mean"].number(),
        n=one["total_ios"].number(),
        deviation=told["stddev"].number(),
        factor=1e-9,
    )
    percentiles = one["clat_ns"].get("percentile")
    for key, which in {"99.000000": "p99", "95.000000": "p95"}.items():
        if percentiles is not None and (value := percentiles.get(key)) is not None:
            yield one_value(
                name, MetricRecord(f"completion latency {which}", "s", "wall"), value.number(), 1e-9
            )


def iperf3(output: ToolOutput) -> BenchmarkReport:
    """What `-J` of iperf3 prints: what was received in a second, and what had to be sent again."""
    document = output.document
    error = document.get("error")
    if error is not None:
        raise OutputError("the test failed", error.place, error.text(), "Measure it where it succeeds")
    test = document["start"]["test_start"]
    parts = [f"streams {test['num_streams'].number().value:g}"]
    if test["reverse"].number().value:
        parts.append("reverse")
    name = f"{test['protocol'].text()} ({', '.join(parts)})"
    end = document["end"]
    received = end.get("sum_received") or end["sum"]
    results = [one_value(name, THROUGHPUT, received["bits_per_second"].number(), 0.125)]
    sent = end.get("sum_sent")
    again = sent.get("retransmits") if sent is not None else None
    if again is not None:
        results.append(one_value(name, _RETRANSMITS, again.number()))
    return BenchmarkReport(results, facts={"iperf": document["start"]["version"].text()})


def stress_ng(output: ToolOutput) -> BenchmarkReport:
    """What `--metrics-brief` of stress-ng prints: operations of each stressor in a second of real time."""
    lines = list(output.all(_STRESS_ROW))
    output.required(
        r"stress-ng: info: .*(?:successful run completed|unsuccessful run completed|passed: )",
        "run completed in …",
    )
    results = []
    for line in lines:
        for group in ("operations", "real", "user", "system"):
            line.number(group)
        results.append(one_value(line.text("name"), _BOGUS, line.number("rate")))
    if not results:
        raise OutputError("has no row of a stressor")
    return BenchmarkReport(results)


TOOLS = (
    BenchmarkTool("sysbench", "text", "a line “sysbench VERSION”", has_lines(_SYSBENCH), sysbench),
    BenchmarkTool("fio", "JSON", "fio version and jobs", has_keys("fio version", "jobs"), fio),
    BenchmarkTool(
        "iperf3",
        "JSON",
        "start, intervals and end",
        lambda output: (
            has_keys("start", "intervals", "end")(output) and output.document["start"].has("version")
        ),
        iperf3,
    ),
    BenchmarkTool(
        "stress-ng", "text", "a header “stressor bogo ops real time”", has_lines(_STRESS), stress_ng
    ),
)
