"""`manage.py register`: name a folder with `subject.toml` as something this machine may measure."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.access import Principal, Refused, access_to
from dashboard.figures.histories_words import revision_text, revision_title
from dashboard.management.system_command import refusing
from dashboard.selectors.releases import telling_of
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
        access = access_to(operator, slug)
        stored = store_revisions(access=access, subject=subject)
        found = [one for one in stored if not one.branch]
        with telling_of(access.system):
            ends = " to ".join(revision_title(one.identifier, one.message) for one in (found[0], found[-1]))
            self.stdout.write(f"{slug} is registered: {len(found)} revision{'s' * (len(found) != 1)}, {ends}")
            if tagged := [one.names for one in found if one.names]:
                self.stdout.write(f"{len(tagged)} of them tagged, the last as {', '.join(tagged[-1])}")
            for one in stored[len(found) :]:
                title, base = revision_title(one.identifier, one.message), revision_text(one.base)
                self.stdout.write(f"branch {one.branch}: {title}, left at {base}")
