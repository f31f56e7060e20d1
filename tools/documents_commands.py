"""The reference of commands, from what each command tells argparse."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from django.core.management import find_commands, load_command_class
from django.core.management.base import DjangoHelpFormatter

ROOT = Path(__file__).resolve().parent.parent
# The Django apps that have commands, by name.
APPS = ("dashboard", "studies")
# Every Django command has these.
COMMON = {
    *("help", "version", "verbosity", "settings", "pythonpath", "traceback"),
    *("no_color", "force_color", "skip_checks"),
}
HEAD = """# Commands

<!-- written by `make docs` from the commands themselves -->

Each command is run from the project's folder as `.venv/bin/python manage.py COMMAND`.
It ends with 0 when done, 1 when it failed, 2 when its input was bad. Results go to
standard output, progress to standard error. Every command also has Django's options
(`--help`, `--verbosity`, `--traceback`, ...).
"""


def command_parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each of the project's own commands, by name, in order."""
    found = {
        name: load_command_class(app, name).create_parser("manage.py", name)
        for app in APPS
        for name in find_commands(str(ROOT / app / "management"))
    }
    return dict(sorted(found.items()))


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments that are the command's own, without sub-commands and hidden ones."""
    for action in parser._actions:
        hidden = action.help == argparse.SUPPRESS or action.dest in COMMON
        if not hidden and not isinstance(action, argparse._SubParsersAction):
            yield action


def verbs_of(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str, argparse.ArgumentParser]]:
    """Name, help and parser of each sub-command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
            for name, verb in action.choices.items():
                yield name, helps.get(name, ""), verb


def _placeholder(action: argparse.Action) -> str:
    if action.metavar is not None:
        return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)
    if action.choices is not None:
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def _form(action: argparse.Action) -> str:
    """How the argument is written."""
    value = "" if action.nargs == 0 else _placeholder(action)
    if action.nargs in {"*", "+"}:
        value = f"{value} ..."
    if not action.option_strings:
        return f"[{value}]" if action.nargs in {"?", "*"} else value
    return ", ".join(f"{name} {value}".strip() for name in action.option_strings)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(parser: argparse.ArgumentParser) -> str:
    formatter = DjangoHelpFormatter(prog="manage.py", width=10_000)
    rows = [
        f"| `{_cell(_form(action))}` | {_cell(formatter._expand_help(action) if action.help else '')} |"
        for action in actions_of(parser)
    ]
    return "\n".join(["| argument | meaning |", "|---|---|", *rows, ""]) if rows else "No arguments.\n"


def commands_page() -> str:
    """The whole page. Needs Django set up."""
    parts = [HEAD]
    for name, parser in command_parsers().items():
        parts.append(f"## {name}\n\n{' '.join((parser.description or '').split())}\n")
        verbs = list(verbs_of(parser))
        if list(actions_of(parser)) or not verbs:
            parts.append(_table(parser))
        parts += [
            f"### {name} {verb}\n\n{text[:1].upper()}{text[1:]}.\n\n{_table(inner)}"
            for verb, text, inner in verbs
        ]
    return "\n".join(parts)
