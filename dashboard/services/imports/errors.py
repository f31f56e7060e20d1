"""What an import may refuse.

ImportingError
├── ImportRefused    the file is sound, but it does not fit the system it is meant for
└── ImportLost       somebody swept the batches away while they were written
"""

from collections.abc import Sequence


class ImportingError(Exception):
    """Root of all errors of `dashboard.services.imports`."""


class ImportRefused(ImportingError):
    """The file does not fit the system; `problems` says why, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problems))


class ImportLost(ImportingError):
    """The batches vanished while they were written: another process took this one for dead."""
