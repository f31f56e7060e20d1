"""Load generators for HTTP whose output is text or a table: wrk, ab, hey, Locust and JMeter."""

import re
import statistics
from collections.abc import Iterator
from functools import partial

from dashboard.importers.benchmarks.output import (
    LineMatch,
    Number,
    OutputError,
    Place,
    ToolOutput,
    number_of,
)
from dashboard.importers.benchmarks.results import (
    BINARY,
    FAILED_SHARE,
    REQUESTS,
    THROUGHPUT,
    BenchmarkReport,
    BenchmarkResult,
    one_value,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_columns, has_lines
from dashboard.importers.records import MetricRecord

_WRK = r"Running \S+ test @ (?P<url>\S+)"
_WRK_TIMES = re.compile(r"(?P<value>[\d.]+)(?P<unit>us|ms|s|m)")
_AB = r"This is ApacheBench, Version "
_HEY = (r"\s+Requests/sec:\s+\S", r"Response time histogram:", r"\s+Slowest:\s+\S+ secs")
_LOCUST = ("Type", "Name", "Request Count", "Failure Count", "Requests/s")
_JMETER = ("timeStamp", "elapsed", "label", "success")


def latency(which: str) -> MetricRecord:
    """The metric of a mean, a median or a percentile of response times."""
    return MetricRecord(f"latency {which}", "s", "wall")


def shares(name: str, all_requests: Number, failed: Number) -> Iterator[BenchmarkResult]:
    """The share of requests that failed, of at least one. Raises `OutputError` where more failed than there were."""
    if failed.value > all_requests.value:
        raise OutputError("tells more failures than requests", failed.place, f"{failed.value:g}")
    if all_requests.value:
        yield one_value(name, FAILED_SHARE, failed, 1 / all_requests.value)


def _wrk_seconds(line: LineMatch, group: str) -> Number:
    found = _WRK_TIMES.fullmatch(line.text(group))
    if found is None:
        raise OutputError("is no time", line.place, line.text(group))
    unit = "min" if found["unit"] == "m" else found["unit"]
    return Number(float(found["value"]) * seconds_per(unit, line.place), line.place)


def wrk(output: ToolOutput) -> BenchmarkReport:
    """What wrk and wrk2 print: requests in a second, mean latency, percentiles where they were asked for (`--latency`)."""
    start = output.required(_WRK, "Running … test @ …")
    setup = output.required(r"\s+(?P<setup>\d+ threads? and \d+ connections?)", "… threads and … connections")
    name = f"{start.text('url')} ({setup.text('setup')})"
    mean = output.required(r"\s+Latency\s+(?P<mean>\S+)\s+(?P<deviation>\S+)\s", "Latency")
    results = [one_value(name, latency("mean"), _wrk_seconds(mean, "mean"))]
    for line in output.all(r"\s+(?P<share>50|90|99)(?:\.0+)?%\s+(?P<value>\S+)$"):
        which = "median" if line.text("share") == "50" else f"p{line.text('share')}"
        results.append(one_value(name, latency(which), _wrk_seconds(line, "value")))
    rate = output.required(r"Requests/sec:\s+(?P<value>\S+)", "Requests/sec:")
    amount = output.required(r"Transfer/sec:\s+(?P<value>[\d.]+)(?P<unit>[KMGT]?)B$", "Transfer/sec:")
    results.append(one_value(name, REQUESTS, rate.number("value")))
    results.append(one_value(name, THROUGHPUT, amount.number("value"), BINARY[amount.text("unit")]))
    total = output.required(r"\s+(?P<value>\d+) requests in ", "… requests in …")
    wrong = output.find(r"\s+Non-2xx or 3xx responses: (?P<value>\S+)")
    results += shares(
        name, total.number("value"), wrong.number("value") if wrong else Number(0.0, total.place)
    )
    return BenchmarkReport(results)


def apache_bench(output: ToolOutput) -> BenchmarkReport:
    """What ab prints: requests in a second, mean time of a request, and percentiles in whole milliseconds."""

    def told(key: str, unit: str = "") -> LineMatch:
        return output.required(rf"{re.escape(key)}:\s+(?P<value>\S.*?)(?:\s+{unit})?$", f"{key}:")

    where = "".join(told(key).text("value") for key in ("Server Hostname", "Document Path"))
    name = f"{where} (concurrency {told('Concurrency Level').text('value')})"
    rate, amount = (
        told("Requests per second", r"\[#/sec\] \(mean\)"),
        told("Transfer rate", r"\[Kbytes/sec\] received"),
    )
    mean = told("Time per request", r"\[ms\] \(mean\)")
    results = [
        one_value(name, REQUESTS, rate.number("value")),
        one_value(name, latency("mean"), mean.number("value"), 1e-3),
        one_value(name, THROUGHPUT, amount.number("value"), BINARY["K"]),
        *shares(name, told("Complete requests").number("value"), told("Failed requests").number("value")),
    ]
    output.required(r"\s+100%\s+\S+ \(longest request\)", "100% … (longest request)")
    for share, which in (("50", "median"), ("95", "p95"), ("99", "p99")):
        line = output.required(rf"\s+{share}%\s+(?P<value>\S+)$", f"{share}%")
        results.append(one_value(name, latency(which), line.number("value"), 1e-3))
    return BenchmarkReport(results)


def hey(output: ToolOutput) -> BenchmarkReport:
    """What hey prints; it does not say which address it asked."""
    rate = output.required(r"\s+Requests/sec:\s+(?P<value>\S+)$", "Requests/sec:")
    mean = output.required(r"\s+Average:\s+(?P<value>\S+) secs$", "Average:")
    results = [
        one_value("", REQUESTS, rate.number("value")),
        one_value("", latency("mean"), mean.number("value")),
    ]
    for share, which in (("50", "median"), ("95", "p95"), ("99", "p99")):
        line = output.find(rf"\s+{share}% in (?P<value>\S+) secs$")
        if line is not None:
            results.append(one_value("", latency(which), line.number("value")))
    statuses = list(output.all(r"\s+\[(?P<status>\d+)\]\s+(?P<value>\S+) responses$"))
    if not statuses:
        raise OutputError("has no line of status codes: it is not complete")
    counts = [line.number("value").value for line in statuses]
    bad = sum(count for line, count in zip(statuses, counts, strict=True) if line.text("status")[0] in "45")
    place = statuses[0].place
    return BenchmarkReport([*results, *shares("", Number(sum(counts), place), Number(bad, place))])


def locust(output: ToolOutput) -> BenchmarkReport:
    """What `--csv` of Locust writes into NAME_stats.csv: one benchmark for each kind of request, and all together."""
    results = []
    for place, row in output.rows():
        name = f"{row['Type']} {row['Name']}".strip()
        number = partial(lambda cells, at, column: number_of(cells[column], at), row, place)
        count = number("Request Count")
        if not count.value:
            continue
        results.append(one_value(name, REQUESTS, number("Requests/s")))
        columns = {
            "Median Response Time": "median",
            "Average Response Time": "mean",
            "95%": "p95",
            "99%": "p99",
        }
        for column, which in columns.items():
            if column in row:
                results.append(one_value(name, latency(which), number(column), 1e-3))
        results += shares(name, count, number("Failure Count"))
    return BenchmarkReport(results)


def jmeter(output: ToolOutput) -> BenchmarkReport:
    """A result file of JMeter as CSV, a row for each sample: median, p95 and p99 by label, failures, samples in a second."""
    samples: dict[str, list[tuple[float, float, bool]]] = {}
    for place, row in output.rows():
        if row["success"] not in ("true", "false"):
            raise OutputError("is neither true nor false", Place(place.line, "success"), row["success"])
        times = [
            number_of(row[column], Place(place.line, column)).value for column in ("timeStamp", "elapsed")
        ]
        samples.setdefault(row["label"], []).append((times[0], times[1], row["success"] == "true"))
    results = []
    for label, rows in samples.items():
        elapsed = sorted(one[1] * 1e-3 for one in rows)
        n = len(rows)
        deviation = statistics.stdev(elapsed) if n > 1 else float("nan")
        median = statistics.median(elapsed)
        results.append(BenchmarkResult(label, latency("median"), (median,), {}, n, deviation))
        for share in (95, 99):
            # The smallest time that so many percent of the samples do not exceed.
            rank = -(-share * n // 100) - 1
            results.append(BenchmarkResult(label, latency(f"p{share}"), (elapsed[rank],)))
        duration = (max(at + time for at, time, _ in rows) - min(at for at, _, _ in rows)) * 1e-3
        if duration:
            results.append(BenchmarkResult(label, REQUESTS, (n / duration,)))
        failed = sum(not fine for _, _, fine in rows)
        results += shares(label, Number(n, Place()), Number(failed, Place()))
    return BenchmarkReport(results)


TOOLS = (
    BenchmarkTool("wrk", "text", "a line “Running … test @ …”", has_lines(_WRK), wrk),
    BenchmarkTool("ab", "text", "a line “This is ApacheBench”", has_lines(_AB), apache_bench),
    BenchmarkTool(
        "hey",
        "text",
        "lines “Requests/sec:”, “Slowest:” and “Response time histogram:”",
        has_lines(*_HEY),
        hey,
    ),
    BenchmarkTool(
        "Locust",
        "CSV",
        f"columns {', '.join(_LOCUST)}",
        has_columns(*_LOCUST),
        locust,
        others=r".*_(?:stats_history|failures|exceptions)\.csv",
    ),
    BenchmarkTool("JMeter", "CSV", f"columns {', '.join(_JMETER)}", has_columns(*_JMETER), jmeter),
)
