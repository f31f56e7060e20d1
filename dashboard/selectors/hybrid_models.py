"""Hybrid models of analyses, as stored. For selectors, behind their check."""

from analytics.configurations.options import OptionSpace
from analytics.influence.learned_hybrid import HYBRID_VERSION
from analytics.influence.located import LearnedInRegions, unpacked_in_regions
from dashboard.access import NotFound
from dashboard.models import ModelFit, PerformanceModel


def hybrid_of(model: PerformanceModel, space: OptionSpace) -> tuple[LearnedInRegions, bool]:
    """The stored model of a hybrid analysis, and whether its data are still the same. Raises `NotFound` without one."""
    stored = (
        ModelFit.objects.filter(model=model, method_version=HYBRID_VERSION)
        .order_by("-pk")
        .values_list("payload", "data_version")
        .first()
    )
    if stored is None:
        raise NotFound(f"the hybrid model of {model.system.slug!r} is of an older version: learn it again")
    payload, version = stored
    return unpacked_in_regions(space, bytes(payload)), version == model.data_version
