"""Tools that measure Python: pytest-benchmark, pyperf and timeit."""

from datetime import UTC, datetime

from dashboard.importers.benchmarks.output import JsonValue, OutputError, ToolOutput
from dashboard.importers.benchmarks.results import (
    BenchmarkReport,
    BenchmarkResult,
    aggregate,
    one_value,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_keys, has_lines
from dashboard.importers.common_records import WALL_SECONDS
from dashboard.importers.records import MetricRecord

_TIMEIT = r"\d+ loops?, best of \d+: (?P<value>\S+) (?P<unit>nsec|usec|msec|sec) per loop"
_PYPERF_UNITS = {
    "second": WALL_SECONDS,
    "byte": MetricRecord("memory", "bytes", "none"),
}
_PLAIN = (str, int, float, bool)
_UNKNOWN_COMMITS = {"", "unknown", "unversioned"}


def instant_of(value: JsonValue | None) -> datetime | None:
    """The time that a text writes by ISO 8601, of UTC where it names no zone; None where there is none. Raises `OutputError`."""
    if value is None:
        return None
    try:
        instant = datetime.fromisoformat(value.text())
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise OutputError("is no date", value.place, value.text()) from None


def pytest_benchmark(output: ToolOutput) -> BenchmarkReport:
    """What `--benchmark-json` and `--benchmark-save` write."""
    document = output.document
    results = [_pytest_result(one) for one in document["benchmarks"].each()]
    commit = (document.get("commit_info") or JsonValue({})).texts()
    machine = document["machine_info"]
    cpu = (machine.get("cpu") or JsonValue({})).texts()
    told = machine.texts()
    is_known = commit.get("id", "") not in _UNKNOWN_COMMITS
    commit_time = document["commit_info"].get("time") if is_known else None
    return BenchmarkReport(
        results,
        commit=commit["id"] if is_known else "",
        committed_at=instant_of(commit_time),
        measured_at=instant_of(document.get("datetime")),
        machine={
            "cpu": cpu.get("brand_raw") or cpu.get("brand", "") or told.get("processor", ""),
            "architecture": told.get("machine", ""),
            "system": told.get("system", ""),
            "python": f"{told.get('python_implementation', '')} {told.get('python_version', '')}".strip(),
        },
        facts={
            "host": told.get("node", ""),
            "release": told.get("release", ""),
            "dirty": commit.get("dirty", ""),
        },
    )


def _pytest_result(one: JsonValue) -> BenchmarkResult:
    """One benchmark; its parameters are options where all of them are plain values, else they stay in its name."""
    name = one["fullname"].text()
    parameters = one.get("params")
    told = dict(parameters.items()) if parameters else {}
    options = {key: str(value.raw) for key, value in told.items() if isinstance(value.raw, _PLAIN)}
    if len(options) < len(told) or any(text.startswith("UNSERIALIZABLE") for text in options.values()):
        options = {}
    if options:
        name = name.partition("[")[0]
    stats = one["stats"]
    data = stats.get("data")
    if data is not None and data.raw != []:
        return BenchmarkResult(name, WALL_SECONDS, [value.number().value for value in data.each()], options)
    n, deviation = stats["rounds"].number(), stats["stddev"].number()
    return aggregate(name, WALL_SECONDS, stats["median"].number(), n=n, deviation=deviation, options=options)


def pyperf(output: ToolOutput) -> BenchmarkReport:
    """What `-o` of pyperf and pyperformance writes: one benchmark or a suite."""
    document = output.document
    common = (document.get("metadata") or JsonValue({})).texts()
    results = []
    facts = dict(common)
    for one in document["benchmarks"].each():
        own = common | (one.get("metadata") or JsonValue({})).texts()
        facts |= own
        runs = one["runs"].each()
        unit = own.get("unit", "second")
        if unit not in _PYPERF_UNITS:
            raise OutputError(
                "is a unit without a known direction", one["runs"].place, unit, "Measure seconds or bytes"
            )
        if not own.get("name"):
            raise OutputError("the benchmark has no name", one.place, "", "Give it one by --name")
        values = [value.number().value for run in runs if run.get("values") for value in run["values"].each()]
        if not values:
            raise OutputError("holds no value", one["runs"].place)
        results.append(BenchmarkResult(own["name"], _PYPERF_UNITS[unit], values))
    first = document["benchmarks"].each()[0]["runs"].each()[0].get("metadata")
    return BenchmarkReport(
        results,
        measured_at=instant_of(first.get("date") if first else None),
        machine={
            "cpu": facts.get("cpu_model_name", ""),
            "platform": facts.get("platform", ""),
            "python": f"{facts.get('python_implementation', '')} {facts.get('python_version', '')}".strip(),
        },
        facts={"host": facts.get("hostname", "")},
    )


def timeit(output: ToolOutput) -> BenchmarkReport:
    """What `python -m timeit` prints; it does not say what ran."""
    found = [
        one_value(
            "",
            WALL_SECONDS,
            line.number("value"),
            seconds_per(line.text("unit").removesuffix("ec"), line.place),
        )
        for line in output.all(_TIMEIT)
    ]
    return BenchmarkReport(found)


TOOLS = (
    BenchmarkTool(
        "pytest-benchmark",
        "JSON",
        "machine_info and benchmarks",
        has_keys("machine_info", "benchmarks"),
        pytest_benchmark,
    ),
    BenchmarkTool(
        "pyperf",
        "JSON",
        "benchmarks with runs, and version",
        lambda output: (
            has_keys("benchmarks", "version")(output)
            and not output.document.has("machine_info")
            and isinstance(output.document["benchmarks"].raw, list)
            and bool(output.document["benchmarks"].raw)
            and output.document["benchmarks"].each()[0].has("runs")
        ),
        pyperf,
    ),
    BenchmarkTool("timeit", "text", "lines “N loops, best of N: … per loop”", has_lines(_TIMEIT), timeit),
)
