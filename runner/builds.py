"""The steps that make an environment, each run as the subject's user, with a log."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from .commands import fill
from .errors import IsolationImpossible, RepositoryGone, RevisionsUnavailable, RunnerError
from .pip import SEARCH_PATH, build_limits, make_environment, run_pip
from .processes import run
from .releases import archive_date, archive_folder
from .sources import place_source
from .subjects import ReleaseRevisions

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from .interpreters import Interpreter
    from .processes import ProcessOutcome
    from .state import RunnerState
    from .subjects import SubjectDefinition

_PROJECT_FILES = ("pyproject.toml", "setup.py")


class BuildFailed(RunnerError):
    """A step of a build failed, took too long or was cancelled."""

    def __init__(self, message: str, status: Literal["failed", "timeout", "cancelled"] = "failed") -> None:
        self.status = status
        super().__init__(message)


@dataclass(slots=True)
class Build:
    """One build under way in `folder`, and its log so far."""

    subject: SubjectDefinition
    identifier: str
    state: RunnerState
    base: Interpreter
    folder: Path
    cancelled: Callable[[], bool]
    log: str = ""
    _sources: Path | None = None
    _archive: Path | None = field(default=None)

    def environment(self) -> None:
        """Make an empty virtual environment."""
        try:
            make_environment(self.base, self.folder / "venv")
        except IsolationImpossible as error:
            raise BuildFailed(str(error)) from error

    def source(self) -> None:
        """Put the revision's files in place. Raises `RepositoryGone`: that is no fault of this revision."""
        try:
            self._sources = place_source(self.subject, self.identifier, self.folder / "source", self.state)
        except RepositoryGone:
            raise
        except RevisionsUnavailable as error:
            raise BuildFailed(str(error)) from error

    def release(self) -> datetime | None:
        """Download the release, if it is one and not there yet; return its date where its archive tells."""
        source = self.subject.revisions
        if not isinstance(source, ReleaseRevisions):
            return None
        kept = archive_folder(source, self.identifier, self.state)
        if not kept.is_dir():
            fresh = self.folder / "download"
            fresh.mkdir()
            wanted = f"{source.package}=={self.identifier}"
            self._pip("download", "--no-deps", "--dest", str(fresh), wanted)
            fresh.replace(kept)
            self.state.take(kept)
        self._archive = next(kept.iterdir())
        return archive_date(self._archive)

    def packages(self) -> bool:
        """Install the revision and what it asks for; return whether the revision itself was installed by pip."""
        install = self.subject.install
        wanted = list(install.requirements)
        own = self._archive
        if self._sources is not None:
            has_project = any((self._sources / name).exists() for name in _PROJECT_FILES)
            if has_project if install.pip_install is None else install.pip_install:
                own = self._sources
        if own is not None:
            wanted.insert(0, str(own))
        if wanted:
            self._pip("install", *install.pip_arguments, *wanted)
        return own is not None

    def commands(self) -> None:
        """Run the subject's own build commands in the revision's files."""
        place = self._sources or self.folder
        values = {
            "source": str(place),
            "python": str(self.folder / "venv" / "bin" / "python"),
            "revision": self.identifier,
        }
        for template in self.subject.install.commands:
            words = [fill(word, values) for word in template]
            with self.state.scratch() as scratch:
                self.state.give(self.folder)
                program = shutil.which(words[0], path=self._search_path()) or words[0]
                outcome = run(
                    [program, *words[1:]],
                    folder=place,
                    environment={
                        "PATH": self._search_path(),
                        "HOME": str(scratch),
                        "TMPDIR": str(scratch),
                        "LANG": "C.UTF-8",
                        **self.base.environment,
                        **self.subject.install.environment,
                    },
                    limits=build_limits(self.subject.install.timeout_seconds),
                    user=self.state.user,
                    cancelled=self.cancelled,
                )
            self._note(words, outcome)

    def _search_path(self) -> str:
        return f"{self.folder / 'venv' / 'bin'}:{SEARCH_PATH}"

    def _pip(self, *arguments: str) -> None:
        self.state.give(self.folder)
        words = ["--python", str(self.folder / "venv" / "bin" / "python"), *arguments]
        outcome = run_pip(
            self.state,
            words,
            timeout_seconds=self.subject.install.timeout_seconds,
            environment={**self.base.environment, **self.subject.install.environment},
            cancelled=self.cancelled,
        )
        self._note(["pip", *arguments], outcome)

    def _note(self, words: list[str], outcome: ProcessOutcome) -> None:
        """Keep the step in the log and stop where it failed."""
        step = " ".join(words)
        self.log += f"$ {step}\n{outcome.output}\n"
        if not outcome.succeeded:
            status: Literal["failed", "timeout", "cancelled"] = (
                outcome.status if outcome.status in {"timeout", "cancelled"} else "failed"
            )
            raise BuildFailed(f"{step} {outcome.in_words()}", status)
