"""What importers refuse, and the faults they report.

ImporterError
├── SourceError      a folder, zip or file cannot be opened safely
├── InvalidSetting   a setting given beside the file is wrong or missing
└── InvalidBundle    files were read, and say something wrong: every fault is listed
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import NoReturn


class ImporterError(Exception):
    """Root of all errors of `dashboard.importers`."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a file: its place, the value, and a remedy.

    `line` counts lines of the file from 1 (the header of a CSV file is line 1); 0 where no line is meant.
    `column` names the column of a CSV file or the place in a JSON file.
    """

    file: str
    problem: str
    remedy: str
    line: int = 0
    column: str = ""
    value: str = ""

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f", line {self.line}"
        if self.column:
            place += f", {'at' if '.json' in self.file else 'column'} {self.column!r}"
        value = f" (value {self.value!r})" if self.value else ""
        return f"{place}: {self.problem}{value}. {self.remedy}."


class SourceError(ImporterError):
    """A folder, zip or file cannot be opened, or is not safe to open; `fault` says which and what to do."""

    def __init__(self, file: str, problem: str, remedy: str, *, line: int = 0, value: str = "") -> None:
        self.fault = Fault(file, problem, remedy, line, value=value)
        super().__init__(str(self.fault))


class InvalidSetting(ImporterError):
    """A setting given beside the file is wrong or missing; `setting` is its name, as in the command but without dashes."""

    def __init__(self, setting: str, problem: str, remedy: str, value: str = "") -> None:
        self.setting = setting
        self.problem = problem
        self.value = value
        shown = f" (value {value!r})" if value else ""
        super().__init__(f"--{setting}: {problem}{shown}. {remedy}.")


class InvalidBundle(ImporterError):
    """Files that cannot be imported; `faults` lists what is wrong, `unlisted` counts what was left off."""

    def __init__(self, faults: Sequence[Fault], unlisted: int = 0) -> None:
        self.faults = tuple(faults)
        self.unlisted = unlisted
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """One line per fault, and one for those that are not listed."""
        listed = [str(fault) for fault in self.faults]
        return [*listed, f"... and {self.unlisted} more faults like these."] if self.unlisted else listed


MAX_LISTED = 100
MAX_VALUE = 80


class Faults:
    """Collects the faults of one reading, and the remarks that do not prevent an import.

    The first 100 faults of each file are kept; `count` counts all, listed or not.
    """

    def __init__(self) -> None:
        self.remarks: list[str] = []
        self._kept: dict[str, list[Fault]] = {}
        self.count = 0

    def add(
        self, file: str, problem: str, remedy: str, *, line: int = 0, column: str = "", value: str = ""
    ) -> None:
        """Note one fault."""
        self.add_fault(Fault(file, problem, remedy, line, column, value))

    def add_fault(self, fault: Fault) -> None:
        """Note a fault; a long value is shortened."""
        self.count += 1
        kept = self._kept.setdefault(fault.file, [])
        if len(kept) < MAX_LISTED:
            is_long = len(fault.value) > MAX_VALUE
            kept.append(replace(fault, value=f"{fault.value[:MAX_VALUE]}...") if is_long else fault)

    def listed(self) -> tuple[Fault, ...]:
        """The faults that were kept, by file and line."""
        return tuple(fault for kept in self._kept.values() for fault in sorted(kept, key=attrgetter("line")))

    def stop(self) -> NoReturn:
        """Raise `InvalidBundle` with the faults so far."""
        listed = self.listed()
        raise InvalidBundle(listed, self.count - len(listed))

    def stop_if_any(self) -> None:
        """Raise `InvalidBundle` when there is at least one fault."""
        if self.count:
            self.stop()


class FileFaults:
    """Notes the faults of one file among those of the whole reading, `all`."""

    def __init__(self, file: str, faults: Faults) -> None:
        self.file = file
        self.all = faults

    @property
    def count(self) -> int:
        """The number of faults of all files so far."""
        return self.all.count

    def add(self, problem: str, remedy: str, *, line: int = 0, column: str = "", value: str = "") -> None:
        """Note one fault of this file."""
        self.all.add(self.file, problem, remedy, line=line, column=column, value=value)
