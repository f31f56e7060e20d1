"""Where a hybrid model of a system can be learned, and those that were."""

from dataclasses import dataclass

from analytics.influence.learned import HYBRID_VERSION
from dashboard.access import Principal, require
from dashboard.models import Batch, Metric, PerformanceModel
from dashboard.selectors.hybrid_inputs import CountedPlace, counted_places


@dataclass(frozen=True, slots=True)
class HybridRow:
    """A hybrid model: of which place, from so many configurations; `is_current` by its measurements."""

    revision: str
    workload: str
    environment: str
    configurations: int
    is_current: bool


def places_to_learn(*, principal: Principal, slug: str) -> tuple[CountedPlace, ...]:
    """The places with counted and timed configurations, most first. Two queries after the check. Raises `NotFound`."""
    system = require(principal, slug)
    metric = Metric.objects.filter(quantity="time", unit="s", clock=Metric.Clock.CPU).first()
    return () if metric is None else counted_places(system, metric.pk)


def hybrid_models(*, principal: Principal, slug: str) -> tuple[HybridRow, ...]:
    """The models that are there, newest first. One query after the check. Raises `NotFound`."""
    fits = (
        PerformanceModel.objects.filter(
            system=require(principal, slug),
            kind=PerformanceModel.Kind.HYBRID,
            batch__state=Batch.State.VISIBLE,
            fits__method_version=HYBRID_VERSION,
        )
        .order_by("-fits__pk")
        .values_list(
            "revision__name",
            "workload__name",
            "environment__name",
            "settings",
            "data_version",
            "fits__data_version",
        )
    )
    return tuple(
        HybridRow(revision, workload, environment, settings["configurations"], version == of_fit)
        for revision, workload, environment, settings, version, of_fit in fits
    )
