"""Options of a program, read from what it prints when asked for help."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .subjects import Level

# A line that begins with an option: its names and value, then, behind two blanks or a tab, what it does.
_LINE = re.compile(r"^\s{0,16}(-{1,2}[A-Za-z0-9].*?)(?:\s{2,}|\t+|$)(.*)$")
_NAME = re.compile(r"(?<![\w-])(-{1,2}[A-Za-z0-9][\w-]*)")
_VALUE = re.compile(r"(?:\[=|=|\s|\[)\s*([<{(]?[A-Za-z#][^\s,\]]*|\{[^}]*\})\]?")
_CHOICES = re.compile(r"\{([^{}]+)\}|<?((?:[\w.+-]+\|)+[\w.+-]+)>?")
# Between two names of one option blanks may stand in columns: "-s,  --size=N", also without a comma: "-V  --version   Tells it".
_COLUMNS = re.compile(
    r"^(\s{0,16}-{1,2}[A-Za-z0-9][^\s,]*)(?:,\s+(?=--?[A-Za-z0-9])|\s+(?=--[A-Za-z0-9][\w-]*(?:[ =]\S+)?(?:\s{2}|$)))"
)
# Some draw a frame around their options, as typer and rich-click do, with the values in a column of their own.
_FRAMED = re.compile(r"(--?[\w-]+)\s{2,}\[?([A-Z]{3,}|(?:[\w.+-]+\|)+[\w.+-]+)\]?\s{2,}")
# What the description says of a number that is taken where nothing is given: "[4]", "(default: 4)", "default is 4".
_DEFAULT_NUMBER = re.compile(
    r"\[(\d{1,9})\]|\bdefaults?\b(?:\s+(?:is|to|of|value))*\s*[:=]?\s*'?(\d{1,9})\b(?![.%])", re.IGNORECASE
)
# Digits that are options of their own: "-0 ... -9", "-1 .. -22".
_DIGITS = re.compile(r"^\s{0,16}-(\d+)\s*(?:\.{2,3}|to|…)\s*-(\d+)")
_DIGIT = re.compile(r"^-\d$")
# What ends a run, asks, waits, changes files, or says what the run does instead of how.
_LEFT_OUT = frozenset({
    "help", "h", "usage", "stdin", "replace", "version", "license", "interactive", "prompt", "ask", "confirm", "daemon", "server", "serve", "listen", "watch",
    "follow", "output", "outfile", "out", "in-place", "inplace", "delete", "remove", "rm", "force", "recursive", "upload", "install",
    "uninstall", "update", "upgrade", "edit", "debug", "test", "list", "decompress", "uncompress", "stdout", "to-stdout", "keep", "suffix",
    "config", "shell", "completion", "log-file", "logfile", "files", "files0", "info-memory", "long-help", "self-test", "exit-status", "man",
    "tests", "verbose", "quiet", "silent", "run-tests", "from-file", "null-input", "benchmark", "train", "sort-bench", "dry-run", "robot", "check-format",
})  # fmt: skip
# "show the settings and exit": whatever it is called.
_ENDS = re.compile(r"\b(?:and|then) (?:exits?|quits?)\b", re.IGNORECASE)
DEFAULT = "default"
_MOST_CHOICES = 5
# Values that a description lists: "WHEN is 'never', 'always', or 'auto'", and without quotes behind a colon or "one of":
# "sort according to WORD: general-numeric -g, month -M, version -V".
_BETWEEN = r"(?:,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+)"
_QUOTED = re.compile(rf"(['‘`\"][\w.+-]+['’`\"])(?:{_BETWEEN}['‘`\"][\w.+-]+['’`\"])+")
_WORD = r"[A-Za-z][\w+-]*(?:\s+(?:-\w|\(-\w\)))?"
_SEVERAL = rf"{_WORD}(?:{_BETWEEN}{_WORD})"
_PLAIN = re.compile(
    rf"\b(?:possible values|choices|one of):?\s+({_SEVERAL}+)|:\s+({_SEVERAL}{{2,}}|{_WORD},?\s+or\s+{_WORD})",
    re.IGNORECASE,
)
# "one of fd|sys|no", "how it is printed (auto/long/short)".
_STROKES = re.compile(r"(?<![\w|])([\w.+-]+(?:\|[\w.+-]+)+)(?![\w|])|\(([\w+-]+(?:/[\w+-]+)+)\)")
# What stands for a value, in small letters: numbers of something, and of bytes. The values are tried, like all others.
_NUMBERS = frozenset({
    "n", "num", "number", "nb", "#", "int", "integer", "count", "level", "levels", "depth", "threads", "nthreads", "jobs", "cpus", "workers",
    "iterations", "passes",
})  # fmt: skip
_BYTES = frozenset({"size", "bytes", "nbytes", "blocksize"})


@dataclass(frozen=True, slots=True)
class OptionProposal:
    """An option as `[options.NAME]` would declare it.

    `arguments` are words by level. `doubt` says why nobody can tell whether it should be there, "" where a run can; `tried` is
    a sentence on what came of a try.
    """

    name: str
    levels: tuple[Level, ...]
    arguments: dict[str, tuple[str, ...]]
    description: str = ""
    doubt: str = ""
    tried: str = ""

    def only(self, levels: Sequence[Level]) -> "OptionProposal":
        """The same with its reference and these of its other levels."""
        if levels == [*self.levels[1:]]:
            return self
        words = {level: told for level, told in self.arguments.items() if level in map(str, levels)}
        return replace(self, levels=(self.levels[0], *levels), arguments=words)


def proposed_options(text: str) -> tuple[OptionProposal, ...]:
    """Return what the help in `text` names, in its order.

    A switch is off and on; one with listed values has those beside "default", which adds no word, one whose number is told has
    twice and four times that, and one that says that it takes a number has some. One whose values nobody can tell, and one that
    changes what the program does altogether, are doubtful.
    """
    found: dict[str, OptionProposal] = {}
    unframed = (
        _FRAMED.sub(r"\1 <\2>  ", line.strip("│┃")) if line[:1] in "│┃" else line
        for line in text.splitlines()
    )
    lines = [_COLUMNS.sub(r"\1, ", line.expandtabs(8)) for line in unframed]
    for at, line in enumerate(lines):
        if digits := _DIGITS.match(line):
            first, last = int(digits[1]), int(digits[2])
            levels = dict.fromkeys((first, (first + last) // 2, last))
            words: dict[str, tuple[str, ...]] = {str(level): (f"-{level}",) for level in levels}
            found.setdefault(
                "level",
                OptionProposal("level", (DEFAULT, *levels), words, re.split(r"\s{2,}", line.strip())[-1]),
            )
        elif (option := _LINE.match(line)) and (
            one := _proposed(option[1], _said(option[2], lines[at + 1 :]))
        ):
            found.setdefault(one.name, one)
    return tuple(found.values())


def _said(first: str, following: list[str]) -> str:
    """What is said behind an option and on the lines below it, up to an empty one or the next option."""
    said = [first.strip()]
    for line in following:
        if not line.strip() or line.lstrip().startswith("-") or not line.startswith("  "):
            break
        said.append(line.strip())
    return " ".join(said).strip()


def _proposed(head: str, said: str) -> OptionProposal | None:
    names = _NAME.findall(head)
    if not names or all(_DIGIT.match(name) for name in names):
        return None
    written = next((name for name in names if name.startswith("--")), names[0])
    name = re.sub(r"\W", "_", written.lstrip("-")) or "option"
    name = name if name[0].isalpha() else f"option_{name}"
    rest = head[head.rfind(names[-1]) + len(names[-1]) :]
    value = _VALUE.match(rest)
    doubt = (
        "it may end the run, or change what is done or said instead of how"
        if written.lstrip("-") in _LEFT_OUT or _ENDS.search(said)
        else ""
    )
    # Up to the first stop.
    description = re.split(r"(?<=\w[.;])\s|\s(?=[(\[](?:default|possible values|choices))", said)[0].rstrip(
        ".;"
    )
    if value is None:
        return OptionProposal(name, (False, True), {"on": (written,)}, description, doubt)
    choices = _choices(rest, value[1].strip("<>[]{}("), said)
    if not choices:
        words = _words(written, "{level}")
        doubt = doubt or f"its values are not listed: {value[1].strip('<>[]')}"
        return OptionProposal(name, (DEFAULT, "FILL IN"), {"FILL IN": words}, description, doubt)
    arguments = {choice: _words(written, choice) for choice in choices}
    return OptionProposal(name, (DEFAULT, *choices), arguments, description, doubt)


def _choices(rest: str, value: str, said: str) -> list[str]:
    """The values to try of an option that takes one: as listed behind its name or in its description, or numbers."""
    if listed := _CHOICES.search(rest):
        found = re.split(r"[|,]", listed[1] or listed[2])
    elif strokes := _STROKES.search(said):
        found = re.split(r"[|/]", strokes[1] or strokes[2])
    elif quoted := _QUOTED.search(said):
        found = re.findall(r"[\w.+-]+(?=['’`\"])", quoted[0])
    elif (told := _DEFAULT_NUMBER.search(said)) and (number := int(told[1] or told[2])):
        found = [str(2 * number), str(4 * number)]
    elif plain := _PLAIN.search(said):
        found = [word.split()[0] for word in re.split(_BETWEEN, plain[1] or plain[2])]
    elif value.lower() in _NUMBERS:
        found = ["1", "4", "16"]
    elif value.lower() in _BYTES:
        found = [str(1 << 16), str(1 << 20), str(1 << 24)]
    else:
        found = []
    found = [one.strip() for one in found if re.fullmatch(r"[\w.+-]+", one.strip())]
    return [*dict.fromkeys(found)][:_MOST_CHOICES]


def _words(written: str, level: str) -> tuple[str, ...]:
    return (f"{written}={level}",) if written.startswith("--") else (written, level)
