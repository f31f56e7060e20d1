"""The demo systems: bundles that ship with Perfatlas, and the subjects they were measured with."""

from django.conf import settings

from analytics.progress import Progress, no_progress
from dashboard.access import Principal, access_to
from dashboard.services.evaluation import ApproachRequest, start_evaluation
from dashboard.services.imports.importing import import_file
from dashboard.services.subjects import register_subject

# The bundle in `demo/` and the subject in `subjects/` that each was measured with, by the system's name.
DEMO_SYSTEMS = {"Markdown": "markdown", "Pygments": "pygments", "Markdown commits": "markdown-commits"}


# Of which approaches are compared: in a job, which takes about a quarter of a minute.
_COMPARED = "Markdown"


def load_demo(*, principal: Principal, progress: Progress = no_progress, compares: bool = False) -> int:
    """Import the demo bundles that are not there yet and register their subjects; how many were imported.

    With `compares` approaches are compared on the main one, in a job, when it was imported. Only the operator may: registering
    a subject allows its execution.
    """
    imported = 0
    for name, subject in DEMO_SYSTEMS.items():
        outcome = import_file(
            principal=principal,
            format_name="bundle",
            path=settings.BASE_DIR / "demo" / f"{subject}.zip",
            system_name=name,
            progress=lambda share, step, name=name: progress(share, f"{name}: {step}"),
        )
        register_subject(
            principal=principal, folder=settings.BASE_DIR / "subjects" / subject, system_name=name
        )
        imported += outcome.is_new
        if compares and outcome.is_new and name == _COMPARED:
            start_evaluation(access_to(principal, outcome.system_slug), ApproachRequest())
    return imported
