"""Trace Event Format: feature regions of a program, as VaRA and others trace them.

What becomes of a trace is described in docs/reference/trace-events.md.
"""

from dashboard.importers.tef.importer import SETTINGS, read

__all__ = ["SETTINGS", "read"]
