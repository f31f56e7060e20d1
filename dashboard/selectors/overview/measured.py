"""A system at a glance: what was measured of it and where."""

from math import prod

from django.db.models import Count

from dashboard.models import Batch, PerformanceModel, Run, System, SystemOption
from dashboard.selectors.overview.rows import EnvironmentRow, Overview
from dashboard.selectors.systems import EXECUTED, measured_of


def overview(system: System) -> Overview:
    """The system and what was measured of it; a constant number of queries."""
    runs = Run.objects.filter(EXECUTED, batch__state=Batch.State.VISIBLE, batch__system=system)
    levels = (
        SystemOption.objects.filter(system=system).annotate(n=Count("levels")).values_list("n", flat=True)
    )
    return Overview(
        slug=system.slug,
        name=system.name,
        description=system.description,
        options=len(levels),
        levels=prod(max(count, 1) for count in levels),
        measured=measured_of(system),
        invalid=runs.exclude(invalid_reason="").count(),
        environments=_environments(system),
        has_model=PerformanceModel.objects.filter(system=system, batch__state=Batch.State.VISIBLE).exists(),
    )


def _environments(system: System) -> tuple[EnvironmentRow, ...]:
    rows = (
        Run.objects.filter(
            EXECUTED, batch__state=Batch.State.VISIBLE, batch__system=system, invalid_reason=""
        )
        .values_list("environment__name", "environment__details")
        .annotate(n=Count("pk"))
        .order_by("-n")
    )
    return tuple(
        EnvironmentRow(
            name=name,
            details=tuple(
                (str(key).replace("_", " "), _text(value)) for key, value in (details or {}).items()
            ),
            runs=count,
        )
        for name, details, count in rows
    )


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {inner}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        # Pairs are settings: NAME=value.
        return ", ".join("=".join(map(str, item)) if isinstance(item, list) else str(item) for item in value)
    return str(value)
