"""Runs in the environment of a package: prints as JSON which attribute argparse gives each option of a new subject.

Copied beside the subject's `program.py` by `draft_trials`: standard library only. Its arguments are the workload's file and a
JSON object of the levels to try, by option.
"""

import argparse
import contextlib
import importlib
import json
import sys
from pathlib import Path
from typing import Any, Optional

_PARSE = argparse.ArgumentParser.parse_known_args


class CommandValues:
    """What the outermost parsers of one run returned; those of sub-commands are called by another one."""

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
            self.found.append(dict(vars(parsed[0])))
        return parsed


def parsed(levels: dict[str, Any], file: str) -> list[dict[str, Any]]:
    """The values of a run at these levels, whatever becomes of the run."""
    # It lies beside this file, on a path that is made below.
    run = importlib.import_module("program").run

    values = CommandValues()

    def parse(parser: argparse.ArgumentParser, *given: Any, **named: Any) -> Any:
        return values.parse(parser, *given, **named)

    argparse.ArgumentParser.parse_known_args = parse  # type: ignore[assignment, method-assign]
    # It worked when it was tried; here the parsers alone matter.
    with contextlib.suppress(Exception):
        run(levels, {"file": file})
    return values.found


def only_difference(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> Optional[str]:  # noqa: UP045 - for old Pythons
    """The one name whose values differ; None where none does, or more than one."""
    names = {
        name
        for before, after in zip(one, other)  # noqa: B905 - for old Pythons
        for name in after
        if name not in before or repr(before[name]) != repr(after[name])
    }
    return names.pop() if len(names) == 1 else None


def main(file: str, levels: dict[str, Any]) -> dict[str, str]:
    """The name of each option that one attribute tells."""
    before = parsed({}, file)
    found = {
        option: only_difference(before, parsed({option: level}, file)) for option, level in levels.items()
    }
    return {option: name for option, name in found.items() if name}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    sys.stdout.write("\n" + json.dumps(main(sys.argv[1], json.loads(sys.argv[2]))))
