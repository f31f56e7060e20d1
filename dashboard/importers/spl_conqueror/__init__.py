"""Options x releases: measured configurations as SPL Conqueror and the studies around it write them.

The format is described in docs/how-to/import-options-and-releases.md.
"""

from dashboard.importers.spl_conqueror.importer import read
from dashboard.importers.spl_conqueror.metadata import SETTINGS

__all__ = ["SETTINGS", "read"]
