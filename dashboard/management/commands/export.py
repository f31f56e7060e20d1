"""`manage.py export SYSTEM PATH`: write everything known of a system as a Perfatlas bundle."""

from pathlib import Path
from typing import Any

from dashboard.access import Access
from dashboard.management.system_command import SystemCommand, argument
from dashboard.services.exporting import export_system, export_traces


class Command(SystemCommand):
    """Export a system."""

    help = "Write a system as a Perfatlas bundle, which `import bundle` reads."

    arguments = (
        argument("path", type=Path, help="a new folder, or a new file that ends in .zip"),
        argument(
            "--format",
            choices=("bundle", "tef"),
            default="bundle",
            help="tef: a zip of traces of profiled runs, for Perfetto and `import tef`",
        ),
    )

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Export, and say where to."""
        if options["format"] == "tef":
            written = export_traces(access=access, path=options["path"])
            self.stdout.write(f"{access.slug}: {written} traces")
        else:
            export_system(access=access, path=options["path"])
        self.stdout.write(f"{access.slug}: written to {options['path']}")
