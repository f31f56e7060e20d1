"""One output of each benchmark tool, as files lie in `benchmark_samples`, and a value that must not be in it.

Written by hand after the tools' documents, for they could not be run: Criterion, JMH, BenchmarkDotNet, nanobench, Celero,
k6, Vegeta, oha, JMeter, memtier_benchmark, YCSB, PHPBench, BenchmarkTools.jl, and what Bencher and github-action-benchmark
take. The tools themselves wrote all others.
"""

from pathlib import Path

FOLDER = Path(__file__).parent / "benchmark_samples"
# By the name of the tool: its file, and a text of it with what a fault puts in its place.
SAMPLES = {
    "pytest-benchmark": ("pytest-benchmark.json", '"stats": {', '"stats": {"x": 1, "data": ["fast"]},"y": {'),
    "pyperf": ("pyperf.json", '"values": [', '"values": ["fast",'),
    "timeit": ("timeit.txt", "3.18 usec", "3,1x8 usec"),
    "Google Benchmark": ("google-benchmark.json", '"time_unit": "us"', '"time_unit": "ticks"'),
    "Catch2": ("catch2.xml", 'mean value="3306.06"', 'mean value="fast"'),
    "nanobench": ("nanobench.json", '"elapsed": 2.4e-08', '"elapsed": -2.4e-08'),
    "Celero": ("celero.csv", "50.25", "fast"),
    "JMH": ("jmh.json", '"scoreUnit": "ops/ms"', '"scoreUnit": "ops/tick"'),
    "JMH table": ("jmh-table.txt", "850.250", "fast"),
    "BenchmarkDotNet": ("benchmark-dotnet.json", "1200.5, 1210.25", '"fast", 1210.25'),
    "go test": ("go-test.txt", "330.4 ns/op", "33x.4 ns/op"),
    "cargo bench": ("cargo-bench.txt", "713.39 ns", "fast ns"),
    "Criterion": ("criterion.txt", "26.251 µs", "26.251 ticks"),
    "Criterion folder": ("criterion/fib/20/new/estimates.json", '"slope":null', '"slope":nil'),
    "benchmark.js": ("benchmark-js.txt", "138,484,890 ops", "many ops"),
    "tinybench": ("tinybench.txt", "30.00 ± 0.00", "fast ± 0.00"),
    "Vitest": ("vitest.json", '"sampleCount": 700', '"sampleCount": 0.5'),
    "mitata": ("mitata.json", '"samples": [', '"samples": [null,'),
    "hyperfine": ("hyperfine.json", '"exit_codes": [', '"exit_codes": [127,'),
    "time": ("time.txt", "0m0.051s", "0mfasts"),
    "GNU time": ("gnu-time.txt", "0:00.03", "0:0x.03"),
    "perf stat": ("perf-stat.txt", "0.02361 +- ", "fast +- "),
    "perf stat -x,": ("perf-stat-x.txt", "75,,page-faults", "many,,page-faults"),
    "perf stat -j": ("perf-stat-j.json", '"75.000000"', '"many"'),
    "wrk": ("wrk.txt", "28.01ms", "28.01ticks"),
    "ab": ("ab.txt", "3286.66 [#/sec]", "many [#/sec]"),
    "hey": ("hey.txt", "2394.1787", "many"),
    "Locust": ("locust_stats.csv", "11.483584299189731", "many"),
    "JMeter": ("jmeter.csv", "250,Search", "slow,Search"),
    "k6": ("k6.json", '"med": 10.5', '"med": "fast"'),
    "Vegeta": ("vegeta.json", '"success":0.98', '"success":98'),
    "oha": ("oha.json", '"requestsPerSec":798.5', '"requestsPerSec":null'),
    "autocannon": ("autocannon.json", '"errors": 0', '"errors": "none"'),
    "siege": ("siege.json", '"failed_transactions":		           0', '"failed_transactions": -1'),
    "pgbench": ("pgbench.txt", "tps = 159.688288", "tps = many"),
    "redis-benchmark --csv": ("redis-benchmark.csv", '"GET","28571.43"', '"GET","many"'),
    "redis-benchmark -q": ("redis-benchmark-q.txt", "7407.41", "many"),
    "memtier_benchmark": ("memtier.json", '"Ops/sec": 45000.25', '"Ops/sec": "many"'),
    "YCSB": ("ycsb.txt", "(ops/sec), 800.5", "(ops/sec), many"),
    "sysbench": ("sysbench.txt", "1117.58", "many"),
    "fio": ("fio.json", '"error": 0', '"error": 5'),
    "iperf3": ("iperf3.json", '"start": {', '"error": "refused", "start": {'),
    "stress-ng": ("stress-ng.txt", "494.67", "many"),
    "PHPBench": ("phpbench.xml", 'time-avg="12.75"', 'time-avg="fast"'),
    "BenchmarkTools.jl": ("benchmark-tools.json", "415.25", '"fast"'),
    "benchmark-ips": ("benchmark-ips.txt", "± 8.4%", "± some%"),
    "Ruby Benchmark": ("ruby-benchmark.txt", "0.002758", "fast"),
    "Bencher": ("bencher.json", '"value": 88.5', '"value": "fast"'),
    "github-action-benchmark": ("github-action-benchmark.json", '"value": 1.25', '"value": "fast"'),
}


def text_of(tool: str) -> str:
    """The sample of a tool."""
    return (FOLDER / SAMPLES[tool][0]).read_text(encoding="utf-8")
