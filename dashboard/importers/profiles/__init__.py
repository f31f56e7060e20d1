"""What profilers wrote, told by its content: self values of functions of one run, and its call paths where times are told.

Which profilers are known is listed in docs/how-to/import-a-profile.md.
"""

from dashboard.importers.profiles.importer import SETTINGS, is_told, read

__all__ = ["SETTINGS", "is_told", "read"]
