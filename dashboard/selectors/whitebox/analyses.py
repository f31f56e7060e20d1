"""Stored white-box analyses: of a whole system, and of one of its regions."""

from django.db.models import QuerySet

from analytics.whitebox.region_dependencies import RegionDependencies, dependent_regions
from dashboard.access import NotFound
from dashboard.models import Batch, Revision, System, WhiteBoxAnalysis
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail


def analyses_of(system: System, revision: str = "") -> QuerySet[WhiteBoxAnalysis]:
    """The analyses of a system, or of one of its revisions, the newest first."""
    found = WhiteBoxAnalysis.objects.filter(system=system, batch__state=Batch.State.VISIBLE)
    if revision:
        found = found.filter(revision__name=revision)
    return found.order_by("-pk")


def newest_analysis(system: System, revision: str = "") -> WhiteBoxAnalysis | None:
    """The newest of them. One query. For selectors and services."""
    return analyses_of(system, revision).select_related("revision", "workload", "batch").first()


def analyzed_revisions(system: System) -> tuple[str, ...]:
    """All revisions that were analyzed, the one analyzed last first. One query."""
    return tuple(dict.fromkeys(analyses_of(system).values_list("revision__name", flat=True)))


def white_box_detail(*, system: System, revision: str = "") -> WhiteBoxDetail | None:
    """The newest analysis of a system, or of one of its revisions; None where there is none. Three queries at most.

    Raises `NotFound` for a revision that was not analyzed while another one was.
    """
    found = _detail(system, revision)
    if found is None and revision:
        analyzed = analyzed_revisions(system)
        if analyzed:
            raise NotFound(f"revision {revision} was not analyzed; analyzed were {', '.join(analyzed)}")
    return found


def region_analysis(*, system: System, region: str, revision: str = "") -> RegionAnalysis | None:
    """What the newest analysis showed of a region; None where nothing was analyzed, or not this revision.

    Raises `NotFound` for an unknown revision. Two queries, one more where there is none.
    """
    found = _detail(system, revision)
    if found is None and revision and not Revision.objects.filter(system=system, name=revision).exists():
        raise NotFound(f"{system.slug!r} has no revision {revision!r}")
    return None if found is None else RegionAnalysis(found, region)


def dependent_regions_of(*, system: System, revision: str) -> dict[str, RegionDependencies]:
    """The regions that depend on options by the newest analysis of a revision, by key; none without one. One query."""
    row = newest_analysis(system, revision)
    return {} if row is None else {one.key: one for one in dependent_regions(row.result)}


def _detail(system: System, revision: str) -> WhiteBoxDetail | None:
    row = newest_analysis(system, revision)
    if row is None:
        return None
    return WhiteBoxDetail(
        revision=row.revision.name,
        workload=row.workload.name,
        at=row.batch.written_at,
        result=row.result,
        space=options_of(system),
    )
