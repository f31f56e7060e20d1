"""What a program does to itself is recorded with the place, plain and traced; what it does to others does not matter."""

from dataclasses import replace

import pytest

from runner.environments import Prepared
from runner.executions import Execution, Mode, execute
from runner.plans import PlannedRun
from runner.selections import SelectedConfiguration
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.throwaway import RunProgram, prepared_subject, write_subject

ENTRY = """
import importlib

def run(options, workload):
    if options["ending"] in ("faulty", "importing"):
        importlib.import_module(options["ending"])
    return importlib.import_module("bad").do(options["ending"])
"""
# What the program does, the status, what the message holds, and the text of the line that is the place.
ENDINGS = {
    "raises in the library": ("import json\njson.loads('{')", "failed", "JSONDecodeError", "json.loads"),
    "exits": ("import sys\nsys.exit('enough')", "failed", "SystemExit: enough", "sys.exit"),
    "leaves": ("import os\nos._exit(0)", "failed", "no result", "os._exit"),
    "kills itself": ("import os\nos.kill(os.getpid(), 9)", "killed", "SIGKILL", "os.kill"),
    "reads a faulty text": ("import ast\nast.literal_eval('(')", "failed", "SyntaxError", "ast.literal_eval"),
    "runs into its alarm": (
        "import signal, time\nsignal.alarm(1)\nwhile True: time.sleep(9)", "killed", "SIGALRM", "time.sleep",
    ),
    "takes a broken pipe as its end": (
        "import os, signal\nsignal.signal(13, signal.SIG_DFL)\nread, write = os.pipe()\nos.close(read)\nos.write(write, b'0')",
        "killed", "SIGPIPE", "os.write",
    ),
    "gives back a signal": (
        "import signal\nsignal.signal(15, lambda *_: None)\nsignal.signal(15, signal.SIG_DFL)\nsignal.raise_signal(15)",
        "killed", "SIGTERM", "signal.raise_signal",
    ),
    "is terminated": ("import signal\nsignal.raise_signal(15)", "killed", "SIGTERM", "raise_signal"),
    "crashes": ("import ctypes\nctypes.string_at(0)", "killed", "SIGSEGV", "string_at"),
    "aborts": ("import os\nos.abort()", "killed", "SIGABRT", "os.abort"),
    "hangs": ("import time\ntime.sleep(600)", "timeout", "time limit", "time.sleep"),
    "waits for a thread without end": (
        "import threading, time\none = threading.Thread(target=time.sleep, args=(600,))\none.start()\none.join()",
        "timeout", "time limit", "one.join",
    ),
    "prints without end": ("while True:\n    print('again ' * 9999)", "output_limit", "output limit", "print("),
    "calls itself without end": ("return do(ending)", "failed", "RecursionError", "return do"),
    "fills the memory": ("held = [0]\nwhile True:\n    held += held", "failed", "MemoryError", "held += held"),
    "writes too large a file": ("with open('f', 'wb', 0) as f: f.write(bytes(4_000_000)) and f.write(b'0')", "failed", "OSError", "with open"),
    "closes its channels": ("import os\nos.close(1), os.close(2)\nraise ValueError", "failed", "ValueError", "raise"),
    "hides what it prints": (
        "import io, sys\nsys.stdout = sys.stderr = io.StringIO()\nraise ValueError", "failed", "ValueError", "raise",
    ),
    "breaks what is built in": (
        "import builtins\nbuiltins.open = builtins.len = builtins.isinstance = builtins.repr = None\nraise ValueError",
        "failed", "ValueError", "raise",
    ),
}  # fmt: skip
HARMLESS = {
    "has a child that outlives it": "import os, time\nif os.fork() == 0:\n    time.sleep(600)",
    "has a child that returns": "import os\nos.fork()",
    "goes to another folder": "import os\nos.chdir('/')",
    "deletes all modules": "import sys\nfor name in {*sys.modules} - {'sys', 'builtins'}:\n    del sys.modules[name]",
    "deletes built-ins": "import builtins\nbuiltins.open = builtins.vars = builtins.print = None",
    "closes its output": "import os, sys\nsys.stdout = None\nos.closerange(1, 2)",
    "has threads without end": "import threading, time\n"
    "threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
}  # fmt: skip


def _indented(text: str) -> str:
    return "".join(f"        {line}\n" for line in text.splitlines())


PROGRAM = "def do(ending):\n" + "".join(
    f"    if ending == {name!r}:\n{_indented(body)}"
    for name, body in {**{name: parts[0] for name, parts in ENDINGS.items()}, **HARMLESS}.items()
)
TOML = """
name = "Bad"
regions = ["bad"]
revisions = { source = "folder", path = "program" }
options = { ending = ["one", "other"] }
entry.callable = "entry:run"
[limits]
file_megabytes = 1
output_megabytes = 1
memory_megabytes = 512
"""
WITHOUT_END = [ending for ending, (_, status, *_) in ENDINGS.items() if status == "timeout"]


@pytest.fixture(scope="module")
def bad(state: RunnerState, tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    """The program, prepared."""
    folder = write_subject(tmp_path_factory.mktemp("bad"), entry=ENTRY, toml=TOML)
    (folder / "program" / "bad.py").write_text(PROGRAM, encoding="utf-8")
    (folder / "program" / "faulty.py").write_text("x = 1\nraise (\n", encoding="utf-8")
    (folder / "program" / "importing.py").write_text("\n\nimport nowhere_at_all\n", encoding="utf-8")
    return prepared_subject(load_subject(folder), state)


def done(prepared: Prepared, ending: str, mode: Mode, *, seconds: float = 60) -> Execution:
    """Make one run of it, with that much time."""
    limits = prepared.subject.limits.model_copy(update={"timeout_seconds": seconds})
    planned = PlannedRun(
        position=0,
        revision=prepared.revision.identifier,
        configuration=SelectedConfiguration((("ending", ending),)),
        workload="regular",
        repetition=1,
    )
    limited = replace(prepared, subject=replace(prepared.subject, limits=limits))
    return execute(limited, planned, profile=False, mode=mode)


def place(ending: str) -> str:
    """The last line of the program that holds the text of the ending's place; that of the ending, where it has none."""
    _, _, _, text = ENDINGS[ending]
    lines = PROGRAM.splitlines()
    first = lines.index(f"    if ending == {ending!r}:") + 1
    return f"bad.py:{next(at for at in range(first, len(lines) + 1) if text in lines[at - 1])}"


@pytest.mark.parametrize("mode", ["plain", "taint"])
@pytest.mark.parametrize("ending", [one for one in ENDINGS if one not in WITHOUT_END])
def test_an_ending_is_recorded_with_its_place(bad: Prepared, ending: str, mode: Mode) -> None:
    _, status, said, _ = ENDINGS[ending]
    found = done(bad, ending, mode)
    assert (found.status, found.place) == (status, place(ending)), (found.message, found.outcome.output)
    assert said in found.message
    assert (found.result.plain, found.result.trace) == (None, None)


# None of these ends it: what ends it then is a signal that nothing hears.
SURVIVED = {
    "handles a signal": "import os, signal\nsignal.signal(15, lambda *_: None)\nos.kill(os.getpid(), 15)",
    "asks whether it is there": "import os\nos.kill(os.getpid(), 0)",
    "ignores a signal": "import os, signal\nsignal.signal(15, signal.SIG_IGN)\nos.kill(os.getpid(), 15)",
    "has a child that is terminated": "import os, time\nchild = os.fork()\nif child == 0:\n    time.sleep(600)\n"
    "time.sleep(0.2)\nos.kill(child, 15)\nos.waitpid(child, 0)",
}


@pytest.mark.parametrize("survived", SURVIVED)
def test_what_did_not_end_a_program_is_not_its_place(run_program: RunProgram, survived: str) -> None:
    body = _indented(SURVIVED[survived] + "\nimport signal\nsignal.raise_signal(9)")
    found = run_program(
        entry="import tiny\ndef run(options, workload):\n    tiny.work()\n", program=f"def work():\n{body}"
    )
    assert (found.status, found.outcome.signal, found.place) == ("killed", 9, ""), found.outcome.output


def test_what_a_program_printed_is_no_place_of_a_run_that_was_ended(
    run_program: RunProgram, state: RunnerState
) -> None:
    """Cancelled, it was not asked where it is; a traceback that it printed before is not where it was then."""
    entry = (
        "import time, traceback\ndef run(options, workload):\n    try:\n        1 / 0\n"
        "    except ZeroDivisionError:\n        traceback.print_exc()\n"
        "    open('printed', 'w').close()\n    time.sleep(600)\n"
    )
    scratch = state.folder("scratch")
    found = run_program(entry=entry, cancelled=lambda: any(scratch.glob("*/home/printed")))
    assert (found.status, found.place) == ("cancelled", "")
    assert "ZeroDivisionError" in found.outcome.output


@pytest.mark.parametrize("ending", WITHOUT_END)
def test_a_program_that_does_not_end_is_asked_where_it_is(bad: Prepared, ending: str) -> None:
    found = done(bad, ending, "plain", seconds=6)
    assert (found.status, found.place) == ("timeout", place(ending)), (found.message, found.outcome.output)


@pytest.mark.parametrize("mode", ["plain", "taint"])
@pytest.mark.parametrize("harmless", HARMLESS)
def test_a_program_may_do_to_itself_what_it_likes(bad: Prepared, harmless: str, mode: Mode) -> None:
    found = done(bad, harmless, mode)
    assert (found.status, found.message, found.place) == ("ok", "", ""), found.outcome.output
    assert found.result.plain is not None
    assert (found.result.trace is not None) == (mode == "taint")


@pytest.mark.parametrize(
    ("module", "said", "where"),
    [("faulty", "SyntaxError", "faulty.py:2"), ("importing", "ModuleNotFoundError", "importing.py:3")],
)
def test_a_program_that_cannot_be_imported_has_a_place(
    bad: Prepared, module: str, said: str, where: str
) -> None:
    found = done(bad, module, "taint")
    assert (found.status, found.place) == ("failed", where)
    assert said in found.message
