"""The demo systems: bundles that ship with Perfatlas, and the subjects they were measured with."""

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from analytics.progress import Progress, no_progress
from dashboard.access import Principal
from dashboard.services.imports.importing import import_file
from dashboard.services.subjects import register_subject


@dataclass(frozen=True, slots=True)
class DemoSystem:
    """A bundle in `demo/` and the subject in `subjects/` that it was measured with."""

    name: str
    bundle: str
    subject: str


DEMO_SYSTEMS = (
    DemoSystem("Markdown", "markdown.zip", "markdown"),
    DemoSystem("Pygments", "pygments.zip", "pygments"),
    DemoSystem("Markdown commits", "markdown-commits.zip", "markdown-commits"),
)


def load_demo(*, principal: Principal, progress: Progress = no_progress) -> int:
    """Import the demo bundles that are not there yet and register their subjects; how many were imported.

    Only the operator may: registering a subject allows its execution.
    """
    imported = 0
    for demo in DEMO_SYSTEMS:
        outcome = import_file(
            principal=principal,
            format_name="bundle",
            path=bundle_path(demo),
            system_name=demo.name,
            progress=_named(demo.name, progress),
        )
        register_subject(
            principal=principal, folder=settings.BASE_DIR / "subjects" / demo.subject, system_name=demo.name
        )
        imported += outcome.is_new
    return imported


def bundle_path(demo: DemoSystem) -> Path:
    """Where the bundle of a demo system lies."""
    return settings.BASE_DIR / "demo" / demo.bundle


def _named(name: str, progress: Progress) -> Progress:
    return lambda share, step: progress(share, f"{name}: {step}")
