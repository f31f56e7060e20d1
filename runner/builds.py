"""The steps that make an environment, each run as the subject's user, with a log."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from .commands import fill
from .compilers import notes_of, place_compilers
from .errors import (
    CountingImpossible,
    FilesRefused,
    IsolationImpossible,
    RepositoryGone,
    RevisionsUnavailable,
    RunnerError,
)
from .interpreters import Interpreter
from .pip import SEARCH_PATH, build_limits, make_environment, plain_variables, run_pip
from .processes import ProcessOutcome, run
from .releases import archive_date, archive_folder
from .sandboxes import Reach, interpreter_places, sandbox_of
from .sources import place_source
from .state import RunnerState, readable_folder
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
    """One build under way in `folder`, and its log so far; `counting`: gcc puts counters into what the commands compile.

    `folder` stays ours, since we write beside what the build makes: a step writes into what stands in `given` alone.
    """

    subject: SubjectDefinition
    identifier: str
    state: RunnerState
    base: Interpreter
    folder: Path
    cancelled: Callable[[], bool]
    counting: bool = False
    given: tuple[Path, ...] = ()
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
        try:
            return self._installed(sources)
        except FilesRefused as error:
            raise BuildFailed(f"the build left files that are not taken: {error}") from error

    def _installed(self, sources: Path | None) -> dict[str, Any]:
        """Install and build the revision whose files are `sources`; as `make`."""
        place = sources or readable_folder(self.folder / "made")
        self.given = (self.folder / "venv", place)
        archive = self._archive()
        install = self.subject.install
        own = archive
        if sources is not None:
            has_project = any((sources / name).exists() for name in _PROJECT_FILES)
            own = sources if (has_project if install.pip_install is None else install.pip_install) else None
        wanted = [*([] if own is None else [str(own)]), *install.requirements]
        if wanted:
            self._pip("install", *install.pip_arguments, *wanted, archive=archive)
        self._run_commands(place)
        for given in self.given:
            self.state.take(given)
        notes = notes_of(place) if self.counting else ()
        if self.counting and not notes:
            raise BuildFailed(_NO_NOTES)
        released_at = archive_date(archive) if archive is not None else None
        return {
            "released_at": released_at.isoformat() if released_at else None,
            "installed": own is not None,
            "notes": notes,
        }

    def _archive(self) -> Path | None:
        """Return the archive of the release, if it is one; downloaded if it is not there yet.

        Raises `FilesRefused`: pip runs the code of an archive of sources to ask for its name, which may leave anything there.
        """
        source = self.subject.revisions
        if not isinstance(source, ReleaseRevisions):
            return None
        kept = archive_folder(source, self.identifier, self.state)
        if not kept.is_dir():
            fresh = readable_folder(self.folder / "download")
            wanted = f"{source.package}=={self.identifier}"
            self._pip("download", "--no-deps", "--dest", str(fresh), wanted, download=fresh)
            self.state.take(fresh)
            _archive_in(fresh)
            fresh.replace(kept)
        return _archive_in(kept)

    def _run_commands(self, place: Path) -> None:
        """Run the subject's own build commands in the revision's files."""
        values = {"source": str(place), "python": str(self.python), "revision": self.identifier}
        path = f"{self.python.parent}:{SEARCH_PATH}"
        readable = self._readable()
        if self.counting:
            try:
                compilers = place_compilers(self.state, threads=self.subject.counting.threads)
            except CountingImpossible as error:
                raise BuildFailed(str(error)) from error
            path, readable = f"{compilers}:{path}", (*readable, compilers)
        for template in self.subject.install.commands:
            words = [fill(word, values) for word in template]
            with self.state.scratch() as scratch:
                self._give(self.given)
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
                        readable,
                        self.given,
                        network=True,
                        namespaces=self.subject.sandbox.namespaces,
                        sandbox=sandbox_of(self.state),
                    ),
                    cancelled=self.cancelled,
                )
            self._note(words, outcome)

    def _readable(self) -> tuple[Path, ...]:
        """What a step sees besides the environment that it makes.

        Where that environment's interpreter leads to, a step before may have changed.
        """
        return (*interpreter_places(self.base.executable), *map(Path, self.subject.sandbox.readable))

    def _give(self, places: Sequence[Path]) -> None:
        for place in places:
            self.state.give(place)

    def _pip(self, *arguments: str, archive: Path | None = None, download: Path | None = None) -> None:
        writable = (*self.given, *([] if download is None else [download]))
        self._give(writable)
        words = ["--python", str(self.python), *arguments]
        outcome = run_pip(
            self.state,
            words,
            timeout_seconds=self.subject.install.timeout_seconds,
            environment={**self.base.environment, **self.subject.install.environment},
            readable=(*self._readable(), *([] if archive is None else [archive])),
            writable=writable,
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


def _archive_in(folder: Path) -> Path:
    """Return the one file in `folder`. Raises `FilesRefused` where there is anything else."""
    files = [*folder.iterdir()]
    if len(files) != 1 or files[0].is_symlink() or not files[0].is_file():
        raise FilesRefused(f"{folder.name} holds {len(files)} places, not one file that is an archive")
    return files[0]
