"""`manage.py delete`: delete a system and everything that was measured of it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import AccessError, Principal
from dashboard.selectors.jobs import job_detail
from dashboard.selectors.systems import find_slug
from dashboard.services.deleting import DeletingError, delete_system, preview_deletion
from dashboard.services.job_kinds import KINDS
from dashboard.services.jobs.running import run_job


class Command(BaseCommand):
    """Delete a system."""

    help = "Deletes a system after telling what goes with it. The subject's own folder stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        parser.add_argument("system", help="a system's name or address")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, *_: Any, system: str, yes: bool, **__: Any) -> None:
        """Tell, ask, then delete here and now."""
        operator = Principal.operator()
        try:
            slug = find_slug(principal=operator, name=system)
            preview = preview_deletion(principal=operator, slug=slug)
            self.stderr.write(f"With {preview.name} ({slug}) goes:", str)
            for words, count in preview.counts:
                self.stderr.write(f"{count:>12,}  {words}", str)
            typed = slug if yes else self._ask(slug)
            job_id = delete_system(principal=operator, slug=slug, typed=typed)
        except (AccessError, DeletingError) as error:
            raise CommandError(str(error), returncode=2) from error
        run_job(job_id=job_id, kinds=KINDS)
        row = job_detail(principal=operator, job_id=job_id).row
        if row.state not in {"done", "running"}:
            raise CommandError(f"{slug} is hidden, but its rows are still there: {row.message}", returncode=1)
        self.stdout.write(f"{slug} is deleted")

    def _ask(self, slug: str) -> str:
        try:
            return input(f"Type {slug} to delete it for good: ")
        except EOFError:
            raise DeletingError("nobody answers: add --yes to delete without being asked") from None
