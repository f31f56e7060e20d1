"""A build that means harm writes nothing outside its own files, sees nothing more by links, and stops nobody."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.environments import Prepared, Unprepared, prepare
from runner.interpreters import interpreter
from runner.revisions import list_revisions
from runner.sandboxes import Sandbox, interpreter_places
from runner.state import RunnerState
from runner.subject_files import load_subject
from runner.trees import remove
from tests.runner.throwaway import SUBJECT, write_subject


@pytest.fixture
def target(state: RunnerState) -> Iterator[Path]:
    """A folder of the server that only it may read, with a file."""
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-test-"))
    (folder / "key").write_text("session key")
    (folder / "key").chmod(0o600)
    yield folder
    shutil.rmtree(folder)


def _built(
    tmp_path: Path, state: RunnerState, code: str, *words: str, toml: str = SUBJECT, counting: bool = False
) -> Prepared | Unprepared:
    """Prepare a subject whose build runs Python `code`."""
    listed = ", ".join(f"'{word}'" for word in ("{python}", "build.py", *words))
    toml = toml.replace("[options.fast]", f"[install]\ncommands = [[{listed}]]\n[options.fast]")
    folder = write_subject(tmp_path / "subject", toml=toml)
    (folder / "program" / "build.py").write_text(code)
    subject = load_subject(folder)
    return prepare(subject, list_revisions(subject, state)[-1], state=state, counting=counting)


REPLACES = """
import os, pathlib, sys
source = pathlib.Path.cwd()
for name in ("build.log", "ready.json", "ready.json." + sys.argv[3]):
    try:
        os.symlink(sys.argv[1], source.parent / name)
    except OSError:
        pass
print("written by the build")
sys.exit(int(sys.argv[2]))
"""


@pytest.mark.parametrize("ending", ["0", "1"])
def test_a_build_cannot_redirect_what_we_note_of_it(
    tmp_path: Path, state: RunnerState, target: Path, ending: str
) -> None:
    """As if it had guessed our process, which names the file that is written before it stands in place."""
    file = target / "key"
    made = _built(tmp_path, state, REPLACES, str(file), ending, str(os.getpid()))
    assert isinstance(made, Prepared if ending == "0" else Unprepared)
    assert file.read_text() == "session key"


def test_a_build_that_failed_cannot_say_that_it_succeeded(tmp_path: Path, state: RunnerState) -> None:
    code = """
import pathlib, sys
try:
    pathlib.Path("../ready.json").write_text('{"released_at": null, "installed": true}')
finally:
    sys.exit(1)
"""
    for _ in range(2):
        assert isinstance(_built(tmp_path, state, code), Unprepared)


def test_what_a_build_puts_in_place_of_its_interpreter_shows_nothing_more(
    tmp_path: Path, state: RunnerState, sandbox: Sandbox, target: Path
) -> None:
    """The folder of that interpreter is shown to the steps after it, which have the network, and to runs."""
    assert sandbox
    code = """
import os, sys
if sys.argv[2] == "put":
    os.unlink(sys.argv[1])
    os.symlink(sys.argv[3] + "/python", sys.argv[1])
else:
    print("shown:", os.path.exists(sys.argv[3]))
"""
    target.chmod(0o755)
    base = interpreter(state).executable
    listed = ", ".join(
        f"['{base}', 'build.py', '{{python}}', '{step}', '{target}']" for step in ("put", "look")
    )
    toml = SUBJECT.replace("[options.fast]", f"[install]\ncommands = [{listed}]\n[options.fast]")
    folder = write_subject(tmp_path / "subject", toml=toml)
    (folder / "program" / "build.py").write_text(code)
    subject = load_subject(folder)
    made = prepare(subject, list_revisions(subject, state)[-1], state=state)
    assert isinstance(made, Prepared), made.output
    assert "shown: False" in (made.folder / "build.log").read_text()
    assert interpreter_places(made.base.executable) == interpreter_places(base)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_build_leaves_no_compilers_that_we_write_through_links(
    tmp_path: Path, state: RunnerState, target: Path
) -> None:
    """Installing runs code before compilers are put in place."""
    code = """
import os, pathlib, sys
for name in ("compilers", "made", "download", "rewritten"):
    try:
        os.symlink(sys.argv[1], pathlib.Path.cwd().parent / name)
    except OSError:
        print("refused", name)
pathlib.Path("one.c").write_text("int one(void) { return 1; }")
os.system("gcc -c one.c")
os.mkfifo("a.gcno")
os.mkdir("b.gcno")
os.mkdir("c.gcda")
os.symlink(sys.argv[1] + "/key", "d.gcno")
"""
    command = SUBJECT.replace('callable = "entry:run"', 'command = ["/bin/true", "{options}"]').replace(
        'regions = ["tiny"]\n', ""
    )
    toml = command.replace("levels = [false, true]", "levels = [false, true]\narguments = ['{level}']")
    made = _built(tmp_path, state, code, str(target), toml=toml + '[counts]\ntool = "gcov"\n', counting=True)
    assert isinstance(made, Prepared), made
    assert [Path(note).name for note in made.notes] == ["one.gcno"]
    assert sorted(file.name for file in target.iterdir()) == ["key"]


def test_folders_without_end_are_a_fault_of_the_build(tmp_path: Path, state: RunnerState) -> None:
    code = """
import os
for _ in range(3000):
    os.mkdir("deeper")
    os.chdir("deeper")
"""
    for _ in range(2):
        made = _built(tmp_path, state, code)
        assert isinstance(made, Unprepared)
        assert "nested more than 200 deep" in made.message
    # What removes temporary folders after the tests goes down step by step.
    remove(state.folder("environments"))


def test_nothing_is_left_of_folders_that_a_program_nested_or_closed(state: RunnerState) -> None:
    """A run that nests them ends as any other, and the next one finds room."""
    code = """
import os
os.makedirs("closed/inner")
open("closed/inner/file", "w").close()
os.chmod("closed/inner", 0)
os.chmod("closed", 0)
for _ in range(3000):
    os.mkdir("deeper")
    os.chdir("deeper")
"""
    before = {*state.folder("scratch").iterdir()}
    with state.scratch() as scratch:
        done = subprocess.run([sys.executable, "-c", code], cwd=scratch, check=False)
    assert done.returncode == 0
    assert {*state.folder("scratch").iterdir()} == before
