"""Perfatlas bundles, version 2: everything that is known of one system, to be stored, moved and read by others.

The format is described in docs/reference/perfatlas-bundle.md.
"""

from dashboard.importers.bundle.reading import read

__all__ = ["read"]
