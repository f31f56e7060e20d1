"""`manage.py reproduce TABLE`: make a published table again, and set our numbers beside the published ones."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from studies.papers.pages import as_json, as_lines, as_page
from studies.papers.registry import TABLES
from studies.papers.tables import Effort, ReproductionError

BAD_INPUT = 2


class Command(BaseCommand):
    """Make a table again from the published data."""

    help = "Make a published table again and print ours beside it; --list names the tables."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""
        parser.add_argument("table", nargs="?", choices=sorted(TABLES), help="which table")
        parser.add_argument("--list", action="store_true", help="print the tables and end")
        parser.add_argument(
            "--data",
            type=Path,
            default=Path(settings.BASE_DIR).parent / "shared" / "data",
            help="the folder of the published data (default: shared/data beside the project's folder)",
        )
        parser.add_argument("--seeds", type=int, default=10, help="seeds of what is drawn at random (10)")
        parser.add_argument(
            "--series", type=int, help="so many series of each system, spread evenly (all; histories only)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--docs",
            type=Path,
            nargs="?",
            const=Path(settings.BASE_DIR) / "docs" / "reference",
            metavar="FOLDER",
            help="write it as a page of the documents too (docs/reference)",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Make the table, print it, and write its page."""
        if options["list"]:
            for known in TABLES.values():
                self.stdout.write(f"{known.name:<24} {known.title}")
            return
        if options["table"] is None:
            raise CommandError("give TABLE, or --list", returncode=BAD_INPUT)
        if options["seeds"] < 2:
            raise CommandError("--seeds: at least 2, or there is no spread", returncode=BAD_INPUT)
        if options["series"] is not None and options["series"] < 1:
            raise CommandError("--series: at least 1", returncode=BAD_INPUT)
        try:
            effort = Effort(options["seeds"], options["series"])
            table = TABLES[options["table"]].make(options["data"], effort, self._tell)
        except ReproductionError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        if options["json"]:
            self.stdout.write(json.dumps(as_json(table), indent=1))
        else:
            for line in as_lines(table):
                self.stdout.write(line)
        if options["docs"]:
            command = f"manage.py reproduce {table.name} --seeds {options['seeds']}"
            command += f" --series {options['series']}" if options["series"] else ""
            options["docs"].mkdir(parents=True, exist_ok=True)
            page = options["docs"] / f"published-{table.name}.md"
            page.write_text(as_page(table, command), encoding="utf-8")
            self.stderr.write(f"written: {page}")

    def _tell(self, step: str) -> None:
        self.stderr.write(f"{step} ...")
