"""Comprex bundles, version 1: region measurements of one revision, with partitions and ground truth.

The format is described in docs/reference/comprex-bundle.md.
"""

from dashboard.importers.comprex.importer import read
from dashboard.importers.comprex.manifest import FILES

__all__ = ["FILES", "read"]
