"""Marking runs invalid, with a reason, and restoring them: histories and analyses follow at once."""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet

from dashboard.access import Access, NotFound, Permission
from dashboard.models import Batch, Measurement, Run, System
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.services import audit, data_versions
from dashboard.services.performance_models.full_factorial import refresh_factorial_models_in
from dashboard.services.performance_models.learned import refresh_learned_models_in
from dashboard.services.performance_models.term_histories import refresh_term_points_in
from dashboard.services.points import SeriesKey, update_points

LONGEST_REASON = 400


class RunValidityError(ValueError):
    """Runs cannot be marked as asked."""


def mark_invalid(*, access: Access, run_ids: Collection[int], reason: str) -> int:
    """Let these runs of a system count nowhere any more; returns how many changed. Their measurements are kept.

    Needs the role editor. Raises `RunValidityError` without a reason, `NotFound` and `Forbidden`.
    """
    reason = reason.strip()
    if not reason:
        raise RunValidityError("say why: who meets these runs later will want to know")
    if len(reason) > LONGEST_REASON:
        raise RunValidityError(f"the reason has {len(reason)} characters: at most {LONGEST_REASON} are kept")
    access.check(Permission.EDIT)
    with transaction.atomic():
        changed = _runs(access.system, run_ids).exclude(invalid_reason=reason)
        moved = _ids(changed)
        Run.objects.filter(pk__in=moved).update(
            invalid_reason=reason, invalidated_by_id=access.principal.user_id
        )
        _follow(access.system, moved)
        if moved:
            audit.record(
                principal=access.principal,
                action="mark runs invalid",
                system_slug=access.slug,
                details={"runs": moved, "reason": reason},
            )
    return len(moved)


def restore(*, access: Access, run_ids: Collection[int]) -> int:
    """Let these runs of a system count again; returns how many changed.

    Needs the role editor. Raises `RunValidityError`, `NotFound` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    with transaction.atomic():
        moved = _ids(_runs(access.system, run_ids).exclude(invalid_reason=""))
        Run.objects.filter(pk__in=moved).update(invalid_reason="", invalidated_by=None)
        _follow(access.system, moved)
        if moved:
            audit.record(
                principal=access.principal,
                action="restore runs",
                system_slug=access.slug,
                details={"runs": moved},
            )
    return len(moved)


def _runs(system: System, run_ids: Collection[int]) -> QuerySet[Run]:
    """The visible runs of a system with these ids. Raises `RunValidityError` for none, `NotFound` for others."""
    wanted = set(run_ids)
    if not wanted:
        raise RunValidityError("no run is chosen: choose at least one")
    # Serialises with whoever else moves this system's points.
    System.objects.select_for_update().get(pk=system.pk)
    runs = Run.objects.filter(batch__system=system, batch__state=Batch.State.VISIBLE, pk__in=wanted)
    missing = wanted - set(runs.values_list("pk", flat=True))
    if missing:
        some = ", ".join(str(pk) for pk in sorted(missing)[:5])
        raise NotFound(f"{system.slug!r} has no run {some}")
    return runs


def _ids(runs: QuerySet[Run]) -> list[int]:
    return sorted(runs.values_list("pk", flat=True))


def _follow(system: System, run_ids: Collection[int]) -> None:
    """Move what is derived from these runs: points, analyses, histories of terms, data versions."""
    runs = Run.objects.filter(pk__in=run_ids)
    rows = (
        Measurement.objects.filter(run__in=runs, run__kind=Run.Kind.PLAIN)
        .values_list("run__configuration_id", "run__workload_id", "run__environment_id", "metric_id")
        .distinct()
    )
    update_points(system=system, keys={SeriesKey(*row) for row in rows})
    places = MeasurementContext.of_runs(runs.filter(status=Run.Status.OK))
    refresh_factorial_models_in(system=system, contexts=places)
    refresh_term_points_in(system=system, contexts=places)
    refresh_learned_models_in(system=system, contexts=places)
    if run_ids:
        data_versions.bump(
            system=system, revisions={place.revision_id for place in MeasurementContext.of_runs(runs)}
        )
