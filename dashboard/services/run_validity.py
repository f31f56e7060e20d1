"""Marking runs invalid, with a reason, and restoring them: histories and analyses follow at once."""

from collections.abc import Collection

from django.db import transaction

from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import Batch, Measurement, Run, System
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.services import audit, data_versions
from dashboard.services.performance_models.full_factorial import refresh_factorial_models
from dashboard.services.performance_models.learned import refresh_learned_models
from dashboard.services.performance_models.term_histories import refresh_term_points
from dashboard.services.plain_lines import check_line
from dashboard.services.points import keys_of, update_points

LONGEST_REASON = 400


def mark_invalid(*, access: Access, run_ids: Collection[int], reason: str) -> int:
    """Let these runs of a system count nowhere any more; returns how many changed. Their measurements are kept.

    Needs the role editor. Raises `Refused` without a reason, `NotFound` and `Forbidden`.
    """
    reason = reason.strip()
    if not reason:
        raise Refused("say why: who meets these runs later will want to know")
    if len(reason) > LONGEST_REASON:
        raise Refused(f"the reason has {len(reason)} characters: at most {LONGEST_REASON} are kept")
    check_line(reason, "the reason")
    return _mark(access, run_ids, reason, "mark runs invalid")


def restore(*, access: Access, run_ids: Collection[int]) -> int:
    """Let these runs of a system count again; returns how many changed.

    Needs the role editor. Raises `Refused`, `NotFound` and `Forbidden`.
    """
    return _mark(access, run_ids, "", "restore runs")


def _mark(access: Access, run_ids: Collection[int], reason: str, action: str) -> int:
    """Set why these runs do not count, blank for those that do, and move what is derived from them."""
    access.check(Permission.EDIT)
    system, wanted = access.system, set(run_ids)
    if not wanted:
        raise Refused("no run is chosen: choose at least one")
    by, why = (access.principal.user_id, {"reason": reason}) if reason else (None, {})
    with transaction.atomic():
        # Serialises with whoever else moves this system's points.
        System.objects.select_for_update().get(pk=system.pk)
        runs = Run.objects.filter(batch__system=system, batch__state=Batch.State.VISIBLE, pk__in=wanted)
        if missing := wanted - set(runs.values_list("pk", flat=True)):
            some = ", ".join(str(pk) for pk in sorted(missing)[:5])
            raise NotFound(f"{system.slug!r} has no run {some}")
        changed = sorted(runs.exclude(invalid_reason=reason).values_list("pk", flat=True))
        if changed:
            moved = Run.objects.filter(pk__in=changed)
            moved.update(invalid_reason=reason, invalidated_by_id=by)
            # What is derived from these runs: points, models, histories of terms, data versions.
            update_points(system=system, keys=keys_of(Measurement.objects.filter(run__in=moved)))
            places = MeasurementContext.of_runs(moved.filter(status=Run.Status.OK))
            refresh_factorial_models(system=system, contexts=places)
            refresh_term_points(system=system, contexts=places)
            refresh_learned_models(system=system, contexts=places)
            revisions = set(moved.values_list("revision_id", flat=True))
            data_versions.bump(system=system, revisions=revisions)
            audit.record(access.principal, action, access.slug, runs=changed, **why)
    return len(changed)
