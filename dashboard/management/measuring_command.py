"""What the commands that measure a subject share: the job is queued, then run here unless it is left to a worker."""

import re
import threading
from abc import abstractmethod
from argparse import ArgumentTypeError
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection
from pydantic import BaseModel

from dashboard.access import AccessError, Principal, Refused, access_to
from dashboard.job_kinds import KINDS
from dashboard.management.job_output import as_json, follow, state_in_words
from dashboard.management.system_command import BAD_INPUT, Argument, argument, refusing
from dashboard.models import Job
from dashboard.selectors.jobs import job_detail
from dashboard.services.jobs.queueing import request_pause, resume
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.subjects import register_subject, slug_of_subject
from runner.errors import RunnerError

_SECONDS = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|m|h|d)")


def duration(text: str) -> float:
    """The seconds of "90s", "30min", "2h", "1.5h" or "1d". Raises `ArgumentTypeError`."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or float(found[1]) == 0:
        raise ArgumentTypeError(f"{text!r} is no time: write 90s, 30min, 2h or 1d")
    return float(found[1]) * _SECONDS[found[2]]


# The arguments of commands that choose the revisions of one configuration themselves.
SERIES = (
    argument(
        "--budget",
        dest="budget_seconds",
        metavar="BUDGET",
        type=duration,
        default="1h",
        help="90s, 30min, 2h or 1d (1h)",
    ),
    argument(
        "--configuration", default="default", metavar="EXPRESSION", help="default or a=on,b=off (default)"
    ),
)


class MeasuringCommand(BaseCommand):
    """A command whose work is a measuring job of a subject; `verb` is its name, for the way to resume it.

    `send` queues the job for the system's subject, as a `request` asks; it takes both by name. `usual_workload` says which one it takes where nobody says, `default_workload` how a request says so. Options are named as the fields of the job's request.
    """

    verb: ClassVar[str]
    usual_workload: ClassVar[str] = "regular"
    default_workload: ClassVar[str] = "regular"
    arguments: ClassVar[Sequence[Argument]] = ()

    request: ClassVar[type[BaseModel]]
    send: ClassVar[Callable[..., int]]

    @abstractmethod
    def outcome(self, job: Job) -> str | None:
        """What an ended job with a result came to, in words; None where its state says all."""

    def add_arguments(self, parser: CommandParser) -> None:
        """The arguments that all of them have, and behind them the command's own."""
        parser.add_argument(
            "subject",
            nargs="?",
            default="",
            help="a folder with subject.toml (registered on the way), or a subject's name",
        )
        parser.add_argument(
            "--workload", default=self.default_workload, help=f"name of a workload ({self.usual_workload})"
        )
        parser.add_argument("--system", default="", help="name of the system, when a folder is given")
        parser.add_argument("--queue", action="store_true", help="leave the work to the worker of `serve`")
        parser.add_argument(
            "--resume",
            type=int,
            metavar="JOB",
            help="go on with a job that was interrupted, paused or cancelled, or that failed",
        )
        parser.add_argument("--json", action="store_true", help="the job as one JSON object at the end")
        for names, settings in self.arguments:
            parser.add_argument(*names, **settings)

    def handle(self, *_: Any, **options: Any) -> None:
        """Queue the job, then run it here unless it is left to a worker."""
        operator = Principal.operator()
        with refusing(RunnerError, AccessError, Refused):
            if options["resume"]:
                job_id = options["resume"]
                resume(principal=operator, job_id=job_id)
            else:
                if not options["subject"]:
                    raise CommandError(
                        "say which subject: a folder with subject.toml, or a registered subject's name",
                        returncode=BAD_INPUT,
                    )
                folder = Path(options["subject"])
                if folder.is_dir():
                    slug = register_subject(principal=operator, folder=folder, system_name=options["system"])
                else:
                    slug = slug_of_subject(options["subject"])
                request = self.request.model_validate(options)
                job_id = self.send(access=access_to(operator, slug), request=request)
        if not options["queue"]:
            self._run(operator, job_id)
        detail = job_detail(principal=operator, job_id=job_id)
        if options["json"]:
            self.stdout.write(as_json(detail, result=detail.result))
        else:
            outcome = self.outcome(detail) if detail.result else None
            self.stdout.write(f"{detail.title}: {outcome or state_in_words(detail)}")
        if detail.state in {"failed", "cancelled"}:
            raise CommandError(f"job {job_id} ended as {detail.state}", returncode=1)

    def _run(self, operator: Principal, job_id: int) -> None:
        """Make the runs in this process and tell of them; where a worker was quicker, only tell."""
        left = threading.Event()

        def tell() -> None:
            try:
                # Progress goes to standard error, and is no error: not in red.
                follow(
                    principal=operator,
                    job_id=job_id,
                    say=lambda line: self.stderr.write(line, str),
                    until=left,
                )
            finally:
                connection.close()

        teller = threading.Thread(target=tell, daemon=True)
        teller.start()
        try:
            # Here no reaper sends a job again that the database gave back.
            while run_job(job_id=job_id, kinds=KINDS) is JobOutcome.GIVEN_BACK:
                pass
            teller.join()
        except KeyboardInterrupt:
            # Else a worker of `serve` would take it up at once, though somebody wants the machine to be quiet.
            request_pause(principal=operator, job_id=job_id)
            raise CommandError(
                f"interrupted; what was measured is kept. Go on: manage.py {self.verb} --resume {job_id}. "
                f"Drop the rest: manage.py jobs cancel {job_id}",
                returncode=1,
            ) from None
        finally:
            # Nobody asks the database any more once the command has ended, however it did.
            left.set()
            teller.join()
