"""Tools that measure databases: pgbench, redis-benchmark, memtier and YCSB."""

from dashboard.importers.benchmarks.http_tools import latency
from dashboard.importers.benchmarks.output import OutputError, ToolOutput, number_of
from dashboard.importers.benchmarks.results import (
    FAILED_SHARE,
    OPERATIONS,
    REQUESTS,
    THROUGHPUT,
    BenchmarkReport,
    BenchmarkResult,
    one_value,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_columns, has_keys, has_lines
from dashboard.importers.records import MetricRecord

TRANSACTIONS = MetricRecord("transactions", "1/s", "none", "higher")
_PGBENCH = (r"transaction type: \S", r"number of clients: \S", r"scaling factor: \S")
_REDIS = ("test", "rps")
_REDIS_LINE = (
    r"\s*(?P<name>[A-Za-z][^:=]*): (?P<rate>\S+) requests per second(?:, p50=(?P<median>\S+) msec)?\s*$"
)
_YCSB = r"\[OVERALL\], Throughput\(ops/sec\), (?P<value>\S+)$"
_YCSB_LATENCY = r"\[(?P<operation>[A-Z-]+)\], (?P<which>AverageLatency|95thPercentileLatency|99thPercentileLatency)\(us\), (?P<value>\S+)$"
_YCSB_NAMES = {"AverageLatency": "mean", "95thPercentileLatency": "p95", "99thPercentileLatency": "p99"}


def pgbench(output: ToolOutput) -> BenchmarkReport:
    """What pgbench prints: transactions in a second without connecting, mean latency, the share that failed."""
    runs = list(output.all(r"transaction type: (?P<value>.+)$"))
    if len(runs) > 1:
        raise OutputError("holds more than one run", runs[1].place, remedy="Give a file for each")

    def told(key: str) -> str:
        return output.required(rf"{key}: (?P<value>.+)$", f"{key}:").text("value")

    settings = [
        f"scale {told('scaling factor')}",
        f"mode {told('query mode')}",
        f"clients {told('number of clients')}",
        f"threads {told('number of threads')}",
    ]
    name = f"{runs[0].text('value')} ({', '.join(settings)})"
    mean = output.required(r"latency average = (?P<value>\S+) ms", "latency average =")
    rate = output.find(r"tps = (?P<value>\S+) \((?:excluding|without)") or output.required(
        r"tps = (?P<value>\S+) \(", "tps ="
    )
    results = [
        one_value(name, TRANSACTIONS, rate.number("value")),
        one_value(name, latency("mean"), mean.number("value"), 1e-3),
    ]
    if failed := output.find(r"number of failed transactions: \S+ \((?P<value>\S+)%\)"):
        results.append(one_value(name, FAILED_SHARE, failed.number("value"), 0.01))
    return BenchmarkReport(results)


def redis_table(output: ToolOutput) -> BenchmarkReport:
    """What `redis-benchmark --csv` prints: requests in a second of each command, latencies in milliseconds."""
    results = []
    for place, row in output.rows():
        results.append(one_value(row["test"], REQUESTS, number_of(row["rps"], place)))
        columns = {
            "avg_latency_ms": "mean",
            "p50_latency_ms": "median",
            "p95_latency_ms": "p95",
            "p99_latency_ms": "p99",
        }
        for column, which in columns.items():
            if column in row:
                results.append(one_value(row["test"], latency(which), number_of(row[column], place), 1e-3))
    return BenchmarkReport(results)


def redis_lines(output: ToolOutput) -> BenchmarkReport:
    """What `redis-benchmark -q` prints."""
    results = []
    for line in output.all(_REDIS_LINE):
        results.append(one_value(line.text("name"), REQUESTS, line.number("rate")))
        if line.text("median"):
            results.append(one_value(line.text("name"), latency("median"), line.number("median"), 1e-3))
    return BenchmarkReport(results)


def memtier(output: ToolOutput) -> BenchmarkReport:
    """What `--json-out-file` of memtier_benchmark writes: operations, bytes and milliseconds of each command."""
    results: list[BenchmarkResult] = []
    for name, one in output.document["ALL STATS"].items():
        if not one.has("Ops/sec", "Latency"):
            continue
        results.append(one_value(name, OPERATIONS, one["Ops/sec"].number()))
        results.append(one_value(name, THROUGHPUT, one["KB/sec"].number(), 1024.0))
        results.append(one_value(name, latency("mean"), one["Latency"].number(), 1e-3))
    return BenchmarkReport(results)


def ycsb(output: ToolOutput) -> BenchmarkReport:
    """What YCSB prints: operations in a second, latencies in microseconds by operation."""
    overall = list(output.all(_YCSB))
    results = [one_value("overall", OPERATIONS, line.number("value")) for line in overall]
    for line in output.all(_YCSB_LATENCY):
        operation = line.text("operation").lower()
        if operation != "cleanup":
            results.append(
                one_value(operation, latency(_YCSB_NAMES[line.text("which")]), line.number("value"), 1e-6)
            )
    if len(results) == len(overall):
        raise OutputError("has no latencies behind the throughput: it is not complete", overall[-1].place)
    return BenchmarkReport(results)


TOOLS = (
    BenchmarkTool(
        "pgbench",
        "text",
        "lines “transaction type:”, “scaling factor:” and “number of clients:”",
        has_lines(*_PGBENCH),
        pgbench,
    ),
    BenchmarkTool("redis-benchmark --csv", "CSV", "columns test and rps", has_columns(*_REDIS), redis_table),
    BenchmarkTool(
        "redis-benchmark -q",
        "text",
        "lines “name: N requests per second”",
        has_lines(_REDIS_LINE),
        redis_lines,
    ),
    BenchmarkTool("memtier_benchmark", "JSON", "ALL STATS", has_keys("ALL STATS"), memtier),
    BenchmarkTool("YCSB", "text", "a line “[OVERALL], Throughput(ops/sec)”", has_lines(_YCSB), ycsb),
)
