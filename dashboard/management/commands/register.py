"""`manage.py register`: name a folder with `subject.toml` as something this machine may measure."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import Principal, Refused, access_to
from dashboard.management.system_command import refusing
from dashboard.services.subjects import register_subject, registered_subject, store_revisions
from runner.errors import RunnerError


class Command(BaseCommand):
    """Register a subject."""

    help = "Registers the subject in a folder, so that it can be measured here and from the browser."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("folder", type=Path, help="the folder that holds subject.toml")
        parser.add_argument("--system", default="", help="name of the system, if not the subject's own name")

    @refusing(RunnerError, Refused)
    def handle(self, *_: Any, folder: Path, system: str, **__: Any) -> None:
        """Register, then list the revisions."""
        operator = Principal.operator()
        slug = register_subject(principal=operator, folder=folder, system_name=system)
        subject = registered_subject(slug=slug)
        stored = store_revisions(access=access_to(operator, slug), subject=subject)
        found = [one for one in stored if not one.branch]
        self.stdout.write(
            f"{slug} is registered: {len(found)} revision{'s' if len(found) != 1 else ''}, "
            f"{found[0].identifier} to {found[-1].identifier}"
        )
        for one in stored[len(found) :]:
            self.stdout.write(f"branch {one.branch}: {one.identifier}, left at {one.base}")
