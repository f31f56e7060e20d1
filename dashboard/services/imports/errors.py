"""Why an import is refused, or ends."""

from collections.abc import Sequence

from dashboard.access import Refused


class ImportRefused(Refused):
    """The file does not fit the system; `problems` says why, one sentence each."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(problems))


class ImportLost(Refused):
    """The batches vanished while they were written: another process took this one for dead."""
