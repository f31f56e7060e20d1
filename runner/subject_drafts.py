"""What a new `subject.toml` says, and its text with comments for whoever goes on with it."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .option_help import OptionProposal

# The place in a command's words where the input stands.
INPUT = "{input}"
PROGRAM = "program.py"
_NO_TEXT = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_HEAD = """\
# A subject: a program that Perfatlas measures. Every key is told in docs/reference/subject-toml.md.
# Written by `manage.py init`: what is commented out is a proposal that nobody was sure of.
name = {name}
description = {description}
"""
_LIMITS = """
[limits]
# A run that needs more is ended, and recorded as such.
timeout_seconds = 60
# memory_megabytes = 2048
# output_megabytes = 16

# [sandbox]
# Runs see their own files and the system's, and have no network:
# network = true
# readable = ["/srv/corpus"]
"""
_RUN = '''"""One run: the command line of {name}, called in this process; what it prints is thrown away."""

import contextlib
import io
import sys
from importlib import import_module
from pathlib import Path

# The words that each option adds, by its level.
WORDS = {words}


def run(options, workload):
    """Called once to warm up, then once to take the time."""
    words = [word for name, level in options.items() for word in WORDS[name].get(level, [])]
    source = Path(__file__).with_name(workload["file"])
    before = sys.argv, sys.stdin
    sys.argv, sys.stdin = [{script}, *words{argument}], io.TextIOWrapper(io.BytesIO(source.read_bytes()), "utf-8")
    try:
        # A file of its own: programs write text and bytes.
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
            {call}
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError(f"it ended with {{end.code}}") from end
    finally:
        sys.argv, sys.stdin = before
'''
_FILL_IN = '''"""One run of {name}. FILL IN the call below: {name} brings no command line that could be called."""

from pathlib import Path

import {module}


def run(options, workload):
    """Called once to warm up, then once to take the time; `options` holds the level of each option."""
    text = Path(__file__).with_name(workload["file"]).read_text()
    raise NotImplementedError("write here what one run does: {module}.FUNCTION(text, ...)")
'''


@dataclass(frozen=True, slots=True)
class SubjectDraft:
    """A subject that is being written.

    `revisions` and `install` are the lines of their tables. `command` are the words of a program of any language, with
    `INPUT` where its input file stands ("" of it: read from standard input); for Python `script` names a console script
    "module:function" or a module that is run. `kind` is the ending of the input. `unsure` are options that are commented out,
    `sources` where the program reads options, by option, as `[analysis.sources]` has it.
    """

    name: str
    description: str
    revisions: tuple[str, ...]
    install: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    script: str = ""
    package: str = ""
    from_input: bool = False
    kind: str = "md"
    options: tuple[OptionProposal, ...] = ()
    unsure: tuple[OptionProposal, ...] = field(default=())
    notes: tuple[str, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()

    @property
    def is_python(self) -> bool:
        """Whether the program runs in a Python process of ours."""
        return not self.command

    def toml(self) -> str:
        """Return the text of `subject.toml`."""
        parts = [_HEAD.format(name=_written(self.name), description=_written(self.description))]
        if self.package:
            parts.append(
                f"# What is told apart inside the program: functions of these packages.\nregions = [{_written(self.package)}]\n"
            )
        if not self.options and not self.unsure:
            why = "No option was found in its help"
            if self.is_python and not self.script:
                why = "It has no command line whose help could be read"
            parts.append(f"# {why}. FILL IN: [options.NAME], with levels.\n")
        parts.append("[revisions]\n" + "\n".join(self.revisions) + "\n")
        if self.install:
            parts.append("[install]\n" + "\n".join(self.install) + "\n")
        parts += [self._option(one) for one in self.options]
        parts += [
            # With no sign that a comment may not hold: programs print in colours.
            "".join(f"# {_NO_TEXT.sub(' ', line)}\n" for line in self._option(one, one.doubt).splitlines())
            for one in self.unsure
        ]
        parts.append(
            "# One run of `regular` should take 0.1 to 1 second; `small` is for the analysis, which is much slower.\n"
            f"[workloads.regular]\nfile = {_written(f'regular.{self.kind}')}\n\n"
            f"[workloads.small]\nfile = {_written(f'small.{self.kind}')}\n"
        )
        text = "\n".join(parts) + self._entry()
        if self.sources:
            text += "\n[analysis.sources]\n# Where the program gets each option once its command line is parsed: the analysis begins there.\n"
            text += "".join(f"{option} = {_written(source)}\n" for option, source in self.sources)
        return text + _LIMITS

    def program(self) -> str:
        """Return the text of the Python file that the entry names."""
        if not self.script:
            return _FILL_IN.format(name=self.name, module=self.package or self.name)
        words = {
            one.name: {
                level: list(one.arguments[_text(level)])
                for level in one.levels
                if _text(level) in one.arguments
            }
            for one in self.options
        }
        module, _, function = self.script.partition(":")
        call = (
            f"import_module({module!r}).{function}()"
            if function
            else f"runpy.run_module({module!r}, run_name='__main__')"
        )
        text = _RUN.format(
            name=self.name,
            words="{\n" + "".join(f"    {name!r}: {by_level!r},\n" for name, by_level in words.items()) + "}"
            if words
            else "{}",
            script=repr(module),
            argument="" if self.from_input else ", str(source)",
            call=call,
        )
        return (
            text
            if function
            else text.replace("import io\n", "import io\nimport runpy\n").replace(
                "from importlib import import_module\n", ""
            )
        )

    def _option(self, one: OptionProposal, doubt: str = "") -> str:
        lines = [*([f"{doubt[:1].upper()}{doubt[1:]}."] if doubt else []), f"[options.{one.name}]"]
        if one.tried:
            lines.append(f"# {one.tried}")
        if one.description:
            lines.append(f"description = {_written(one.description)}")
        lines.append(f"levels = [{', '.join(_written(level) for level in one.levels)}]")
        if not self.is_python:
            given = ", ".join(
                f"{level if level.replace('_', '').replace('-', '').isalnum() else _written(level)} = {_list(words)}"
                for level, words in one.arguments.items()
            )
            lines.append(f"arguments = {{ {given} }}")
        return "\n".join(lines) + "\n"

    def _entry(self) -> str:
        if self.is_python:
            said = "\n".join(f"# {note}" for note in self.notes)
            return f'\n[entry]\ncallable = "program:run"\n{said}\n'
        words = [*self.command, "{options}"] if "{options}" not in self.command else list(self.command)
        place = "{subject}/{workload.file}"
        words = [word.replace(INPUT, place) for word in words]
        if self.from_input:
            # There is no shell around a command, so this one gives it its input.
            words = ["/bin/sh", "-c", f'exec "$0" "$@" < "{place}"', *words]
        elif INPUT not in "".join(self.command):
            words.append(place)
        said = "".join(f"# {note}\n" for note in self.notes)
        return f"\n[entry]\n{said}command = {_list(words)}\n"


def out_of_reach(words: Sequence[str], folder: Path) -> tuple[str, ...]:
    """Return what to do about each file that a command names by a relative path: no run of the subject in `folder` finds it."""
    own = f"copy it into {folder} and write {{subject}}/NAME, or let --git take its repository"
    return tuple(
        f"{word}: runs begin in a folder of their own and do not see this file; {own}"
        for word in words[1:]
        if not word.startswith(("/", "{")) and Path(word).is_file()
    )


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(words: Sequence[str]) -> str:
    return f"[{', '.join(_written(word) for word in words)}]"


def _text(level: object) -> str:
    return {True: "on", False: "off"}.get(level, str(level)) if isinstance(level, bool) else str(level)
