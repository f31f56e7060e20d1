"""Load generators for HTTP that write JSON: k6, Vegeta, oha, autocannon and siege."""

from dashboard.importers.benchmarks.http_tools import latency, shares
from dashboard.importers.benchmarks.output import Number, OutputError, ToolOutput
from dashboard.importers.benchmarks.results import (
    FAILED_SHARE,
    REQUESTS,
    THROUGHPUT,
    BenchmarkReport,
    BenchmarkResult,
    one_value,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_keys
from dashboard.importers.records import MetricRecord

_ITERATIONS = MetricRecord("iterations", "1/s", "none", "higher")
_K6_TIMES = ("http_req_", "iteration_duration", "group_duration", "grpc_req_duration", "ws_")
_K6_RATES = {"http_reqs": REQUESTS, "iterations": _ITERATIONS}
_K6_PERCENTILES = {"med": "median", "avg": "mean", "p(90)": "p90", "p(95)": "p95", "p(99)": "p99"}


def k6(output: ToolOutput) -> BenchmarkReport:
    """What `--summary-export` and the default `handleSummary` of k6 write: its own metrics, times in milliseconds."""
    results: list[BenchmarkResult] = []
    left_out = []
    for name, metric in output.document["metrics"].items():
        told = metric.get("values") or metric
        if name in _K6_RATES:
            results.append(one_value(name, _K6_RATES[name], told["rate"].number()))
        elif name == "http_req_failed":
            share = told.get("rate") or told["value"]
            results.append(one_value(name, FAILED_SHARE, share.number()))
        elif name.startswith(_K6_TIMES) and told.has("med"):
            for key, which in _K6_PERCENTILES.items():
                if (value := told.get(key)) is not None:
                    results.append(one_value(name, latency(which), value.number(), 1e-3))
        elif name not in ("data_received", "data_sent", "vus", "vus_max", "checks"):
            left_out.append(name)
    return BenchmarkReport(results, left_out=left_out)


def vegeta(output: ToolOutput) -> BenchmarkReport:
    """What `vegeta report -type=json` writes, in nanoseconds; it does not say which address it asked."""
    document = output.document
    results = [one_value("", REQUESTS, document["throughput"].number())]
    for key, which in {"mean": "mean", "50th": "median", "95th": "p95", "99th": "p99"}.items():
        results.append(one_value("", latency(which), document["latencies"][key].number(), 1e-9))
    success = document["success"].number()
    if success.value > 1:
        raise OutputError("is no share", success.place, f"{success.value:g}")
    results.append(one_value("", FAILED_SHARE, Number(1 - success.value, success.place)))
    return BenchmarkReport(results)


def oha(output: ToolOutput) -> BenchmarkReport:
    """What oha writes as JSON, in seconds; it does not say which address it asked."""
    summary = output.document["summary"]
    results = [
        one_value("", REQUESTS, summary["requestsPerSec"].number()),
        one_value("", latency("mean"), summary["average"].number()),
    ]
    for key, which in {"p50": "median", "p95": "p95", "p99": "p99"}.items():
        results.append(one_value("", latency(which), output.document["latencyPercentiles"][key].number()))
    success = summary["successRate"].number()
    if success.value > 1:
        raise OutputError("is no share", success.place, f"{success.value:g}")
    results.append(one_value("", FAILED_SHARE, Number(1 - success.value, success.place)))
    return BenchmarkReport(results)


def autocannon(output: ToolOutput) -> BenchmarkReport:
    """What `autocannon --json` prints: latency in milliseconds, requests and bytes in a second."""
    document = output.document
    connections, pipelining = (document[key].number().value for key in ("connections", "pipelining"))
    name = f"{document['url'].text()} (connections {connections:g}, pipelining {pipelining:g})"
    results = [
        one_value(name, REQUESTS, document["requests"]["average"].number()),
        one_value(name, THROUGHPUT, document["throughput"]["average"].number()),
    ]
    for key, which in {"average": "mean", "p50": "median", "p99": "p99"}.items():
        results.append(one_value(name, latency(which), document["latency"][key].number(), 1e-3))
    total = document["requests"]["total"].number()
    wrong = sum(document[key].number().value for key in ("errors", "timeouts", "non2xx"))
    results += shares(name, Number(total.value + wrong, total.place), Number(wrong, total.place))
    return BenchmarkReport(results)


def siege(output: ToolOutput) -> BenchmarkReport:
    """What `siege --json-output` prints; it does not say which address it asked."""
    document = output.document
    fine, failed = (document[f"{key}_transactions"].number() for key in ("successful", "failed"))
    results = [
        one_value("", REQUESTS, document["transaction_rate"].number()),
        one_value("", latency("mean"), document["response_time"].number()),
        *shares("", Number(fine.value + failed.value, fine.place), failed),
    ]
    return BenchmarkReport(results)


TOOLS = (
    BenchmarkTool(
        "k6",
        "JSON",
        "root_group and metrics, or metrics with iterations",
        lambda output: (
            output.document.has("metrics")
            and (output.document.has("root_group") or output.document["metrics"].has("iterations", "vus"))
        ),
        k6,
    ),
    BenchmarkTool(
        "Vegeta",
        "JSON",
        "latencies, throughput and status_codes",
        has_keys("latencies", "throughput", "status_codes"),
        vegeta,
    ),
    BenchmarkTool(
        "oha", "JSON", "summary and latencyPercentiles", has_keys("summary", "latencyPercentiles"), oha
    ),
    BenchmarkTool(
        "autocannon",
        "JSON",
        "url, latency, requests and pipelining",
        has_keys("url", "latency", "requests", "pipelining"),
        autocannon,
    ),
    BenchmarkTool(
        "siege",
        "JSON",
        "transaction_rate and availability",
        has_keys("transaction_rate", "availability"),
        siege,
    ),
)
