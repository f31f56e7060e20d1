"""`manage.py reproduce TABLE`: make a published table again, and set our numbers beside the published ones."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.management.system_command import BAD_INPUT
from studies.management.reference_pages import add_docs_argument, write_page
from studies.papers import (
    comprex_approaches,
    comprex_system,
    histories_cusum,
    histories_kernels,
    histories_sampling,
    kaltenecker,
)
from studies.papers.pages import as_json, as_lines, as_page
from studies.papers.tables import ReproducedTable, Reproduction, ReproductionError

# What --list says of each table, and what makes it.
TABLES: Mapping[str, tuple[str, Callable[[Reproduction], ReproducedTable]]] = {
    "comprex-cost": ("Comprex, Table II: what approaches cost", comprex_approaches.cost),
    "comprex-errors": ("Comprex, Table III: errors", comprex_approaches.errors),
    "comprex-appendix-errors": (
        "Comprex, appendix: errors of all samplings and learners",
        comprex_approaches.appendix_errors,
    ),
    "comprex-appendix-terms": ("Comprex, appendix: numbers of terms", comprex_approaches.appendix_terms),
    "comprex-regions": ("Comprex, Table IV: configurations that cover the regions", comprex_system.regions),
    "histories-kernels": ("Histories, Table III: errors of five kernels", histories_kernels.errors),
    "histories-sampling": ("Histories, Table IV: active against random sampling", histories_sampling.make),
    "histories-cusum": ("Histories, Figures 1 and 2: change points by CUSUM's window", histories_cusum.make),
    "histories-changes": (
        "Histories, Figure 5: change points that estimates keep",
        histories_kernels.changes,
    ),
    "kaltenecker": ("Options x releases: coefficients of nine systems", kaltenecker.make),
}


class Command(BaseCommand):
    """Make a table again from the published data."""

    help = "Make a published table again and print ours beside it; --list names the tables."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
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
        add_docs_argument(parser, "it")

    def handle(self, *_: Any, **options: Any) -> None:
        """Make the table, print it, and write its page."""
        if options["list"]:
            for name, (title, _make) in TABLES.items():
                self.stdout.write(f"{name:<24} {title}")
            return
        if options["table"] is None:
            raise CommandError("give TABLE, or --list", returncode=BAD_INPUT)
        if options["seeds"] < 2:
            raise CommandError("--seeds: at least 2, or there is no spread", returncode=BAD_INPUT)
        if options["series"] is not None and options["series"] < 1:
            raise CommandError("--series: at least 1", returncode=BAD_INPUT)
        try:
            _title, make = TABLES[options["table"]]
            table = make(
                Reproduction(
                    options["data"],
                    options["seeds"],
                    options["series"],
                    tell=lambda step: self.stderr.write(f"{step} ..."),
                )
            )
        except ReproductionError as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        if options["json"]:
            self.stdout.write(json.dumps(as_json(options["table"], table), indent=1))
        else:
            for line in as_lines(table):
                self.stdout.write(line)
        if options["docs"]:
            command = f"manage.py reproduce {options['table']} --seeds {options['seeds']}"
            command += f" --series {options['series']}" if options["series"] else ""
            write_page(self, options["docs"], f"published-{options['table']}", as_page(table, command))
