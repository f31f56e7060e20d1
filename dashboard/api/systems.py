"""Systems: which ones the caller sees, what was measured of each, and its revisions."""

from datetime import datetime
from typing import Self

from django.http import HttpRequest
from ninja import Query, Router

from dashboard.api.callers import caller, reading
from dashboard.api.rows import ApiRow, Page, Paging, RevisionAnswer, Slug, Words
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.unmerged import unmerged_revisions
from dashboard.selectors.overview import Overview, overview
from dashboard.selectors.systems import SystemRow, list_systems

router = Router(tags=["Systems"])
_MOST_CONFIGURATIONS = 10**300


class MeasuredRow(ApiRow):
    """What was measured of a system; runs marked invalid do not count. `at` is when the last run started."""

    revisions: int
    configurations: int
    workloads: int
    runs: int
    failed: int
    at: datetime | None


class SystemAnswer(ApiRow):
    """A system: `slug` is what addresses call it."""

    slug: str
    name: str
    description: str
    options: int
    regions: int
    measured: MeasuredRow

    @classmethod
    def of(cls, row: SystemRow) -> Self:
        """The answer for a row of the list."""
        return cls(
            slug=row.system.slug,
            name=row.system.name,
            description=row.system.description,
            options=row.options,
            regions=row.regions,
            measured=MeasuredRow.model_validate(row.measured),
        )


class OverviewAnswer(ApiRow):
    """What a system has: `levels` counts its configurations, measured or not, `invalid` runs that count nowhere.

    `levels` is null from 10^300 on, where most programs read no number any more.
    """

    options: int
    levels: int | None
    invalid: int
    measured: MeasuredRow
    environments: dict[str, int]

    @classmethod
    def of(cls, found: Overview) -> Self:
        """The answer for what the overview shows; environments by name, with the number of runs in each."""
        counts: dict[str, int] = {}
        for environment, runs in found.environments:
            counts[environment.name] = counts.get(environment.name, 0) + runs
        return cls(
            options=found.options,
            levels=found.levels if found.levels < _MOST_CONFIGURATIONS else None,
            invalid=found.invalid,
            measured=MeasuredRow.model_validate(found.measured),
            environments=counts,
        )


@router.get("/systems", response=Page[SystemAnswer], summary="Systems that you may see, by name")
def systems(request: HttpRequest, paging: Query[Paging]) -> Page[SystemAnswer]:
    """Each with what was measured of it."""
    rows = [SystemAnswer.of(row) for row in list_systems(principal=caller(request))]
    return paging.of(rows, SystemAnswer)


@router.get("/systems/{system}", response=OverviewAnswer, summary="What a system has")
def system(request: HttpRequest, system: Slug) -> OverviewAnswer:
    """What there is to set, what was measured of it, and where."""
    return OverviewAnswer.of(overview(reading(request, system).system))


@router.get("/systems/{system}/revisions", response=Page[RevisionAnswer], summary="Revisions in their order")
def revisions(
    request: HttpRequest, system: Slug, paging: Query[Paging], order: Words = "", *, unmerged: bool = False
) -> Page[RevisionAnswer]:
    """The oldest first, in the order of that name, or in the one that pages show; or those of unmerged branches, the newest first."""
    of = reading(request, system).system
    found = ordered_revisions(system=of, order=order)
    return paging.of(
        unmerged_revisions(system=of, order=found) if unmerged else found.revisions, RevisionAnswer
    )
