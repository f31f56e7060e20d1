"""`manage.py rebuild [SYSTEM ...]`: make anew what follows from runs and points, or tell whether it is stored as it would be made."""

import json
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import AccessError, Principal, Refused, access_to
from dashboard.management.system_command import refusing
from dashboard.selectors.systems import find_slug, list_names
from dashboard.services.rebuilding import rebuild

_DIFFERS = 1


class Command(BaseCommand):
    """Rebuild."""

    help = (
        "Makes anew what follows from runs and points: points of configurations and terms, learned models, fits of histories and searches"
        " of regions. What is stored as it would be made stays untouched; people may read meanwhile. With --compare nothing changes."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument(
            "systems", nargs="*", metavar="SYSTEM", help="names or addresses of systems; of none: all"
        )
        parser.add_argument(
            "--compare",
            action="store_true",
            help="only tell what differs; the exit code is 1 where anything does, or cannot be made",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_: Any, systems: list[str], compare: bool, **options: Any) -> None:
        """Go from system to system, and tell."""
        operator = Principal.operator()
        told: dict[str, dict[str, Any]] = {}
        with refusing(AccessError, Refused):
            slugs = [find_slug(principal=operator, name=name) for name in systems]
            for slug in slugs or [one.slug for one in list_names(principal=operator)]:
                rows, faults = rebuild(
                    access=access_to(operator, slug),
                    keeps=not compare,
                    report=lambda text, slug=slug: self.stderr.write(f"{slug}: {text} ...", str),  # type: ignore[misc]
                )
                told[slug] = {"rows": [asdict(one) for one in rows], "faults": list(faults)}
                if not options["json"]:
                    verb = "differ" if compare else "differed and were made anew"
                    for one in rows:
                        self.stdout.write(f"{slug}: {one.rows:,} {one.name}, {one.differing:,} {verb}")
                    self.stdout.writelines(f"{slug}: {fault}\n" for fault in faults)
        if options["json"]:
            self.stdout.write(json.dumps(told, indent=1))
        if compare and any(
            found["faults"] or any(row["differing"] for row in found["rows"]) for found in told.values()
        ):
            raise CommandError(
                "what is stored is not what would be made: manage.py rebuild", returncode=_DIFFERS
            )
