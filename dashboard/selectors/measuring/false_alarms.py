"""How often identical runs differed when a revision was last measured against itself, and whether that still holds."""

from dataclasses import dataclass
from datetime import datetime

from analytics.power import COMPARISON_VERSION
from dashboard.models import Run, System
from dashboard.selectors.batch_manifests import against_itself, manifest_of


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """`differing` of so many `comparisons` of identical runs, `runs_of_each` of each side in turns, differed.

    `revision` was measured in `environment`. `is_elsewhere` says that the newest runs of the system are of another
    environment, `is_former` that another version of the comparison said it: then it says nothing of the present one.
    """

    differing: int
    comparisons: int
    runs_of_each: int
    at: datetime
    revision: str
    environment: str
    is_elsewhere: bool
    is_former: bool


def measured_against_itself(system: System) -> FalseAlarms | None:
    """What the newest such measurement showed; None without one. Three queries at most."""
    batch = against_itself(system)
    run = batch.runs.select_related("environment", "revision").first() if batch is not None else None
    if batch is None or run is None:
        return None
    found = manifest_of(batch)
    runs = Run.objects.filter(batch__system=system, kind=Run.Kind.PLAIN).order_by("-pk")
    return FalseAlarms(
        differing=found.differing,
        comparisons=found.comparisons,
        runs_of_each=found.runs_of_each,
        at=batch.created_at,
        revision=run.revision.name,
        environment=run.environment.name,
        is_elsewhere=runs.values_list("environment_id", flat=True)[:1].get() != run.environment_id,
        is_former=found.comparison_version != COMPARISON_VERSION,
    )
