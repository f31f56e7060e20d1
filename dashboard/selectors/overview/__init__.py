"""The overview of one system: what was measured of it, its model and its history in short."""

from dashboard.selectors.overview.measured import overview

__all__ = ["overview"]
