"""What can go wrong in the runner, apart from the subject itself: a failing subject is a result, not an error."""

from dataclasses import dataclass
from pathlib import Path


class RunnerError(Exception):
    """Root of all errors of the runner."""


@dataclass(frozen=True, slots=True)
class SubjectFault:
    """One fault of a `subject.toml`: where it stands, which value, what is wrong with it and what to do."""

    file: Path
    key: str
    value: str
    problem: str
    remedy: str

    def __str__(self) -> str:
        """Return the fault as one line for a person."""
        value = f" (given as {self.value})" if self.value else ""
        return f"{self.file}: {self.key} {self.problem}{value}; {self.remedy}"


class SubjectInvalid(RunnerError):
    """A `subject.toml` has faults; `faults` holds all of them."""

    def __init__(self, faults: tuple[SubjectFault, ...]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))


class SelectionInvalid(RunnerError):
    """A selection of configurations, revisions or a workload names something that the subject does not have."""


class RevisionsUnavailable(RunnerError):
    """The revisions of a subject could not be listed."""


class RepositoryGone(RevisionsUnavailable):
    """The repository of a subject is not where it was: no fault of any one revision."""


class FilesRefused(RunnerError):
    """Files that a program or a build left are none that we take; the message says why."""


class IsolationImpossible(RunnerError):
    """A subject cannot be run apart from our own files on this machine."""


class CountingImpossible(RunnerError):
    """What a command does cannot be counted on this machine; the message says what to do."""
