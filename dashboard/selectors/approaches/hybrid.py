"""Where a hybrid model of a system can be learned, and those that were."""

from dataclasses import dataclass

from analytics.influence.learned_hybrid import HYBRID_VERSION
from dashboard.access import Principal, require
from dashboard.models import Analysis, Batch, Metric
from dashboard.selectors.hybrid_inputs import CountedPlace, counted_places


@dataclass(frozen=True, slots=True)
class HybridRow:
    """A hybrid model: of which revision and workload, from so many configurations; `is_current` by its measurements."""

    revision: str
    workload: str
    configurations: int
    is_current: bool


@dataclass(frozen=True, slots=True)
class HybridState:
    """The places with counted and timed configurations, most first, and the models that are there, newest first."""

    places: tuple[CountedPlace, ...]
    models: tuple[HybridRow, ...]


def hybrid_state(*, principal: Principal, slug: str) -> HybridState:
    """Where hybrid models of a system stand. Three queries after the check. Raises `NotFound`."""
    system = require(principal, slug)
    metric = Metric.objects.filter(quantity="time", unit="s", clock=Metric.Clock.CPU).first()
    places = () if metric is None else counted_places(system, metric.pk)
    fits = (
        Analysis.objects.filter(
            system=system,
            kind=Analysis.Kind.HYBRID,
            batch__state=Batch.State.VISIBLE,
            fits__code_version=HYBRID_VERSION,
        )
        .order_by("-fits__pk")
        .values_list("revision__name", "workload__name", "settings", "data_version", "fits__data_version")
    )
    return HybridState(
        places,
        tuple(
            HybridRow(revision, workload, settings["configurations"], version == of_fit)
            for revision, workload, settings, version, of_fit in fits
        ),
    )
