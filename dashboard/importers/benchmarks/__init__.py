"""What benchmark tools wrote, told by its content: one module for each family of tools, one registry of them all.

Which tools are known, and what each gives, is listed in docs/how-to/import-benchmark-results.md.
"""

from dashboard.importers.benchmarks.importer import SETTINGS, is_told, read

__all__ = ["SETTINGS", "is_told", "read"]
