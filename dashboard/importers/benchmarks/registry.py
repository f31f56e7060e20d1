"""The one list of benchmark tools whose output is known, and which of them wrote a file."""

from contextlib import suppress

from dashboard.importers.benchmarks import (
    command_tools,
    compiled_tools,
    cpp_tools,
    database_tools,
    http_reports,
    http_tools,
    javascript_tools,
    machine_tools,
    managed_tools,
    other_tools,
    python_tools,
)
from dashboard.importers.benchmarks.output import OutputError, ToolOutput
from dashboard.importers.benchmarks.tool import BenchmarkTool

TOOLS: tuple[BenchmarkTool, ...] = (
    *python_tools.TOOLS,
    *cpp_tools.TOOLS,
    *managed_tools.TOOLS,
    *compiled_tools.TOOLS,
    *javascript_tools.TOOLS,
    *command_tools.TOOLS,
    *http_tools.TOOLS,
    *http_reports.TOOLS,
    *database_tools.TOOLS,
    *machine_tools.TOOLS,
    *other_tools.TOOLS,
)
# Lines of a text in which tools are looked for; tables and JSON may be longer.
_MOST_LINES = 200_000


def tools_of(output: ToolOutput) -> list[BenchmarkTool]:
    """The tools that may have written the output: one where it is told, none or several where it is not."""
    is_long = output.text.count("\n") > _MOST_LINES
    marked = {"JSON", "XML"}
    found = []
    for one in TOOLS:
        if (one.kind in marked) != (output.kind in marked) or (is_long and one.kind == "text"):
            continue
        # What breaks while it is looked at is of no such tool.
        with suppress(OutputError):
            found += [one] if one.recognises(output) else []
    return found


def tool_of(output: ToolOutput) -> BenchmarkTool:
    """The one tool that wrote the output. Raises `OutputError`, which says what was looked for."""
    if not output.text.strip():
        raise OutputError("is empty", remedy="Give the output of a benchmark tool")
    found = tools_of(output)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.name for one in found)
        raise OutputError(f"holds the output of several tools: {names}", remedy="Give a file for each")
    if output.kind == "JSON" and output.document.raw is None:
        raise OutputError("begins as JSON and is none: it is not complete, or it was changed")
    kinds = ("text", "CSV") if output.kind == "text" else (output.kind,)
    known = "; ".join(f"{one.name} ({one.told_by})" for one in TOOLS if one.kind in kinds)
    raise OutputError(
        "is not supported: it is the output of no benchmark tool that is known",
        remedy=f"In {' and '.join(kinds)} were looked for: {known}",
    )
