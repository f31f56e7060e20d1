"""The pages of regions: what was measured of each region, and its source."""
