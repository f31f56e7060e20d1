"""`manage.py analyze`: which option has a say in which decision of a program, from traced runs."""

from analytics.whitebox.evidence import OLDER_APPROACHES
from dashboard.management.analysis_output import analysis_in_words, reads_in_words, static_in_words
from dashboard.management.measuring_command import MeasuringCommand
from dashboard.management.system_command import argument
from dashboard.models import Job
from dashboard.selectors.whitebox.analyses import newest_analysis, reached_options, white_box_detail
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.subjects import registered_subject
from dashboard.services.whitebox.analyzing import CAP, AnalyzingRequest, start_analyzing


class Command(MeasuringCommand):
    """Analyze a subject."""

    help = "Traces a subject's options to its decisions, in configurations of its own choice."
    verb = "analyze"
    request = AnalyzingRequest
    send = staticmethod(start_analyzing)
    # Tracing takes many times as long as measuring.
    default_workload = ""
    usual_workload = "small where there is one, else regular"

    arguments = (
        argument("--revision", default="latest", help="name or tag of one revision (latest)"),
        argument(
            "--budget",
            "--most",
            type=int,
            default=100,
            help="trace so many configurations at most (100)",
        ),
        argument("--minutes", type=float, help="begin no configuration after so many minutes"),
        argument(
            "--cap",
            type=int,
            default=CAP,
            help=f"split regions with more subspaces than this by pairs of options ({CAP})",
        ),
        argument(
            "--published",
            action="store_true",
            help="the algorithm as it was published: no cap, no refinement by counts",
        ),
        argument(
            "--counts-only",
            action="store_true",
            help="trace nothing: what each function does is counted, without the way that options take there",
        ),
        argument(
            "--approach",
            default="",
            choices=("", *OLDER_APPROACHES),
            help="an older approach: reads runs configurations that differ in options which a run reads (SPLat), "
            "static reads the source and runs nothing (ConfigCrusher)",
        ),
    )

    def outcome(self, job: Job) -> str | None:
        """The end of an analysis, a finding per line."""
        if job.system is None:
            return None
        request = AnalyzingRequest.of(job)
        if request.approach:
            older = newest_analysis(job.system, request.revision, request.approach)
            if older is None:
                return None
            if request.approach == "static":
                reached = reached_options(job.system, older.result)
                return f"{job.state}: {static_in_words(older.result, reached, job.result or {})}"
            subject = registered_subject(slug=job.system.slug)
            valid = SubjectConfigurations.of(job.system, subject).valid.count()
            return f"{job.state}: {reads_in_words(older.result, valid)}"
        analysis = white_box_detail(system=job.system)
        return None if analysis is None else f"{job.state}: {analysis_in_words(analysis)}"
