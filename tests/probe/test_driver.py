"""A job goes in as JSON, a result comes out as JSON, whatever the program does."""

import ast
import json
import py_compile
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import probe
import probe.rewriting
import probe.taint.records
from probe.driver import RESULT_VERSION, run_job


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run a job whose entry is the text given; return exit code and result."""

    def run_text(text: str, **changes: Any) -> tuple[int, dict[str, Any]]:
        (tmp_path / "entry_of_test.py").write_text(text, encoding="utf-8")
        job = {
            "entry": "entry_of_test:run",
            "options": {"fast": True},
            "workload": {"seed": 1},
            "packages": ["entry_of_test"],
            "path": [str(tmp_path)],
            "profile": True,
            "interval_seconds": 0.001,
            "result": str(tmp_path / "result.json"),
        } | changes
        (tmp_path / "job.json").write_text(json.dumps(job), encoding="utf-8")
        code = run_job(str(tmp_path / "job.json"))
        return code, json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))

    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, "entry_of_test", raising=False)
    yield run_text
    sys.modules.pop("entry_of_test", None)


def test_a_result_has_a_version_a_plain_time_and_a_profile(run: Any) -> None:
    code, result = run("def run(options, workload):\n    return sum(range(10**6))\n")
    assert (code, result["version"], result["status"]) == (0, RESULT_VERSION, "ok")
    assert result["plain"]["cpu_seconds"] > 0
    assert result["profile"]["cpu_seconds"] > 0
    assert result["interpreter"]["version"] == sys.version.split()[0]


def test_a_profile_is_made_only_if_asked_for(run: Any) -> None:
    _, result = run("def run(options, workload):\n    pass\n", profile=False)
    assert result["profile"] is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def run(options, workload):\n    raise KeyError('x')\n", "KeyError: 'x'"),
        ("def run(options, workload):\n    raise SystemExit\n", "SystemExit"),
        ("def run(options, workload):\n    raise KeyboardInterrupt\n", "KeyboardInterrupt"),
        ("def walk():\n    pass\n", "AttributeError: module 'entry_of_test' has no attribute 'run'"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
    ],
)
def test_whatever_is_raised_is_the_programs_result(
    run: Any, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    code, result = run(text)
    assert (code, result["status"], result["message"], result["plain"]) == (1, "failed", message, None)
    assert message.split(":", maxsplit=1)[0] in capsys.readouterr().err


def test_a_message_that_no_file_could_hold_is_told_all_the_same(tmp_path: Path) -> None:
    """A name of a file may be bytes that are no text; Python tells them by surrogates, which no reader of JSON takes."""
    (tmp_path / "entry.py").write_text(
        "def run(options, workload):\n    raise ValueError('no \\udcff here')\n", encoding="utf-8"
    )
    job = {
        "entry": "entry:run", "options": {}, "workload": {}, "packages": [], "path": [str(tmp_path)],
        "profile": False, "interval_seconds": 0.001, "result": str(tmp_path / "result.json"),
    }  # fmt: skip
    (tmp_path / "job.json").write_text(json.dumps(job), encoding="utf-8")
    words = [sys.executable, "-m", "probe", str(tmp_path / "job.json")]
    done = subprocess.run(words, cwd=Path(probe.__file__).parents[1], capture_output=True, check=False)
    told = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (done.returncode, told["status"], told["message"]) == (1, "failed", "ValueError: no ? here")


TWO_OPTIONS = """
def run(options, workload):
    if options["fast"]:
        for _ in range(workload["seed"] + 1):
            pass
    return helper(1)

def helper(x):
    return x
"""


def test_a_counted_run_says_how_often_each_thing_happened(run: Any) -> None:
    code, result = run(TWO_OPTIONS, mode="count", profile=False)
    assert code == 0
    assert result["plain"]["cpu_seconds"] >= 0
    assert result["counts"]["regions"] == {
        "entry_of_test:helper": [[8, 0, "call", 1]],
        "entry_of_test:run": [[2, 0, "call", 1], [3, 4, "if", 1], [4, 8, "turn", 2]],
    }


def test_a_traced_run_says_which_option_decides_what(run: Any) -> None:
    code, result = run(TWO_OPTIONS, mode="taint", profile=False)
    assert code == 0
    trace = result["trace"]
    assert trace["options"] == ["fast"]
    assert [
        (
            trace["sites"][site]["region"],
            trace["sites"][site]["line"],
            trace["sites"][site]["kind"],
            data,
            control,
        )
        for site, data, control in trace["decisions"]
    ] == [("entry_of_test:run", 3, "if", 1, 0), ("entry_of_test:run", 4, "for", 0, 1)]
    assert result["counts"]["regions"]["entry_of_test:run"][1] == [3, 4, "if", 1]
    assert (trace["functions"]["entry_of_test:run"]["first_line"], trace["cut"]) == (2, False)


@pytest.mark.parametrize("mode", ["count", "taint"])
def test_rewritten_programs_fail_as_plain_ones_do(
    run: Any, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    text = "def run(options, workload):\n    if options['fast']:\n        raise KeyError('x')\n"
    code, result = run(text, mode=mode)
    assert (code, result["message"]) == (1, "KeyError: 'x'")
    assert "line 3, in run" in capsys.readouterr().err


REPLACED = """
import builtins

def double(x):
    return 2 * x

builtins.abs = double
del builtins.sum, builtins.vars
called = []

def run(options, workload):
    called.append(abs(1))
    assert not hasattr(builtins, "sum")
"""


@pytest.mark.parametrize("mode", ["plain", "count"])
def test_every_call_has_the_built_ins_that_the_program_put_in_place(run: Any, mode: str) -> None:
    """The profiled one too; afterwards they are as they were."""
    code, result = run(REPLACED, mode=mode, workload={})
    assert (code, result["status"]) == (0, "ok"), result
    assert sys.modules["entry_of_test"].called == [2, 2, 2]
    assert result["profile"] is not None
    assert (abs(-1), sum([1])) == (1, 1)


DEEP = """
import sys
sys.setrecursionlimit(sys.getrecursionlimit() + 100)

def run(options, workload):
    assert sys.getrecursionlimit() == workload["limit"] + 100, sys.getrecursionlimit()
    assert walk(workload["depth"], options["fast"]) == 1
    if options["fast"] == 0: pass
""" + "".join(f"    elif options['fast'] == {at}: pass\n" for at in range(2, 900))
DEEP += """
def walk(n, one):
    return sum(walk(n - 1, one) for _ in range(1)) if n else one
"""


@pytest.mark.parametrize("mode", ["plain", "count", "taint"])
def test_recursion_and_source_may_be_as_deep_as_in_the_plain_program(run: Any, mode: str) -> None:
    limit = sys.getrecursionlimit()
    # CPython 3.12 bounds how deep C and Python call one another in turn, and nobody can raise that: where a model stands
    # between a built-in and the program, less than half of the plain depth is left.
    bounded = mode == "taint" and sys.version_info[:2] == (3, 12)
    workload = {"limit": limit, "depth": 200 if bounded else limit // 2 - 200}
    try:
        code, result = run(DEEP, mode=mode, profile=False, workload=workload, options={"fast": 1})
    finally:
        sys.setrecursionlimit(limit)
    assert (code, result.get("message")) == (0, None)
    if mode == "taint":
        assert result["trace"]["unfollowed"] == {}


@pytest.mark.parametrize("mode", ["count", "taint"])
def test_a_module_that_cannot_be_rewritten_runs_as_it_is_and_is_named(
    run: Any, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise IndentationError

    monkeypatch.setattr("probe.counting.CounterInserter.counted", broken)
    monkeypatch.setattr("probe.rewriting.UNINSTRUMENTED", {})
    monkeypatch.setattr("probe.taint.records.UNINSTRUMENTED", probe.rewriting.UNINSTRUMENTED)
    code, result = run(TWO_OPTIONS, mode=mode, profile=False)
    assert code == 0
    assert result["counts"]["regions"] == {}
    if mode == "taint":
        assert result["trace"]["unfollowed"]["module: entry_of_test (IndentationError())"] == 1


def test_a_module_without_source_runs_and_is_named(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "no_source.py").write_text("def work():\n    return 7\n", encoding="utf-8")
    py_compile.compile(str(tmp_path / "no_source.py"), cfile=str(tmp_path / "no_source.pyc"))
    (tmp_path / "no_source.py").unlink()
    monkeypatch.setattr("probe.rewriting.UNINSTRUMENTED", {})
    monkeypatch.setattr("probe.taint.records.UNINSTRUMENTED", probe.rewriting.UNINSTRUMENTED)
    text = "import no_source\n\ndef run(options, workload):\n    return no_source.work()\n"
    code, result = run(text, mode="taint", profile=False, packages=["entry_of_test", "no_source"])
    assert code == 0
    assert result["trace"]["unfollowed"]["module: no_source (compiled, without source)"] == 1


def test_the_probe_imports_the_standard_library_and_itself_only() -> None:
    for path in Path(probe.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert all(alias.name.split(".")[0] in sys.stdlib_module_names for alias in node.names), path
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert (node.module or "").split(".")[0] in sys.stdlib_module_names, path


def test_the_probe_is_written_in_python_that_38_reads() -> None:
    for path in Path(probe.__file__).parent.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 8))
