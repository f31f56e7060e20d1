"""The steps that make an environment, each run as the subject's user, with a log."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .commands import fill
from .compilers import notes_of, place_compilers
from .errors import CountingImpossible, IsolationImpossible, RepositoryGone, RevisionsUnavailable, RunnerError
from .interpreters import Interpreter
from .pip import SEARCH_PATH, build_limits, make_environment, plain_variables, run_pip
from .processes import ProcessOutcome, run
from .releases import archive_date, archive_folder
from .sandboxes import Reach, interpreter_places, sandbox_of
from .sources import place_source
from .state import RunnerState
from .subjects import ReleaseRevisions, SubjectDefinition

_PROJECT_FILES = ("pyproject.toml", "setup.py")


_NO_NOTES = (
    "nothing was compiled with counters: let install.commands build the program, and call gcc by its name (cc, gcc, g++), "
    "not by a path"
)


class BuildFailed(RunnerError):
    """A step of a build failed, took too long or was cancelled."""

    def __init__(self, message: str, status: Literal["failed", "timeout", "cancelled"] = "failed") -> None:
        self.status = status
        super().__init__(message)


@dataclass(slots=True)
class Build:
    """One build under way in `folder`, and its log so far; `counting`: gcc puts counters into what the commands compile."""

    subject: SubjectDefinition
    identifier: str
    state: RunnerState
    base: Interpreter
    folder: Path
    cancelled: Callable[[], bool]
    counting: bool = False
    log: str = ""

    @property
    def python(self) -> Path:
        """The interpreter of the environment."""
        return self.folder / "venv" / "bin" / "python"

    def make(self) -> dict[str, Any]:
        """Do all steps; return what is to be remembered of the environment, as plain JSON values.

        `installed`: pip installed the revision itself; `released_at`: the date of its archive, None where there is none;
        `notes`: what gcc says of the objects that have counters.

        Raises `BuildFailed`, and `RepositoryGone`: that is no fault of this revision.
        """
        try:
            make_environment(self.base, self.folder / "venv")
            sources = place_source(self.subject, self.identifier, self.folder / "source", self.state)
        except RepositoryGone:
            raise
        except (IsolationImpossible, RevisionsUnavailable) as error:
            raise BuildFailed(str(error)) from error
        archive = self._archive()
        install = self.subject.install
        own = archive
        if sources is not None:
            has_project = any((sources / name).exists() for name in _PROJECT_FILES)
            own = sources if (has_project if install.pip_install is None else install.pip_install) else None
        wanted = [*([] if own is None else [str(own)]), *install.requirements]
        if wanted:
            self._pip("install", *install.pip_arguments, *wanted, archive=archive)
        self._run_commands(sources or self.folder)
        self.state.take(self.folder)
        notes = notes_of(sources or self.folder) if self.counting else ()
        if self.counting and not notes:
            raise BuildFailed(_NO_NOTES)
        released_at = archive_date(archive) if archive is not None else None
        return {
            "released_at": released_at.isoformat() if released_at else None,
            "installed": own is not None,
            "notes": notes,
        }

    def _archive(self) -> Path | None:
        """Return the archive of the release, if it is one; downloaded if it is not there yet."""
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
        return next(kept.iterdir())

    def _run_commands(self, place: Path) -> None:
        """Run the subject's own build commands in the revision's files."""
        values = {"source": str(place), "python": str(self.python), "revision": self.identifier}
        path = f"{self.python.parent}:{SEARCH_PATH}"
        if self.counting:
            try:
                path = f"{place_compilers(self.folder / 'compilers', threads=self.subject.counting.threads)}:{path}"
            except CountingImpossible as error:
                raise BuildFailed(str(error)) from error
        for template in self.subject.install.commands:
            words = [fill(word, values) for word in template]
            with self.state.scratch() as scratch:
                self.state.give(self.folder)
                program = shutil.which(words[0], path=path) or words[0]
                outcome = run(
                    [program, *words[1:]],
                    folder=place,
                    environment={
                        **plain_variables(scratch, path),
                        **self.base.environment,
                        **self.subject.install.environment,
                    },
                    limits=build_limits(self.subject.install.timeout_seconds),
                    user=self.state.user,
                    reach=Reach(
                        scratch,
                        self._readable(),
                        (self.folder,),
                        network=True,
                        sandbox=sandbox_of(self.state),
                    ),
                    cancelled=self.cancelled,
                )
            self._note(words, outcome)

    def _readable(self) -> tuple[Path, ...]:
        """What a step sees besides the environment that it makes."""
        return (*interpreter_places(self.python), *map(Path, self.subject.sandbox.readable))

    def _pip(self, *arguments: str, archive: Path | None = None) -> None:
        self.state.give(self.folder)
        words = ["--python", str(self.python), *arguments]
        outcome = run_pip(
            self.state,
            words,
            timeout_seconds=self.subject.install.timeout_seconds,
            environment={**self.base.environment, **self.subject.install.environment},
            readable=(*self._readable(), *([] if archive is None else [archive])),
            writable=(self.folder,),
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
