"""`manage.py analyze`: which option has a say in which decision of a program, from traced runs."""

from typing import Any

from django.core.management.base import CommandParser

from dashboard.access import Principal
from dashboard.management.job_output import state_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.selectors.jobs import JobDetail
from dashboard.services.jobs import JobId
from dashboard.services.tracing.analyzing import AnalyzingRequest, start_analyzing


class Command(MeasuringCommand):
    """Analyze a subject."""

    help = "Traces a subject's options to its decisions, in configurations of its own choice."
    verb = "analyze"

    def add_arguments(self, parser: CommandParser) -> None:
        """Define the command line."""
        super().add_arguments(parser)
        # Tracing takes many times as long as measuring.
        parser.set_defaults(workload="")
        parser.add_argument("--revision", default="latest", help="name of one revision (latest)")
        parser.add_argument(
            "--budget", type=int, default=100, help="trace so many configurations at most (100)"
        )
        parser.add_argument("--minutes", type=float, help="begin no configuration after so many minutes")
        parser.add_argument(
            "--cap", type=int, help="split regions with more subspaces than this by pairs of options"
        )

    def start(self, operator: Principal, slug: str, options: dict[str, Any]) -> JobId:
        """Queue the analysis."""
        request = AnalyzingRequest(
            revision=options["revision"],
            workload=options["workload"],
            budget=options["budget"],
            cap=options["cap"],
            minutes=options["minutes"],
        )
        return start_analyzing(principal=operator, slug=slug, request=request)

    def in_words(self, detail: JobDetail) -> str:
        """The end of an analysis, a finding per line."""
        found = detail.result
        if "subspaces" not in found:
            return f"{detail.row.title}: {state_in_words(detail.row)}"
        seen = found["subspaces"] - found["unseen"]
        lines = [
            (
                f"{detail.row.title}: {detail.row.state}: {found['configurations']} configurations traced, "
                f"{found['regions']} regions decide on options, {seen} of {found['subspaces']} subspaces seen"
            )
        ]
        for run in found["failed"]:
            levels = ",".join(f"{name}={label}" for name, label in run["levels"].items())
            place = f" at {run['place']}" if run["place"] else ""
            lines.append(f"failed: {levels}: {run['message']}{place}")
        lines += [f"nothing reads the option {name}" for name in found["unread"]]
        lines += [
            f"no decision depends on the option {name}"
            for name in found["undecided"]
            if name not in found["unread"]
        ]
        if found["split"]:
            lines.append(f"split pair by pair: {', '.join(found['split'])}")
        calls = len(found["unfollowed"])
        if calls:
            most = sorted(found["unfollowed"].items(), key=lambda one: (-one[1], one[0]))[:5]
            named = ", ".join(f"{name} ({count})" for name, count in most)
            lines.append(f"not followed into {calls} places; most often: {named}")
        return "\n".join(lines)
