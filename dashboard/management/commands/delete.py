"""`manage.py delete`: delete a system and everything that was measured of it."""

from typing import Any

from django.core.management.base import CommandError

from dashboard.access import Access, Refused
from dashboard.job_kinds import KINDS
from dashboard.management.system_command import SystemCommand, argument
from dashboard.selectors.jobs import job_detail
from dashboard.services.deleting import delete_system, preview_deletion
from dashboard.services.jobs.running import run_job


class Command(SystemCommand):
    """Delete a system."""

    help = "Deletes a system after telling what goes with it. The subject's own folder stays as it is."

    arguments = (argument("--yes", action="store_true", help="do not ask"),)

    def perform(self, access: Access, options: dict[str, Any]) -> None:
        """Tell, ask, then delete here and now."""
        slug = access.slug
        counts = preview_deletion(access=access)
        self.note(f"With {access.system.name} ({slug}) goes:")
        for words, count in counts.items():
            self.note(f"{count:>12,}  {words}")
        try:
            typed = slug if options["yes"] else input(f"Type {slug} to delete it for good: ")
        except EOFError:
            raise Refused("nobody answers: add --yes to delete without being asked") from None
        job_id = delete_system(access=access, typed=typed)
        run_job(job_id=job_id, kinds=KINDS)
        row = job_detail(principal=access.principal, job_id=job_id)
        if row.state not in {"done", "running"}:
            raise CommandError(f"{slug} is hidden, but its rows are still there: {row.message}", returncode=1)
        self.stdout.write(f"{slug} is deleted")
