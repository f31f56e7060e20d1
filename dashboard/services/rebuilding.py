"""Making anew what follows from runs and points, and telling whether what is stored equals it to the byte.

Points of configurations and terms follow from end-to-end runs, learned models from these and from counts; fits of histories
follow from points, searches of regions from profiled runs. Everything is made by the functions that made it first, some at a
time, in transactions that are rolled back where nothing differs: then no data version moves.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from hashlib import sha256
from typing import Any

from django.db import models, transaction
from django.db.models import F

from dashboard.access import Access, Permission, Refused
from dashboard.models import (
    Batch,
    Configuration,
    HistoryFit,
    ModelFit,
    PerformanceModel,
    Point,
    RegionChanges,
    RegionSearch,
    Series,
    System,
)
from dashboard.selectors.end_to_end import MeasurementContext, end_to_end_runs
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.history_list.region_costs import region_contexts
from dashboard.services.histories.fits import TOGETHER, fit_series
from dashboard.services.histories.region_searches import search_regions
from dashboard.services.jobs.context import Fence
from dashboard.services.performance_models.hybrid import learn_hybrid
from dashboard.services.performance_models.learned import refresh_learned_models
from dashboard.services.performance_models.term_histories import refresh_term_points
from dashboard.services.points import TOGETHER as CURVES_TOGETHER
from dashboard.services.points import keys_of_batches, update_points

Report = Callable[[str], None]
# What no run tells: which row it is, when it was made, how often its data moved before, and how a fit got where it is.
_BESIDE = frozenset({"id", "created_at", "data_version", "search", "packed_growth"})


@dataclass(frozen=True, slots=True)
class RebuiltRows:
    """Rows of one kind: how many follow from the data, and how many of them, or of those stored, the other side has not."""

    name: str
    rows: int
    differing: int


class _Rebuilding:
    """What was made of a system so far, held against what was stored; `keeps` it where it differs."""

    def __init__(self, access: Access, *, keeps: bool) -> None:
        self.access = access
        self.faults: list[str] = []
        self._keeps = keeps
        self._rows: Counter[str] = Counter()
        self._differing: Counter[str] = Counter()

    def fence(self, name: str, *tables: models.QuerySet[Any]) -> Fence:
        """A transaction in which rows of these tables are made anew: rolled back where it made the same."""

        @contextmanager
        def compared() -> Iterator[None]:
            with transaction.atomic():
                # Serialises with whoever else moves this system's points.
                System.objects.select_for_update().get(pk=self.access.system.pk)
                before = _contents(tables)
                yield
                after = _contents(tables)
                self._rows[name] += after.total()
                self._differing[name] += max((before - after).total(), (after - before).total())
                if before == after or not self._keeps:
                    transaction.set_rollback(True)

        return compared

    def result(self) -> tuple[RebuiltRows, ...]:
        """Kind by kind, in the order in which they were made."""
        return tuple(RebuiltRows(name, rows, self._differing[name]) for name, rows in self._rows.items())

    def points(self, report: Report) -> None:
        """The points of configurations, then those of terms whose models are not learned."""
        system = self.access.system
        visible = system.batches.filter(state=Batch.State.VISIBLE).values_list("pk", flat=True)
        keys = sorted(keys_of_batches(list(visible)), key=lambda key: (key.configuration_id, astuple(key)))
        points = Point.objects.filter(series__system=system)
        for start in range(0, len(keys), CURVES_TOGETHER):
            some = keys[start : start + CURVES_TOGETHER]
            subjects = Configuration.objects.filter(pk__in={key.configuration_id for key in some})
            of_some = points.filter(
                series__subject_kind=Series.SubjectKind.CONFIGURATION,
                series__subject__in=list(subjects.values_list("identity", flat=True)),
            )
            with self.fence("points of configurations", of_some)():
                update_points(system=system, keys=some)
            report(f"points of {start + len(some)} of {len(keys)} configurations")
        contexts = MeasurementContext.of_runs(end_to_end_runs(system))
        for workload, environment in sorted({(one.workload_id, one.environment_id) for one in contexts}):
            place = {"workload_id": workload, "environment_id": environment}
            own = [one for one in contexts if place.items() <= one.as_filter().items()]
            of_terms = points.filter(
                series__subject_kind=Series.SubjectKind.TERM,
                **{f"series__{name}": value for name, value in place.items()},
            )
            with self.fence("points of terms", of_terms)():
                refresh_term_points(system=system, contexts=own)

    def models(self, report: Report) -> None:
        """The stored models: learned ones over the terms that were chosen for them, with the points of these, then hybrids."""
        system, kind = self.access.system, PerformanceModel.Kind
        stored = system.performance_models.order_by("revision_id", "pk")
        learned = stored.filter(kind=kind.LEARNED)
        places = {
            MeasurementContext(one.revision_id, one.workload_id, one.environment_id): one.revision.name
            for one in learned.select_related("revision")
        }
        for context, revision in places.items():
            fits = _stored_fits(model__in=learned.filter(**context.as_filter()))
            of_terms = Point.objects.filter(
                series__system=system,
                series__subject_kind=Series.SubjectKind.TERM,
                series__workload_id=context.workload_id,
                series__environment_id=context.environment_id,
                revision_id=context.revision_id,
            )
            with self.fence("learned models and points of their terms", fits, of_terms)():
                refresh_learned_models(system=system, contexts=[context])
            report(f"learned model of {revision}")
        for model in stored.filter(kind=kind.HYBRID).select_related("revision", "total_metric"):
            context = MeasurementContext(model.revision_id, model.workload_id, model.environment_id)
            try:
                learn_hybrid(
                    access=self.access,
                    context=context,
                    metric=model.total_metric.quantity,
                    fence=self.fence("hybrid models", _stored_fits(model=model)),
                )
            except Refused as refused:
                self.faults.append(f"hybrid model: {refused}")
            report(f"hybrid model of {model.revision.name}")

    def fits(self, report: Report) -> None:
        """The fits of histories with their changes."""
        system = self.access.system
        # As they are fitted first: those with the same siblings together.
        series = system.series.filter(subject_kind__in=Series.FITTED_KINDS)
        ids = list(
            series.order_by("subject_kind", "environment_id", "metric_id", "pk").values_list("pk", flat=True)
        )
        for start in range(0, len(ids), TOGETHER):
            some = ids[start : start + TOGETHER]
            # One of former points is not what is made of them now.
            stored = HistoryFit.objects.filter(series_id__in=some)
            stored = stored.annotate(behind=F("series__data_version") - F("data_version"))
            fence = self.fence("fits of histories", stored)
            _, faults = fit_series(system_id=system.pk, series_ids=some, fence=fence, anew=True)
            self.faults += faults
            report(f"{start + len(some)} of {len(ids)} histories fitted")

    def regions(self, report: Report) -> None:
        """The searches of profiled regions."""
        system = self.access.system
        contexts = region_contexts(system, ordered_revisions(system=system))
        for at, context in enumerate(contexts, start=1):
            searches = RegionSearch.objects.filter(
                system=system,
                configuration_id=context.configuration_id,
                workload_id=context.workload_id,
                environment_id=context.environment_id,
            )
            fence = self.fence(
                "searches of regions", searches, RegionChanges.objects.filter(search__in=searches)
            )
            _, faults = search_regions(system_id=system.pk, context=context, fence=fence)
            self.faults += faults
            report(f"regions of {at} of {len(contexts)} configurations searched")


def rebuild(
    *, access: Access, keeps: bool = True, report: Report = lambda _text: None
) -> tuple[tuple[RebuiltRows, ...], tuple[str, ...]]:
    """Make anew what follows from the runs and points of a system; what differs from what is stored takes its place if `keeps`.

    `report` gets in words how much is done. Returns what was made, and why some could not be. Results that came as points, and
    what people said, follow from nothing and stay. Needs the role editor. Raises `Forbidden`.
    """
    access.check(Permission.EDIT)
    made = _Rebuilding(access, keeps=keeps)
    made.points(report)
    made.models(report)
    made.fits(report)
    made.regions(report)
    return made.result(), tuple(made.faults)


def _contents(tables: Collection[models.QuerySet[Any]]) -> Counter[bytes]:
    """How often each row is there, by a digest of all that it says."""
    found: Counter[bytes] = Counter()
    for rows in tables:
        fields = [one.name for one in rows.model._meta.concrete_fields if one.name not in _BESIDE]  # noqa: SLF001 -- Django documents it
        names = [*fields, *rows.query.annotation_select]
        for row in rows.order_by().values_list(*names).iterator():
            cells = [bytes(cell) if isinstance(cell, memoryview) else cell for cell in row]
            found[sha256(repr((rows.model.__name__, cells)).encode()).digest()] += 1
    return found


def _stored_fits(**of: Any) -> models.QuerySet[ModelFit]:
    """Fits of models, and by how much they are out of date."""
    return ModelFit.objects.filter(**of).annotate(behind=F("model__data_version") - F("data_version"))
