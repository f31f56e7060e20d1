"""How far measured times of regions differ within the subspaces of an analysis: the published sign of missed options."""

from analytics.influence.variation import LIMIT, Variation, variations
from dashboard.access import Principal
from dashboard.selectors.analyses_loading import load_analysis

__all__ = ["LIMIT", "Variation", "subspace_variation"]


def subspace_variation(
    *, principal: Principal, slug: str, analysis_id: int | None = None
) -> tuple[Variation, ...]:
    """Of the newest analysis of a system or of the one given, by region; those that vary most come first.

    Raises `NotFound`, and `NoRegions` where no regions were measured.
    """
    loaded = load_analysis(principal=principal, system_slug=slug, analysis_id=analysis_id)
    return tuple(sorted(variations(loaded.times), key=lambda one: (-one.worst, one.region)))
