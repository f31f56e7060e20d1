"""`manage.py export SYSTEM PATH`: write everything known of a system as a Perfatlas bundle."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from dashboard.access import NotFound, Principal, access_to
from dashboard.selectors.systems import find_slug
from dashboard.services.exporting import ExportRefused, export_system, export_traces

BAD_INPUT = 2


class Command(BaseCommand):
    """Export a system."""

    help = "Write a system as a Perfatlas bundle, which `import bundle` reads."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""
        parser.add_argument("system", help="a system's name or address")
        parser.add_argument("path", type=Path, help="a new folder, or a new file that ends in .zip")
        parser.add_argument(
            "--format",
            choices=("bundle", "tef"),
            default="bundle",
            help="tef: a zip of traces of profiled runs, for Perfetto and `import tef`",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Export, and say where to."""
        principal = Principal.operator()
        try:
            slug = find_slug(principal=principal, name=options["system"])
            access = access_to(principal, slug)
            if options["format"] == "tef":
                written = export_traces(access=access, path=options["path"])
                self.stdout.write(f"{slug}: {written} traces")
            else:
                export_system(access=access, path=options["path"])
        except (NotFound, ExportRefused) as error:
            raise CommandError(str(error), returncode=BAD_INPUT) from None
        self.stdout.write(f"{slug}: written to {options['path']}")
