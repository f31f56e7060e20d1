"""`manage.py init`: begin a subject of one's own, from a command line, a package or a git repository."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import Principal, Refused
from dashboard.management.system_command import refusing
from dashboard.services.subjects import draft_subject
from runner.errors import RunnerError


class Command(BaseCommand):
    """Write a new subject into a folder."""

    help = (
        "Writes a commented subject.toml into a new folder, with an entry that runs. The program is run to find out: its help is "
        "read for options, and each option is tried. What is not sure is commented out."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("folder", type=Path, help="a new folder, or an empty one")
        way = parser.add_mutually_exclusive_group(required=True)
        way.add_argument(
            "--command",
            metavar="WORDS",
            help="a command line, as 'xz' or 'jq .'; {input} stands for its input file",
        )
        way.add_argument("--package", metavar="NAME", help="the name of a Python package that pip finds")
        way.add_argument(
            "--git",
            dest="repository",
            metavar="ADDRESS",
            help="a repository that git can clone, or its folder",
        )
        parser.add_argument(
            "--input", dest="given", type=Path, metavar="FILE", help="an input of yours (one is made up)"
        )

    @refusing(RunnerError, Refused)
    def handle(self, *_: Any, folder: Path, given: Path | None, **options: Any) -> None:
        """Write it, then say what was found, what is left to fill in and how to go on."""
        way = next(name for name in ("command", "package", "repository") if options[name] is not None)
        report = draft_subject(
            principal=Principal.operator(),
            folder=folder,
            way=way,  # type: ignore[arg-type] # one of the three that the loop is over
            what=options[way],
            given=given,
            said=lambda text: self.stderr.write(text, str),
        )
        lines = [f"{folder}/subject.toml is written: {'; '.join(report.found)}."]
        if report.fill_in:
            lines += ["Fill in:", *(f"  - {one}" for one in report.fill_in), "Then register it:"]
        else:
            lines += ["Look at it, then register and measure it:"]
        lines += [
            f"  .venv/bin/python manage.py register {folder}",
            f"  .venv/bin/python manage.py measure {folder} --configurations feature-wise",
        ]
        self.stdout.write("\n".join(lines))
