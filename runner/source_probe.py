"""Runs in the environment of a package: prints as JSON where the program reads each option of a new subject, as `[analysis.sources]` says it.

Copied beside the subject's `program.py` by `draft_trials`: standard library only. Its arguments are the workload's file and a
JSON object of the levels to try in turn, by option. What is parsed is held against what is parsed without an option: the one attribute
that argparse gives another value, or the one parameter of the function that click calls, is where the option is read.
"""

import argparse
import contextlib
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any, Callable, Optional  # noqa: UP035 - for old Pythons

_PARSE = argparse.ArgumentParser.parse_known_args
# Libraries that call a program's functions with its options, and put functions of their own around them.
_CALLING = ("click", "typer", "asyncclick", "rich_click", "cloup")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class CommandValues:
    """What was parsed in one run, by source: of the outermost parsers of argparse, and of the functions that click calls.

    Parsers of sub-commands are called by another one.
    """

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self.depth = 0

    def parse(self, parser: argparse.ArgumentParser, *given: Any, **named: Any) -> Any:
        """Parse, and keep what came of it."""
        self.depth += 1
        try:
            parsed = _PARSE(parser, *given, **named)
        finally:
            self.depth -= 1
        if not self.depth:
            self.found.append({f"argument:{name}": value for name, value in vars(parsed[0]).items()})
        return parsed

    def called(self, callback: Any, named: dict[str, Any]) -> None:
        """Keep the parameters of a function that click is about to call, by the function of the program that they get to."""
        # A decorator has its function called as the one that it is put around; what the code says is what runs.
        while (module := callback.__globals__["__name__"]).partition(".")[0] in _CALLING:
            if not hasattr(callback, "__wrapped__"):
                return
            callback = callback.__wrapped__
        code = callback.__code__
        place = f"parameter:{module}:{getattr(code, 'co_qualname', code.co_name).replace('.<locals>', '')}"
        self.found.append({f"{place}.{parameter}": value for parameter, value in named.items()})


def parsed(levels: dict[str, Any], file: str) -> list[dict[str, Any]]:
    """The values of a run at these levels, whatever becomes of the run."""
    # It lies beside this file, on a path that is made below.
    run = importlib.import_module("program").run

    values = CommandValues()

    def parse(parser: argparse.ArgumentParser, *given: Any, **named: Any) -> Any:
        return values.parse(parser, *given, **named)

    argparse.ArgumentParser.parse_known_args = parse  # type: ignore[assignment, method-assign]
    # It worked when it was tried; here the parsers alone matter.
    with watched_click(values.called), contextlib.suppress(Exception, SystemExit):
        run(levels, {"file": file})
    return values.found


@contextlib.contextmanager
def watched_click(called: Callable[[Any, dict[str, Any]], None]) -> Any:
    """Tell what click calls in this context, and with which parameters; nothing where there is no click."""
    try:
        context: Any = importlib.import_module("click").Context
    except ImportError:
        yield
        return
    invoke = context.invoke

    def watched(*given: Any, **named: Any) -> Any:
        # The context, then what it calls: a function, or a command of the program, which is not what the command line named.
        if hasattr(given[1], "__code__"):
            called(given[1], named)
        return invoke(*given, **named)

    context.invoke = watched
    try:
        yield
    finally:
        context.invoke = invoke


def only_difference(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> Optional[str]:  # noqa: UP045 - for old Pythons
    """The one source whose values differ; None where none does, or more than one."""
    names = {
        name
        for before, after in zip(one, other)  # noqa: B905 - for old Pythons
        for name in after
        if name not in before or written(before[name]) != written(after[name])
    }
    return names.pop() if len(names) == 1 else None


def written(value: Any) -> str:
    """A value in words, without where it lies."""
    return _ADDRESS.sub("", repr(value))


def main(file: str, levels: dict[str, list[Any]]) -> dict[str, str]:
    """The source of each option that one attribute or parameter tells.

    A level may be what the program takes without the option, so that only another one tells where it is read.
    """
    before = parsed({}, file)
    found = {}
    for option, tried in levels.items():
        for level in tried:
            if name := only_difference(before, parsed({option: level}, file)):
                found[option] = name
                break
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.stdout.write("\n" + json.dumps(main(sys.argv[1], json.loads(sys.argv[2]))))
