"""Frameworks of C++: Google Benchmark, Catch2, nanobench and Celero."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from dashboard.importers.benchmarks.output import JsonValue, OutputError, Place, ToolOutput, number_of
from dashboard.importers.benchmarks.python_tools import instant_of
from dashboard.importers.benchmarks.results import (
    CPU_SECONDS,
    PEAK_MEMORY,
    THROUGHPUT,
    BenchmarkReport,
    BenchmarkResult,
    aggregate,
    one_value,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_columns, has_keys
from dashboard.importers.common_records import WALL_SECONDS
from dashboard.importers.records import MetricRecord
from dashboard.importers.xml_elements import Element

_ITEMS = MetricRecord("items", "1/s", "none", "higher")
_NAMED = re.compile(r"([A-Za-z_]\w*):(-?[\d.]+)")
# How a Google Benchmark is run, not what it is given.
_SETTINGS = {"repeats", "iterations", "min_time", "min_warmup_time"}
_AGGREGATES = re.compile(r"_(mean|median|stddev|cv|BigO|RMS|min|max)$")
_RATES = {"items_per_second": _ITEMS, "bytes_per_second": THROUGHPUT}
_SPAN = "Problem Space"


def _google_name(name: str) -> tuple[str, dict[str, str]]:
    """The benchmark's own name, and its arguments: those without a name are called arg1, arg2 and so on."""
    base, *parts = name.split("/")
    options: dict[str, str] = {}
    for part in parts:
        if found := _NAMED.fullmatch(part):
            if found[1] not in _SETTINGS:
                options[found[1]] = found[2]
        elif re.fullmatch(r"-?\d+", part):
            options[f"arg{1 + sum(key.startswith('arg') for key in options)}"] = part
        else:
            base = f"{base}/{part}"
    return base, options


def google_benchmark(output: ToolOutput) -> BenchmarkReport:
    """What `--benchmark_format=json` and `--benchmark_out` write: repetitions, or aggregates where these alone are there."""
    document = output.document
    repetitions: dict[str, list[JsonValue]] = {}
    aggregates: dict[str, dict[str, JsonValue]] = {}
    failed = 0
    for one in document["benchmarks"].each():
        name = one["name"].text()
        run_name = one.get("run_name")
        own = run_name.text() if run_name else _AGGREGATES.sub("", name)
        kind = one.get("run_type")
        is_aggregate = kind.text() == "aggregate" if kind else own != name
        error = one.get("error_occurred")
        if error is not None and error.raw is True:
            failed += 1
        elif is_aggregate:
            told = one.get("aggregate_name")
            found = _AGGREGATES.search(name)
            aggregates.setdefault(own, {})[told.text() if told else found[1] if found else ""] = one
        else:
            repetitions.setdefault(own, []).append(one)
    each = [_google_values(name, one) for name, several in repetitions.items() for one in several]
    results = list(chain.from_iterable(each))
    for name, known in aggregates.items():
        if name not in repetitions and "median" in known:
            results += _google_values(name, known["median"], known.get("stddev"))
    context = document["context"].texts()
    caches = document["context"].get("caches")
    levels = [one.texts() for one in caches.each()] if caches is not None and caches.raw else []
    return BenchmarkReport(
        results,
        measured_at=instant_of(document["context"].get("date")),
        machine={
            "processors": f"{context.get('num_cpus', '')} processors",
            "scaling": "frequency scaled" if context.get("cpu_scaling_enabled") == "True" else "",
            "library": f"library {context.get('library_build_type', '')}",
            "caches": ", ".join(f"L{one.get('level')} {one.get('type')} {one.get('size')}" for one in levels),
        },
        facts={"host": context.get("host_name", ""), "mhz_per_cpu": context.get("mhz_per_cpu", "")},
        failed=failed,
    )


def _google_values(
    name: str, one: JsonValue, deviation: JsonValue | None = None
) -> Iterator[BenchmarkResult]:
    base, options = _google_name(name)
    n = one.get("repetitions") if deviation is not None else None
    for key, metric in {"real_time": WALL_SECONDS, "cpu_time": CPU_SECONDS, **_RATES}.items():
        value = one.get(key)
        if value is None:
            if key == "real_time":
                raise OutputError("is missing", Place(path=f"{one.place.path}/real_time"))
            continue
        factor = 1.0 if key in _RATES else seconds_per(one["time_unit"].text(), one.place)
        spread = deviation.get(key) if deviation is not None else None
        yield aggregate(
            base,
            metric,
            value.number(),
            n=n.number() if n is not None else None,
            deviation=spread.number() if spread is not None else None,
            factor=factor,
            options=options,
        )


def catch2(output: ToolOutput) -> BenchmarkReport:
    """What the XML reporter of Catch2 2 and 3 writes: means in nanoseconds over samples."""
    results: list[BenchmarkResult] = []
    loose: list[Element] = []
    for element in output.elements():
        if element.tag == "TestCase":
            # In version 3 a test case lies one higher, and what is in it comes before it closes.
            _catch_results([*loose, *element.children], element.attributes.get("name", ""), results)
            loose = []
        else:
            loose.append(element)
    return BenchmarkReport(results)


def _catch_results(elements: Sequence[Element], path: str, results: list[BenchmarkResult]) -> None:
    for one in elements:
        if one.tag == "BenchmarkResults":
            results.append(_catch_result(one, path))
        elif one.tag == "Section":
            _catch_results(one.children, f"{path}/{one.attributes.get('name', '')}", results)


def _catch_result(element: Element, path: str) -> BenchmarkResult:
    def number(tag: str) -> float:
        child = element.child(tag)
        if child is None:
            raise OutputError(f"has no {tag}", Place(element.line))
        return number_of(child.attributes.get("value", ""), Place(child.line)).value

    n = number_of(element.attributes.get("samples", ""), Place(element.line)).count()
    deviation = number("standardDeviation") * 1e-9 if n > 1 else math.nan
    name = element.attributes.get("name", "")
    return BenchmarkResult(f"{path}/{name}", WALL_SECONDS, (number("mean") * 1e-9,), {}, n, deviation)


def nanobench(output: ToolOutput) -> BenchmarkReport:
    """What nanobench's JSON template renders: seconds of an iteration, which does `batch` operations."""
    results = []
    for one in output.document["results"].each():
        title, name = one["title"].text(), one["name"].text()
        batch = one["batch"].number()
        if not batch.value:
            raise OutputError("is no batch", batch.place, "0")
        values: Sequence[float] = [one["median(elapsed)"].number().value / batch.value]
        measured = one.get("measurements")
        if measured is not None and measured.raw:
            values = [each["elapsed"].number().value / batch.value for each in measured.each()]
        results.append(BenchmarkResult(f"{title}/{name}", WALL_SECONDS, values))
    return BenchmarkReport(results)


def celero(output: ToolOutput) -> BenchmarkReport:
    """The table that `-t` of Celero writes: microseconds of an iteration by problem space."""
    results = []
    for place, row in output.rows():
        options: Mapping[str, str] = {"problem_space": row[_SPAN]} if row[_SPAN] not in ("", "Null") else {}
        name = f"{row['Group']}/{row['Experiment']}"
        time = number_of(row["us/Iteration"], place)
        results.append(one_value(name, WALL_SECONDS, time, 1e-6, options=options))
        if row.get("RAM (bytes)"):
            results.append(
                one_value(name, PEAK_MEMORY, number_of(row["RAM (bytes)"], place), options=options)
            )
    return BenchmarkReport(results)


TOOLS = (
    BenchmarkTool(
        "Google Benchmark",
        "JSON",
        "context and benchmarks",
        lambda output: (
            has_keys("context", "benchmarks")(output) and output.document["context"].has("num_cpus")
        ),
        google_benchmark,
    ),
    BenchmarkTool(
        "Catch2",
        "XML",
        "Catch or Catch2TestRun with BenchmarkResults",
        lambda output: output.root() in ("Catch", "Catch2TestRun") and "<BenchmarkResults" in output.text,
        catch2,
    ),
    BenchmarkTool(
        "nanobench",
        "JSON",
        "results with median(elapsed)",
        lambda output: (
            output.document.has("results")
            and isinstance(output.document["results"].raw, list)
            and any(one.has("median(elapsed)") for one in output.document["results"].each() or ())
        ),
        nanobench,
    ),
    BenchmarkTool(
        "Celero",
        "CSV",
        "columns Group, Experiment and us/Iteration",
        has_columns("Group", "Experiment", _SPAN, "us/Iteration"),
        celero,
    ),
)
