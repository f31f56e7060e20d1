"""Feature models as SPL Conqueror and VaRA write them: a `vm` element with options, constraints and locations.

The format is described in docs/reference/feature-model.md.
"""

from dashboard.importers.feature_model.importer import read, read_model

__all__ = ["read", "read_model"]
