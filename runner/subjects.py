"""A subject: what its `subject.toml` says, as frozen values."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from packaging import version
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PlainValidator,
    StringConstraints,
)
from pydantic_core import PydanticCustomError

from analytics.configurations.options import level_text

from .host_links import HostLink


def _level(value: object) -> bool | int | float | str:
    # One message instead of one for each member of the union.
    if isinstance(value, bool | int | float | str):
        return value
    raise PydanticCustomError(
        "level", "is not a level: on and off are true and false, others numbers or texts"
    )


def _version(value: str) -> str:
    try:
        return str(version.Version(value))
    except version.InvalidVersion as error:
        raise PydanticCustomError("version", "is not a version") from error


SOURCE = re.compile(
    r"environment:[^=\s]+|argument:[A-Za-z_]\w*|attribute:[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*(\.\w+)*"
    r"|parameter:[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*(\.\w+)+"
)


def _source(value: str) -> str:
    if SOURCE.fullmatch(value):
        return value
    raise PydanticCustomError(
        "source",
        "is not a source: write environment:NAME, argument:NAME, parameter:module:function.name or attribute:module:object.name",
    )


def _arguments(value: object) -> dict[str, tuple[str, ...]] | tuple[str, ...]:
    def words(given: object) -> tuple[str, ...]:
        if isinstance(given, list) and all(isinstance(word, str) for word in given):
            return tuple(given)
        raise PydanticCustomError(
            "arguments", "is not a list of texts, nor a table with such a list per level"
        )

    if isinstance(value, dict):
        return {str(level): words(given) for level, given in value.items()}
    return words(value)


Level = Annotated[bool | int | float | str, PlainValidator(_level)]
Arguments = Annotated[dict[str, tuple[str, ...]] | tuple[str, ...], PlainValidator(_arguments)]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Callable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(\.\w+)*:[A-Za-z_]\w*$")]
Version = Annotated[str, AfterValidator(_version)]
Package = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(\.\w+)*$")]
Region = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*(\.\w+)*:[^\s:]+$")]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Source = Annotated[str, AfterValidator(_source)]
# Lists of TOML become tuples; everything else is taken as it is written, "1" is not 1.
Texts = Annotated[tuple[str, ...], Field(strict=False)]

# What no program is made of; everything else may be code or tell how it is built.
NO_CODE = (
    "**/*.md", "**/*.rst", "**/*.adoc", "**/*.po", "**/*.svg", "**/*.png", "**/*.gif", "**/*.jpg",
    "doc/**", "docs/**", "examples/**", "test/**", "tests/**", "benchmarks/**",
    ".github/**", ".circleci/**", ".travis.yml", ".gitlab-ci.yml", "appveyor.yml", ".readthedocs.y*ml",
    ".gitignore", ".gitattributes", ".mailmap", ".editorconfig", ".pre-commit-config.yaml",
    "AUTHORS*", "CHANGES*", "CHANGELOG*", "CONTRIBUTORS*", "COPYING*", "HISTORY*", "LICENSE*", "NEWS*", "TODO*",
)  # fmt: skip


class Section(BaseModel):
    """Any table of the file: unknown keys are refused, values keep their TOML type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class GitRevisions(Section):
    """Commits of a git repository: a path, relative to the subject's folder, or an address that git can clone.

    `include` and `exclude` are patterns of paths: what they leave out does not matter to the time of the program. With
    `ignore_comments` comments do not either. `branches` are patterns of names of branches whose newest commits are listed, too, `releases` those of tags that are releases. `link` is how commits are addressed in the web, where their host is not known.
    """

    source: Literal["git"]
    repository: Text
    range: Text = "HEAD"
    history: Literal["first-parent", "all"] = "first-parent"
    include: Texts = ()
    exclude: Texts = NO_CODE
    ignore_comments: bool = False
    branches: Texts = ()
    releases: Texts = ()
    link: HostLink = ""


class FolderRevisions(Section):
    """A folder as it is now: one revision, named after its content."""

    source: Literal["folder"]
    path: Text = "."


class ReleaseRevisions(Section):
    """Releases of a package that pip can find; `link` is how they are addressed in the web."""

    source: Literal["pypi"]
    package: Text
    min: Version | None = None
    max: Version | None = None
    versions: Annotated[tuple[Version, ...], Field(strict=False)] = ()
    exclude: Annotated[tuple[Version, ...], Field(strict=False)] = ()
    link: HostLink = ""


Revisions = GitRevisions | FolderRevisions | ReleaseRevisions


class Install(Section):
    """How the environment of a revision is made.

    `built` are patterns of files that the build makes: revisions with equal ones are the same program.
    """

    python: Text | None = None
    requirements: Texts = ()
    pip_arguments: Texts = ()
    pip_install: bool | None = None
    commands: Annotated[tuple[Texts, ...], Field(strict=False)] = ()
    environment: dict[str, str] = Field(default_factory=dict)
    timeout_seconds: float = Field(default=600, gt=0)
    built: Texts = ()


class OptionDeclaration(Section):
    """A load-time setting; its first level is the reference unless `reference` names another.

    `arguments` says what a command is given for each level: a list per level, or one list with "{level}" in it. `variable` is a
    variable of the environment that the level is given in.
    """

    levels: Annotated[tuple[Level, ...], Field(strict=False)]
    reference: Level | None = None
    description: str = ""
    arguments: Arguments = ()
    variable: Variable | None = None

    @property
    def reference_level(self) -> Level:
        """The level of the reference configuration."""
        return self.levels[0] if self.reference is None else self.reference

    def variables(self, level: Level) -> dict[str, str]:
        """The variable at `level`: "1" for true, none for false, numbers and texts as they are."""
        if self.variable is None or level is False:
            return {}
        return {self.variable: "1" if level is True else level_text(level)}


class ConstraintDeclaration(Section):
    """Configurations that cannot be: one forbidden combination, or what `if` requires or excludes."""

    forbidden: dict[str, Level] | None = None
    condition: dict[str, Level] | None = Field(default=None, alias="if")
    requires: dict[str, Level] | None = None
    excludes: dict[str, Level] | None = None


class EntryPoint(Section):
    """What one run is: a Python callable `run(options, workload)`, or a command of any language."""

    callable: Callable | None = None
    command: Texts = ()
    python_path: Texts = ()
    environment: dict[str, str] = Field(default_factory=dict)


class WhiteBoxSettings(Section):
    """How the options are followed: where they are read besides the mapping that the callable gets, and what is left out.

    `sources`: by option, "environment:NAME", "argument:NAME" (of argparse), "parameter:module:function.name" (of a function that
    a library calls, as click does) or "attribute:module:object.name".
    `exclude`, `include`: regions, "module:function", that an analysis leaves out as option-parsing code, or never does.
    """

    sources: dict[str, Source] = Field(default_factory=dict)
    exclude: tuple[Region, ...] = Field(default=(), strict=False)
    include: tuple[Region, ...] = Field(default=(), strict=False)
    weak_updates: bool = True


CountingTool = Literal["auto", "perf", "callgrind", "gcov"]


class Counting(Section):
    """How what a command does is counted: instructions by the processor (perf), by callgrind, or as the machine allows.

    "gcov": calls and branches of each function, of the program built once more by gcc. `threads`: several threads count.
    """

    tool: CountingTool = "auto"
    threads: bool = False


class Limits(Section):
    """What one run may use; a run that needs more is ended and recorded as such.

    `pin` keeps it on one core (None: a callable yes, a command no).
    """

    timeout_seconds: float = Field(default=60, gt=0)
    memory_megabytes: int = Field(default=2048, ge=64)
    output_megabytes: float = Field(default=16, gt=0)
    file_megabytes: int = Field(default=256, gt=0)
    disk_megabytes: int = Field(default=1024, gt=0)
    pin: bool | None = None


class SandboxSettings(Section):
    """What a run may reach beyond its own files, where it has a sandbox: the network, user namespaces of its own, and folders or files that it reads.

    Builds always have the network.
    """

    network: bool = False
    namespaces: bool = False
    readable: Texts = ()


@dataclass(frozen=True, slots=True)
class SubjectDefinition:
    """A program that can be measured. `digest` is that of everything in its folder, in hexadecimal.

    `forbidden` holds the constraints as partial assignments: no valid configuration contains one of them. `counts`:
    whether measuring also runs each configuration once with counters in its regions, or counts what a command does as
    `counting` says.
    """

    folder: Path
    digest: str
    name: str
    description: str
    regions: tuple[str, ...]
    revisions: Revisions
    install: Install
    options: dict[str, OptionDeclaration]
    forbidden: tuple[dict[str, Level], ...]
    workloads: dict[str, dict[str, JsonValue]]
    entry: EntryPoint
    limits: Limits
    counts: bool = True
    counting: Counting = field(default_factory=Counting)
    analysis: WhiteBoxSettings = field(default_factory=WhiteBoxSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)

    @property
    def sources(self) -> dict[str, str]:
        """Where the program reads each option, besides what its entry is given; a variable of an option is one."""
        named = {name: one.variable for name, one in self.options.items() if one.variable is not None}
        return {**{name: f"environment:{one}" for name, one in named.items()}, **self.analysis.sources}

    @property
    def is_countable(self) -> bool:
        """Whether what it does can be counted: counters go into the regions of a callable, instructions are a command's."""
        return self.entry.callable is None or bool(self.regions)

    @property
    def counts_functions(self) -> bool:
        """Whether it is a command whose calls and branches are counted, in a build of its own."""
        return self.entry.callable is None and self.counting.tool == "gcov"

    @property
    def can_count_functions(self) -> bool:
        """Whether it is a command that is built from files, so that gcc can put counters into its functions."""
        built = bool(self.install.commands) and not isinstance(self.revisions, ReleaseRevisions)
        return self.entry.callable is None and built

    @property
    def is_pinned(self) -> bool:
        """Whether its runs stay on one core: they do not wander, and need no more than one."""
        return self.entry.callable is not None if self.limits.pin is None else self.limits.pin
