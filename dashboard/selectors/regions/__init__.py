"""The pages of regions: what was measured of each region, and its source."""

from dashboard.selectors.regions.measured import region, regions, subspace_times

__all__ = ["region", "regions", "subspace_times"]
