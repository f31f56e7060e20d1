"""Why an import is refused, or ends."""

from collections.abc import Sequence

from dashboard.access import Refused
from dashboard.importers.errors import Fault, ImporterError, InvalidBundle, InvalidSetting, SourceError


class ImportRefused(Refused):
    """The file does not fit the system; `problems` says why, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problems))


class ImportLost(Refused):
    """The batches vanished while they were written: another process took this one for dead."""


class FileRefused(Refused):
    """A file that was sent cannot be imported: `faults` say at which place and what to do, `setting` which one is wrong."""

    def __init__(self, message: str, faults: Sequence[Fault] = (), setting: str = "") -> None:
        self.faults = tuple(faults)
        self.setting = setting
        super().__init__(message)

    @classmethod
    def of(cls, error: ImporterError) -> "FileRefused":
        """What an importer says of the file."""
        faults = error.faults if isinstance(error, InvalidBundle) else ()
        if isinstance(error, SourceError):
            faults = (error.fault,)
        return cls(str(error), faults, error.setting if isinstance(error, InvalidSetting) else "")
