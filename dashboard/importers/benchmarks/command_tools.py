"""Tools that measure whole commands: hyperfine, time of shells and of GNU, and perf stat."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic_core import from_json

from dashboard.importers.benchmarks.output import (
    JsonValue,
    LineMatch,
    OutputError,
    Place,
    ToolOutput,
    number_of,
    require_whole_lines,
)
from dashboard.importers.benchmarks.results import (
    CPU_SECONDS,
    PEAK_MEMORY,
    BenchmarkReport,
    BenchmarkResult,
    one_value,
    seconds_per,
)
from dashboard.importers.benchmarks.tool import BenchmarkTool, has_lines
from dashboard.importers.common_records import WALL_SECONDS
from dashboard.importers.records import MetricRecord

_SHELL = r"(?P<what>real|user|sys)\s+(?:(?P<minutes>\S+)m)?(?P<seconds>[^\sm]+?)s?$"
_GNU = {
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": WALL_SECONDS,
    "User time (seconds)": CPU_SECONDS,
    "System time (seconds)": CPU_SECONDS,
    "Maximum resident set size (kbytes)": PEAK_MEMORY,
}
_COMMAND = r"\s+Command being timed: \"(?P<name>.*)\"$"
_PERF = r" Performance counter stats for (?P<name>.+?)(?: \((?P<n>\d+) runs\))?:$"
_PERF_EVENT = re.compile(
    r"\s+(?P<value>[\d.,]+|<not \w+>)\s+(?:(?P<unit>msec|Joules|MiB)\s+)?(?P<event>[\w.:/=,-]+)(?:\s.*)?$"
)
_PERF_TIME = re.compile(r"\s+(?P<value>\S+)(?: \+- \S+)? seconds (?P<what>time elapsed|user|sys)(?:\s.*)?$")
_SHARE = re.compile(r"\( ?\+- +(?P<share>[\d.]+)% ?\)")
_PERF_ROW = re.compile(
    r"(?P<value>[\d.]+|<not \w+>),(?P<unit>\w*),(?P<event>[\w.:/=-]+),(?:(?P<share>[\d.]+)%,)?\d+,[\d.]+,.*"
)
_PERF_JSON = r'\{"counter-value" : '


def hyperfine(output: ToolOutput) -> BenchmarkReport:
    """What `--export-json` of hyperfine writes: the time of each run; values of parameters are options."""
    entries = output.document["results"].each()
    asked = []
    for one in entries:
        parameters = one.get("parameters")
        options = {key: value.text() for key, value in parameters.items()} if parameters else {}
        asked.append((one["command"].text(), options))
    results = []
    for one, name, (_, options) in zip(entries, _commands(asked), asked, strict=True):
        times = one.get("times")
        codes = one.get("exit_codes")
        if (
            codes is not None
            and isinstance(codes.raw, list)
            and any(code not in (0, None) for code in codes.raw)
        ):
            raise OutputError(
                "the command failed in some runs",
                codes.place,
                str(codes.raw)[:60],
                "Measure it where it succeeds",
            )
        values = [time.number().value for time in times.each()] if times else [one["median"].number().value]
        results.append(BenchmarkResult(name, WALL_SECONDS, values, options))
        cpu = one["user"].number().value + one["system"].number().value
        results.append(BenchmarkResult(name, CPU_SECONDS, (cpu,), options, len(values)))
        memory = one.get("memory_usage_byte")
        if memory is not None and memory.raw:
            results.append(
                BenchmarkResult(name, PEAK_MEMORY, [each.number().value for each in memory.each()], options)
            )
    return BenchmarkReport(results)


def _commands(asked: Sequence[tuple[str, Mapping[str, str]]]) -> list[str]:
    """Each command as it was given, with the names of parameters where their values stand.

    A value may stand in a command by chance, too: of all ways to write a command the one is taken that gives most commands.
    """
    written = []
    for command, options in asked:
        for key, level in options.items():
            command = re.sub(rf"(?<![\w.]){re.escape(level)}(?![\w.])", "{" + key + "}", command)  # noqa: PLW2901 -- value by value
        written.append(command)

    def gives(form: str, command: str, options: Mapping[str, str]) -> bool:
        for key, level in options.items():
            form = form.replace("{" + key + "}", level)
        return form == command

    count = {form: sum(gives(form, *one) for one in asked) for form in dict.fromkeys(written)}
    return [max((form for form in count if gives(form, *one)), key=count.__getitem__) for one in asked]


def shell_time(output: ToolOutput) -> BenchmarkReport:
    """What `time` of bash and `time -p` print; it does not say what ran. Several are repetitions."""
    told: list[tuple[str, float, Place]] = []
    for line in output.all(_SHELL):
        minutes = line.number("minutes").value if line.text("minutes") else 0.0
        told.append((line.text("what"), 60 * minutes + line.number("seconds").value, line.place))
    results = []
    for at in range(0, len(told), 3):
        block = told[at : at + 3]
        if [what for what, _, _ in block] != ["real", "user", "sys"]:
            raise OutputError("is no block of real, user and sys", block[0][2])
        results.append(BenchmarkResult("", WALL_SECONDS, (block[0][1],)))
        results.append(BenchmarkResult("", CPU_SECONDS, (block[1][1] + block[2][1],)))
    return BenchmarkReport(results)


def gnu_time(output: ToolOutput) -> BenchmarkReport:
    """What `time -v` of GNU prints: elapsed and processor time, and the most memory."""
    starts = list(output.all(_COMMAND))
    results = []
    for at, start in enumerate(starts):
        end = starts[at + 1].line if at + 1 < len(starts) else len(output.lines) + 1
        values: dict[MetricRecord, float] = {}
        seen = set()
        for line in output.all(r"\s+(?P<key>[^:]+(?:\(h:mm:ss or m:ss\))?): (?P<value>\S+)$"):
            key = line.text("key")
            if start.line < line.line < end and key in _GNU:
                metric = _GNU[key]
                factor = 1024.0 if metric == PEAK_MEMORY else 1.0
                # A number, or hours, minutes and seconds between colons.
                parts = [number_of(part, line.place).value for part in line.text("value").split(":")]
                value = sum(part * 60.0**power for power, part in enumerate(reversed(parts)))
                values[metric] = values.get(metric, 0.0) + factor * value
                seen.add(key)
        if missing := sorted(_GNU.keys() - seen):
            raise OutputError(f"has no line {missing[0]!r}: it is not complete", start.place)
        results += [BenchmarkResult(start.text("name"), metric, (value,)) for metric, value in values.items()]
    return BenchmarkReport(results)


def perf_stat(output: ToolOutput) -> BenchmarkReport:
    """What `perf stat` prints: each counter of a command, less of which is better, with its spread over runs (`-r`)."""
    starts = list(output.all(_PERF))
    results: list[BenchmarkResult] = []
    left_out: set[str] = set()
    for at, start in enumerate(starts):
        end = starts[at + 1].line - 1 if at + 1 < len(starts) else len(output.lines)
        n = start.number("n").count() if start.text("n") else 1
        name = start.text("name").strip("'")
        before = len(results)
        for line, text in enumerate(output.lines[start.line : end], start=start.line + 1):
            found = _PERF_TIME.match(text) or _PERF_EVENT.match(text)
            if found is None:
                continue
            row = LineMatch(line, found)
            if "event" in found.groupdict():
                results += _counter(name, row, n, left_out)
            elif found["what"] == "time elapsed":
                results.append(_spread(name, WALL_SECONDS, row, n))
        if not any(one.metric == WALL_SECONDS for one in results[before:]):
            raise OutputError("has no line “seconds time elapsed”: it is not complete", start.place)
    return BenchmarkReport(results, left_out=sorted(left_out))


def _counter(name: str, row: LineMatch, n: int, left_out: set[str]) -> Iterator[BenchmarkResult]:
    """A counter, less of which is better; nothing, noted as left out, where it was not measured."""
    event, unit = row.text("event"), row.text("unit")
    if row.text("value").startswith("<") or unit not in ("", "msec"):
        left_out.add(event)
    elif unit == "":
        yield _spread(name, MetricRecord(event[:40], "", "count"), row, n)
    elif event.startswith("task-clock"):
        yield _spread(name, CPU_SECONDS, row, n)


def _spread(name: str, metric: MetricRecord, row: LineMatch, n: int) -> BenchmarkResult:
    """A mean, in seconds where it is a time, with the deviation that its standard error, in percent, tells."""
    value = row.number("value").value * (1e-3 if metric == CPU_SECONDS else 1.0)
    found = _SHARE.search(row.match.string)
    error = number_of(found["share"], row.place).value / 100 if found and n > 1 else math.nan
    return BenchmarkResult(name, metric, (value,), {}, n, value * error * math.sqrt(n))


def perf_stat_table(output: ToolOutput) -> BenchmarkReport:
    """What `perf stat -x,` prints; it does not say what ran."""
    results: list[BenchmarkResult] = []
    left_out: set[str] = set()
    for at, text in enumerate(output.lines, start=1):
        if not text.strip() or text.startswith("#"):
            continue
        found = _PERF_ROW.fullmatch(text)
        if found is None:
            raise OutputError("is no row of perf stat", Place(at), text)
        results += _counter("", LineMatch(at, found), 1, left_out)
    return BenchmarkReport(results, left_out=sorted(left_out))


def perf_stat_json(output: ToolOutput) -> BenchmarkReport:
    """What `perf stat -j` prints, an object in each line; it does not say what ran."""
    require_whole_lines(output)
    results: list[BenchmarkResult] = []
    left_out: set[str] = set()
    for at, text in enumerate(output.lines, start=1):
        if not text.strip() or text.startswith("#"):
            continue
        try:
            one = JsonValue(from_json(text))
        except ValueError as error:
            raise OutputError(f"is no JSON ({error})", Place(at), text[:60]) from None
        event, value, unit = (one[key].raw for key in ("event", "counter-value", "unit"))
        if str(value).startswith("<") or unit not in ("", "msec"):
            left_out.add(str(event))
            continue
        number = number_of(str(value), Place(at))
        if unit == "msec":
            results.append(one_value("", CPU_SECONDS, number, seconds_per("ms", Place(at))))
        else:
            results.append(one_value("", MetricRecord(str(event)[:40], "", "count"), number))
    return BenchmarkReport(results, left_out=sorted(left_out))


TOOLS = (
    BenchmarkTool(
        "hyperfine",
        "JSON",
        "results with command and times or median",
        lambda output: (
            output.document.has("results")
            and all(one.has("command", "mean", "user", "system") for one in output.document["results"].each())
        ),
        hyperfine,
    ),
    BenchmarkTool(
        "time",
        "text",
        "lines real, user and sys",
        has_lines(r"real\s+\S", r"user\s+\S", r"sys\s+\S"),
        shell_time,
    ),
    BenchmarkTool("GNU time", "text", "a line “Command being timed”", has_lines(_COMMAND), gnu_time),
    BenchmarkTool("perf stat", "text", "a line “Performance counter stats for”", has_lines(_PERF), perf_stat),
    BenchmarkTool(
        "perf stat -x,",
        "text",
        "rows of value, unit and event",
        lambda output: any(map(_PERF_ROW.fullmatch, output.lines)),
        perf_stat_table,
    ),
    BenchmarkTool("perf stat -j", "JSON", "lines with counter-value", has_lines(_PERF_JSON), perf_stat_json),
)
