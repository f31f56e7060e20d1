"""Makes a new subject by trying: what is written was run as a measurement runs it."""

import json
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .environments import Unprepared, prepare
from .errors import RunnerError
from .executions import Execution, execute
from .option_help import OptionProposal, proposed_options
from .option_trials import seconds_of, that_matter, that_run
from .pip import cause_in
from .plans import PlannedRun
from .revisions import list_revisions
from .sample_inputs import likely_kinds, sample
from .selections import SelectedConfiguration
from .state import RunnerState
from .subject_drafts import INPUT, PROGRAM, SubjectDraft, out_of_reach
from .subject_files import FILE_NAME, load_subject
from .subjects import SOURCE

MOST_TRIED = 60
_FIRST_CHARACTERS = 4_000
_MOST_CHARACTERS = 16_000_000
# Long enough to be told from noise, short enough to be patient with.
_ENOUGH_SECONDS = 0.15
_LOOK = Path(__file__).with_name("package_probe.py")
_SOURCES = Path(__file__).with_name("source_probe.py")


@dataclass(frozen=True, slots=True)
class DraftReport:
    """What came of a new subject: what was found, what was tried with its result, and what a person has to fill in."""

    found: tuple[str, ...]
    fill_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftTrials:
    """Tries drafts of a subject in `folder`; `said` hears what goes on."""

    folder: Path
    state: RunnerState
    said: Callable[[str], None] = field(default=lambda _text: None)

    def command(self, words: Sequence[str], given: Path | None) -> DraftReport:
        """Write the subject of a command line: its program's help is read, its input and options are tried."""
        program = shutil.which(words[0])
        if program is None:
            raise RunnerError(f"there is no program {words[0]!r}: write its whole path, or install it")
        written = (str(Path(program).resolve() if "/" in words[0] else program), *words[1:])
        name = Path(program).name
        draft = SubjectDraft(
            name, f"The command: {shlex.join(words)}", ('source = "folder"', 'path = "."'), command=written
        )
        help_text = self._printed(replace(draft, command=(program, "--help")))
        report = self._finished(draft, help_text, f"{name} {help_text}", given)
        return replace(report, fill_in=(*out_of_reach(words, self.folder), *report.fill_in))

    def package(self, name: str, given: Path | None) -> DraftReport:
        """Write the subject of a package that pip finds: its command line is called in a Python process."""
        revisions = ('source = "pypi"', f"package = {json.dumps(name)}", '# min = "1.0"', '# max = "2.0"')
        return self._python(name, revisions, name, given)

    def repository(self, address: str, given: Path | None) -> DraftReport:
        """Write the subject of a git repository: of a Python package as `package` does, of others what has to be filled in."""
        name = address.rstrip("/").removesuffix(".git").rpartition("/")[2].rpartition(":")[2] or "program"
        place = address if ":" in address else str(Path(address).resolve())
        if ":" not in address and not Path(place).is_dir():
            raise RunnerError(
                f"there is no folder {place}: name that of a repository, or an address that git can clone"
            )
        revisions = ('source = "git"', f"repository = {json.dumps(place)}", '# range = "v1.0..HEAD"')
        return self._python(name, revisions, "", given)

    def _python(self, name: str, revisions: tuple[str, ...], package: str, given: Path | None) -> DraftReport:
        look = SubjectDraft(name, "", revisions, command=("{python}",))
        told = dict.fromkeys(("name", "module", "script", "summary", "help"), "")
        told |= self._looked(look, _LOOK, package)
        if not told["module"]:
            return self._other_language(look)
        draft = SubjectDraft(
            name,
            told["summary"] or f"The package {told['name']}.",
            revisions,
            package=told["module"],
            script=told["script"],
        )
        if not told["script"]:
            self._write(draft, _FIRST_CHARACTERS, given)
            call = f"{self.folder / PROGRAM}: write what one run of {told['module']} does, where it says NotImplementedError"
            options = f"{self.folder / FILE_NAME}: declare the options, one table [options.NAME] each"
            return DraftReport((f"{told['name']} has no command line",), (call, options))
        about = f"{name} {told['summary']} {told['help']}"
        return self._finished(draft, told["help"], about, given)

    def _other_language(self, look: SubjectDraft) -> DraftReport:
        """The draft of a program that pip does not install: how it is built has to be said."""
        subject = load_subject(self.folder)
        prepared = prepare(subject, list_revisions(subject, self.state)[-1], state=self.state)
        there = (
            {path.name for path in prepared.source.iterdir()}
            if not isinstance(prepared, Unprepared) and prepared.source
            else set()
        )
        ways = {
            "CMakeLists.txt": '[["cmake", "-B", "build", "-DCMAKE_BUILD_TYPE=Release"], ["cmake", "--build", "build", "-j2"]]',
            "meson.build": '[["meson", "setup", "build", "--buildtype=release"], ["ninja", "-C", "build"]]',
            "Cargo.toml": '[["cargo", "build", "--release"]]',
            "go.mod": '[["go", "build", "-o", "program", "."]]',
            "configure": '[["./configure"], ["make", "-j2"]]',
            "Makefile": '[["make", "-j2"]]',
        }
        found = next((file for file in ways if file in there), "")
        install = (
            (f"commands = {ways[found]}",)
            if found
            else ("# FILL IN how it is built:", '# commands = [["make"]]')
        )
        draft = replace(
            look,
            install=install,
            command=("{source}/" + look.name,),
            description=f"{look.name}, built from its repository.",
        )
        self._write(draft, _FIRST_CHARACTERS, None)
        fill_in = (
            f"{self.folder / FILE_NAME}: [install] commands, how it is built"
            + (f" (a {found} was found)" if found else ""),
            f"{self.folder / FILE_NAME}: [entry] command, where the built program lies below {{source}} and how it gets its input",
            f"{self.folder / FILE_NAME}: declare the options, one table [options.NAME] each, or run init --command on the built program",
        )
        return DraftReport((f"pip does not install {look.name}: it is built by commands",), fill_in)

    def _finished(self, draft: SubjectDraft, help_text: str, about: str, given: Path | None) -> DraftReport:
        """The draft with the input that works, the options that were tried, and inputs of a good length."""
        proposed = proposed_options(help_text)
        self.said(f"{len(proposed)} options in the help of {draft.name}")
        works = self._form(draft, help_text, about, given)
        if works is None:
            doubtful = tuple(replace(one, doubt=one.doubt or "not tried") for one in proposed)
            self._write(replace(draft, unsure=doubtful), _FIRST_CHARACTERS, given)
            words = "its words may hold {input} where the input stands, and --input FILE gives one of yours"
            return DraftReport(
                (f"{len(proposed)} options in the help of {draft.name}", "no made-up input was accepted"),
                (f"how {draft.name} gets an input: {words}",),
            )
        tried = self._options(works, proposed, given)
        size = self._size(tried, given)
        tried = self._with_fewer(tried, size, given)
        if tried.is_python:
            tried = replace(tried, sources=self._sources(tried))
        self._write(tried, size, given)
        load_subject(self.folder)
        how = "from its standard input" if tried.from_input else "as a file"
        used, unsure = len(tried.options), len(tried.unsure)
        found = (
            f"it reads {'your input' if given else f'made-up {tried.kind}'} {how}",
            f"{used} options work, {unsure} stand commented out",
        )
        return DraftReport(found)

    def _form(
        self, draft: SubjectDraft, help_text: str, about: str, given: Path | None
    ) -> SubjectDraft | None:
        """The draft with the first kind of input, and the way to it, that a run accepts; None where none is."""
        kinds = (given.suffix.lstrip(".") or "txt",) if given else likely_kinds(about)
        ways = (False,) if INPUT in "".join(draft.command) else (True, False)
        beginning = help_text.strip()[:80]
        for kind in kinds:
            for from_input in ways:
                one = replace(draft, kind=kind, from_input=from_input)
                self._write(one, _FIRST_CHARACTERS, given)
                run = self._run({})
                if (
                    isinstance(run, Execution)
                    and run.status == "ok"
                    # It printed its help instead of working.
                    and not (beginning and beginning in run.outcome.output)
                ):
                    return one
        return None

    def _options(
        self, draft: SubjectDraft, proposed: Sequence[OptionProposal], given: Path | None
    ) -> SubjectDraft:
        """The draft with the options with which it runs, and all others commented out with the reason."""
        reserved = {"source", "subject", "python", "revision", "workload", "options", "only"}
        proposed = [replace(one, name=f"{one.name}_") if one.name in reserved else one for one in proposed]
        wanted = [one for one in proposed if not one.doubt][:MOST_TRIED]
        unsure = [
            one if one.doubt else replace(one, doubt="not tried") for one in proposed if one not in wanted
        ]
        self._write(replace(draft, options=tuple(wanted)), _FIRST_CHARACTERS, given)
        works, failed = that_run(wanted, self._run, self.said)
        return replace(draft, options=works, unsure=(*unsure, *failed))

    def _with_fewer(self, draft: SubjectDraft, size: int, given: Path | None) -> SubjectDraft:
        """The draft with the options that change the time of a run most, and the others commented out."""
        self._write(draft, size, given)
        most, rest = that_matter(draft.options, self._run, self.said)
        return replace(draft, options=most, unsure=(*draft.unsure, *rest))

    def _sources(self, draft: SubjectDraft) -> tuple[tuple[str, str], ...]:
        """Where the program of a draft reads its options, where argparse or click parses them."""
        (self.folder / PROGRAM).write_text(draft.program(), encoding="utf-8")
        levels = json.dumps({one.name: one.levels[1:] for one in draft.options})
        # A word of a command names what stands in braces.
        levels = levels.replace("{", "{{").replace("}", "}}")
        asked = replace(draft, from_input=False, options=(), unsure=(), package="")
        try:
            found = self._looked(asked, _SOURCES, f"regular.{draft.kind}", levels)
        except RunnerError:  # it came to no end, and works without
            found = {}
        # The program may print what our look at it prints.
        names = {one.name for one in draft.options}
        found = {name: one for name, one in found.items() if name in names and SOURCE.fullmatch(one)}
        self.said(f"it is known where {len(found)} of {len(draft.options)} options are read")
        return tuple(found.items())

    def _looked(self, draft: SubjectDraft, script: Path, *arguments: str) -> dict[str, str]:
        """What a script of ours says, run where the draft's program is. Raises `RunnerError` where it says nothing."""
        place = self.folder / "look.py"
        shutil.copyfile(script, place)
        try:
            printed = self._printed(
                replace(draft, command=("{python}", "-I", "{subject}/look.py", *arguments))
            )
        finally:
            place.unlink()
        try:
            told = json.loads(printed.strip().rpartition("\n")[2]).items()
        except (ValueError, AttributeError):
            raise RunnerError(f"{draft.name} does not let us look at it: {printed[-1500:]}") from None
        return {name: value for name, value in told if isinstance(value, str)}

    def _size(self, draft: SubjectDraft, given: Path | None) -> int:
        """So many characters of input that a run takes long enough."""
        size = _FIRST_CHARACTERS
        while given is None and size < _MOST_CHARACTERS:
            self._write(draft, size, given)
            run = self._run({})
            if not isinstance(run, Execution) or run.status != "ok":
                return max(size // 4, _FIRST_CHARACTERS)
            seconds = seconds_of(run)
            self.said(f"{size} characters of input take {seconds:.2f} s")
            if seconds >= _ENOUGH_SECONDS:
                break
            size *= 4
        return size

    def _write(self, draft: SubjectDraft, size: int, given: Path | None) -> None:
        (self.folder / FILE_NAME).write_text(draft.toml(), encoding="utf-8")
        if draft.is_python:
            (self.folder / PROGRAM).write_text(draft.program(), encoding="utf-8")
        for path in [*self.folder.glob("regular.*"), *self.folder.glob("small.*")]:
            path.unlink()
        for name, length in (("regular", size), ("small", _FIRST_CHARACTERS)):
            place = self.folder / f"{name}.{draft.kind}"
            if given is None:
                place.write_text(sample(draft.kind, length), encoding="utf-8")
            else:
                shutil.copyfile(given, place)

    def _printed(self, draft: SubjectDraft) -> str:
        """What a run of the draft prints. Raises `RunnerError` where it cannot be run at all."""
        self._write(replace(draft, command=(*draft.command,)), 1, None)
        run = self._run({})
        if isinstance(run, Unprepared):
            raise RunnerError(f"{draft.name} {run.message}: {cause_in(run.output)}")
        return run.outcome.output

    def _run(self, levels: dict[str, object]) -> Execution | Unprepared:
        """One run of what is written now, at these levels, all other options at their reference."""
        subject = load_subject(self.folder)
        revision = list_revisions(subject, self.state)[-1]
        prepared = prepare(subject, revision, state=self.state)
        if isinstance(prepared, Unprepared):
            return prepared
        every = {name: option.reference_level for name, option in subject.options.items()} | levels
        chosen = SelectedConfiguration(tuple(every.items()))  # type: ignore[arg-type] # levels of these very options
        return execute(prepared, PlannedRun(0, revision.identifier, chosen, "regular", 1), profile=False)
