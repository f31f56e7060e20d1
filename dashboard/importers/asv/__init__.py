"""Result folders of airspeed velocity (asv), formats 1 and 2, as `asv run` writes them.

The format is described in asv's own documentation for developers; what of it is read, and how, in
docs/how-to/import-asv-results.md.
"""

from dashboard.importers.asv.importer import SETTINGS, read

__all__ = ["SETTINGS", "read"]
