"""`manage.py jobs`: list, show, follow, pause, resume and cancel jobs in the terminal."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dashboard.access import NotFound, Principal, Refused, access_to
from dashboard.management.job_output import as_json, follow, log_line, state_in_words
from dashboard.management.system_command import refusing
from dashboard.selectors.jobs import job_detail, list_jobs
from dashboard.services.jobs.leases import MOST_LINES
from dashboard.services.jobs.queueing import request_cancel, request_pause, resume

_STOPS = {
    "cancel": "cancel a waiting job, ask a running one to stop",
    "pause": "lay a job aside; what was done is kept",
    "resume": "let a paused job go on, or a measurement that failed or was cancelled",
}


class Command(BaseCommand):
    """Jobs in the terminal."""

    help = "Lists jobs, shows or follows one, pauses, resumes or cancels one."
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        verbs = parser.add_subparsers(dest="verb", required=True)
        listing = verbs.add_parser("list", help="the newest jobs")
        listing.add_argument("--system", help="only those of this system (its short name)")
        listing.add_argument("--limit", type=int, default=20, help="how many (20)")
        listing.add_argument("--json", action="store_true", help="one JSON object per line")
        show = verbs.add_parser("show", help="one job with its log")
        show.add_argument("id", type=int, help="the job's number")
        show.add_argument(
            "--follow", action="store_true", help="go on until the job has ended; 1 if it failed"
        )
        show.add_argument("--json", action="store_true", help="the job as one JSON object, without its log")
        for verb, what in _STOPS.items():
            verbs.add_parser(verb, help=what).add_argument("id", type=int, help="the job's number")

    @refusing(NotFound, Refused)
    def handle(self, *_: Any, verb: str, **options: Any) -> None:
        """Call the verb's selector or service."""
        operator = Principal.operator()
        if verb == "list":
            within = None if options["system"] is None else access_to(operator, options["system"]).system
            for row in list_jobs(principal=operator, system=within, limit=options["limit"]):
                line = f"{row.id:>6}  {row.title}: {state_in_words(row)}"
                self.stdout.write(as_json(row) if options["json"] else line)
            return
        job_id, to_the_end = options["id"], options.get("follow", False)
        if verb != "show":
            act = {"cancel": request_cancel, "pause": request_pause, "resume": resume}[verb]
            act(principal=operator, job_id=job_id)
            self.stdout.write(state_in_words(job_detail(principal=operator, job_id=job_id)))
            return
        if to_the_end:
            # Progress goes to standard error, and is no error: not in red.
            follow(principal=operator, job_id=job_id, say=lambda line: self.stderr.write(line, str))
        detail = job_detail(principal=operator, job_id=job_id, limit=MOST_LINES)
        if options["json"]:
            self.stdout.write(as_json(detail))
        elif not to_the_end:
            first = f"{detail.title}: {state_in_words(detail)}"
            parts = [f"  {part.title.rpartition(': ')[2]}: {state_in_words(part)}" for part in detail.parts]
            self.stdout.write("\n".join([first, *parts, *map(log_line, detail.lines)]))
        if detail.error and not options["json"]:
            self.stderr.write(detail.error)
        if to_the_end and detail.state != "done":
            raise CommandError(f"job {job_id} ended as {detail.state}")
