"""CSV of any shape: a person says what each column holds.

The roles of columns are described in docs/reference/csv-mapping.md.
"""

from dashboard.importers.mapped_csv.guessing import propose
from dashboard.importers.mapped_csv.importer import SETTINGS, read

__all__ = ["SETTINGS", "propose", "read"]
