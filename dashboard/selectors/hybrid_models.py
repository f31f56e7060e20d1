"""Hybrid models of analyses, as stored. For selectors, behind their check."""

from analytics.configurations.options import OptionSpace
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.located import LocatedModel
from analytics.influence.stored import LearnedModel, unpack_located
from dashboard.access import NotFound
from dashboard.models import ModelFit, PerformanceModel


def hybrid_of(model: PerformanceModel, space: OptionSpace) -> tuple[LearnedModel[LocatedModel], bool]:
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
    return unpack_located(space, bytes(payload)), version == model.data_version
