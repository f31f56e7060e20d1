"""`manage.py import FORMAT PATH --system NAME`: read a file or folder of measurements into a system."""  # noqa: N999 -- the verb is a keyword

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.access import Principal
from dashboard.importers.errors import InvalidBundle, SourceError
from dashboard.importers.registry import FORMATS
from dashboard.services.imports.errors import ImportLost, ImportRefused
from dashboard.services.imports.importing import import_file

BAD_INPUT = 2


class Command(BaseCommand):
    """Import a file: checked as a whole first, then written all or nothing."""

    help = "Import a file or folder into a system; --list names the formats."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""
        parser.add_argument("format", nargs="?", choices=sorted(FORMATS), help="what the file holds")
        parser.add_argument("path", nargs="?", type=Path, help="a folder or a zip file")
        parser.add_argument("--system", help="the system's name; it is made where there is none")
        parser.add_argument("--list", action="store_true", help="print the formats and end")

    def handle(self, *_: Any, **options: Any) -> None:
        """Import, and say what came in."""
        if options["list"]:
            for known in FORMATS.values():
                self.stdout.write(f"{known.name:<12} {known.title}")
            return
        if options["format"] is None or options["path"] is None or options["system"] is None:
            raise CommandError("give FORMAT, PATH and --system NAME, or --list", returncode=BAD_INPUT)
        try:
            outcome = import_file(
                principal=Principal.operator(),
                format_name=options["format"],
                path=options["path"],
                system_name=options["system"],
                tell=self._tell,
            )
        except InvalidBundle as error:
            self._refuse(error.lines(), f"nothing was imported: {len(error.faults) + error.unlisted} faults")
        except SourceError as error:
            self._refuse([str(error)], "nothing was imported")
        except ImportRefused as error:
            self._refuse(error.problems, "nothing was imported")
        except ImportLost as error:
            raise CommandError(str(error)) from None
        for remark in outcome.remarks:
            self.stderr.write(f"note: {remark}")
        if not outcome.is_new:
            self.stdout.write(f"{outcome.system_name} holds exactly this already: nothing changed.")
            return
        self.stdout.write(
            f"{outcome.system_name}: {outcome.runs} runs, {outcome.configurations} configurations, "
            f"{outcome.regions} regions, {outcome.revisions} revisions (address: {outcome.system_slug})"
        )

    def _tell(self, step: str) -> None:
        self.stderr.write(f"{step} ...")

    def _refuse(self, lines: Any, summary: str) -> None:
        for line in lines:
            self.stderr.write(line)
        raise CommandError(summary, returncode=BAD_INPUT)
