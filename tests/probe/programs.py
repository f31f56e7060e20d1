"""Small programs, run plain and rewritten, and what the tracing said of them."""

import contextlib
import io
import sys
import traceback
import types
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probe.taint.flows import FLOWS, Flows
from probe.taint.instrument import compiled, install_names
from probe.taint.records import RECORD, SITES
from probe.taint.shadows import CLASS_NAMES, SHADOWS
from probe.taint.signatures import DEFAULTS
from probe.taint.stores import GLOBALS
from probe.taint.tracing import traced

Decision = tuple[str, str, str]


@dataclass(frozen=True)
class Outcome:
    """What one run printed, returned or raised; `raised` has a line per frame of the traceback."""

    printed: str
    returned: object
    raised: tuple[str, ...]


def outcome(call: Callable[[], object]) -> Outcome:
    """Run `call` and return what came of it."""
    output = io.StringIO()
    returned: object = None
    raised: tuple[str, ...] = ()
    with contextlib.redirect_stdout(output):
        try:
            returned = call()
        # Whatever a program raises is what is compared.
        except BaseException as error:  # noqa: BLE001
            # The first frame is the one above; the tracer adds its own, which only the caller of the program sees.
            frames = [
                f"{frame.name}:{frame.lineno}"
                for frame in traceback.extract_tb(error.__traceback__)
                if frame.filename.endswith("program.py")
            ]
            raised = (*frames, repr(error), repr(error.__cause__), repr(error.__context__))
    return Outcome(output.getvalue(), returned, raised)


def forget() -> None:
    """Forget everything that was recorded, tainted objects too."""
    RECORD.clear()
    for table in (SHADOWS, CLASS_NAMES, GLOBALS, DEFAULTS):
        table.clear()
    vars(FLOWS).update(vars(Flows()))


def marked(text: str) -> dict[int, str]:
    """What the marks of a text say: the options in td of the decisions on a line, "-" for none."""
    marks = {line: code.partition("# ")[2] for line, code in enumerate(text.splitlines(), 1)}
    return {line: mark.strip("-") for line, mark in marks.items() if mark}


class Programs:
    """Runs texts as modules; `lines` of the text are found by the mark `# name`."""

    def __init__(self, folder: Path, *, weak: bool = True) -> None:
        self.folder = folder
        self.weak = weak
        self.last: tuple[Outcome, ...] = ()

    def load(self, text: str, *, rewritten: bool) -> Any:
        """Return a module made of `text`."""
        path = self.folder / "program.py"
        path.write_text(text, encoding="utf-8")
        module = types.ModuleType("program")
        module.__file__ = str(path)
        sys.modules["program"] = module
        code = (
            compiled(text.encode(), "program", str(path), weak=self.weak)
            if rewritten
            else compile(text, str(path), "exec")
        )
        exec(code, module.__dict__)  # noqa: S102 - the program of the test
        return module

    def run(self, text: str, **options: object) -> set[Decision]:
        """Run `run(options)` of `text` plain and rewritten, which must do the same.

        Returns the decisions, as (mark of the line, options in td, options in tc), letters in order.
        """
        install_names()
        forget()
        plain = outcome(lambda: self.load(text, rewritten=False).run(dict(options)))
        seen = outcome(lambda: traced(self.load(text, rewritten=True).run, options))
        self.last = (plain, seen)
        assert seen == plain
        names = list(options)
        lines = text.splitlines()

        def letters(taint: int) -> str:
            return "".join(name for at, name in enumerate(names) if taint >> at & 1)

        return {
            (lines[SITES[site].line - 1].partition("# ")[2], letters(data), letters(control))
            for site, data, control in RECORD.decisions
            if SITES[site].kind != "entry"
        }

    def options_at(self, text: str, **options: object) -> dict[int, str]:
        """Run `text` as `run` does; returns the options in td of the decisions on each line that has a mark."""
        self.run(text, **options)
        found = dict.fromkeys(marked(text), 0)
        for site, data, _ in RECORD.decisions:
            if SITES[site].line in found and SITES[site].kind != "entry":
                found[SITES[site].line] |= data
        names = list(options)
        return {
            line: "".join(name for at, name in enumerate(names) if data >> at & 1)
            for line, data in found.items()
        }

    def reach_as_marked(self, text: str) -> None:
        """Run `text` with all options off, then on, which must do the same as plain, and reach its marks where all are on."""
        self.options_at(text, A=0, B=0, C=0)
        assert self.options_at(text, A=1, B=1, C=1) == marked(text)
