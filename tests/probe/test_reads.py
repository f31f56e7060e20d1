"""Which options a program reads is noted in the order in which it does so, and nothing else changes."""

import copy
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import probe
from probe import reads

OPTIONS = {"a": 1, "b": 2, "c": 3}


@pytest.mark.parametrize(
    ("use", "read"),
    [
        (lambda own: own["b"] + own["a"] + own["b"], ["b", "a"]),
        (lambda own: own.get("c"), ["c"]),
        (lambda own: own.pop("c"), ["c"]),
        (lambda own: own.setdefault("b", 0), ["b"]),
        (lambda own: "a" in own or list(own) or len(own), []),
        (lambda own: dict(**own), ["a", "b", "c"]),
        (dict, ["a", "b", "c"]),
        (lambda own: {**own}, ["a", "b", "c"]),
        (lambda own: own | {"d": 1}, ["a", "b", "c"]),
        (lambda own: {"d": 1} | own, ["a", "b", "c"]),
        (lambda own: own.copy(), ["a", "b", "c"]),
        (copy.copy, ["a", "b", "c"]),
        (copy.deepcopy, ["a", "b", "c"]),
        (json.dumps, ["a", "b", "c"]),
        (lambda own: own == OPTIONS, ["a", "b", "c"]),
        (lambda own: own != OPTIONS, ["a", "b", "c"]),
        (str, ["a", "b", "c"]),
        (lambda own: [value for name, value in own.items()], ["a", "b", "c"]),
        (lambda own: own.popitem(), ["a", "b", "c"]),
    ],
)
def test_a_mapping_notes_what_is_asked_of_it_and_answers_as_before(use: Any, read: list[str]) -> None:
    reads.READ.clear()
    noted = reads.noted(OPTIONS, {})
    assert use(noted) == use(dict(OPTIONS))
    assert read == reads.READ


def read_by(tmp_path: Path, text: str, sources: dict[str, str]) -> list[str]:
    """What a program of this text reads, run as a job is."""
    (tmp_path / "program_of_test.py").write_text(text, encoding="utf-8")
    job = {
        "entry": "program_of_test:run",
        "options": OPTIONS,
        "workload": {},
        "packages": ["program_of_test"],
        "path": [str(tmp_path)],
        "profile": False,
        "mode": "reads",
        "sources": sources,
        "result": str(tmp_path / "result.json"),
    }
    (tmp_path / "job.json").write_text(json.dumps(job), encoding="utf-8")
    words = [sys.executable, "-m", "probe", str(tmp_path / "job.json")]
    root = str(Path(probe.__file__).parent.parent)
    # A program of the same length that takes its place within a second would be taken for it.
    environment = {**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(words, env=environment, check=False, capture_output=True, timeout=60)
    found: list[str] = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["reads"]
    return found


def test_an_option_with_a_source_is_read_there_and_not_where_it_is_handed_on(tmp_path: Path) -> None:
    text = (
        "import argparse, os\n"
        "class Settings:\n"
        "    deep = 0\n"
        "def run(options, workload):\n"
        "    os.environ['B'] = str(options['b'])\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--a', type=int, default=0)\n"
        "    args = parser.parse_args(['--a', str(options['a'])])\n"
        "    own = Settings()\n"
        "    own.deep = options['c']\n"
        "    if own.deep == 3 and os.environ.get('B') == '2':\n"
        "        return args.a\n"
    )
    named = {"a": "argument:a", "b": "environment:B", "c": "attribute:program_of_test:Settings.deep"}
    assert read_by(tmp_path, text, named) == ["c", "b", "a"]
    assert read_by(tmp_path, text, {}) == ["b", "a", "c"]
    assert read_by(tmp_path, text.replace("own.deep == 3", "own.deep == 4"), named) == ["c"]


def test_a_variable_that_is_read_while_the_module_of_another_source_is_imported_is_noted(
    tmp_path: Path,
) -> None:
    text = (
        "import os\n"
        "BEFORE = os.environ.get('B')\n"
        "class Settings:\n"
        "    deep = 0\n"
        "def run(options, workload):\n"
        "    return Settings().deep\n"
    )
    named = {"a": "attribute:program_of_test:Settings.deep", "b": "environment:B"}
    assert read_by(tmp_path, text, named) == ["b", "a"]


def test_what_hands_on_all_arguments_reads_all_of_them(tmp_path: Path) -> None:
    text = "import argparse\ndef run(options, workload):\n    return vars(argparse.Namespace(**options))\n"
    named = {"a": "argument:a", "b": "argument:b", "c": "argument:c"}
    assert read_by(tmp_path, text, named) == ["a", "b", "c"]


def test_parameters_and_names_of_modules_count_as_read_before_all_else(tmp_path: Path) -> None:
    text = "DEEP = 0\ndef go(b):\n    pass\ndef run(options, workload):\n    return options['a']\n"
    named = {"b": "parameter:program_of_test:go.b", "c": "attribute:program_of_test:DEEP"}
    assert read_by(tmp_path, text, named) == ["b", "c", "a"]


def test_a_program_that_fails_has_read_what_it_read(tmp_path: Path) -> None:
    text = "def run(options, workload):\n    options['c']\n    raise ValueError\n"
    assert read_by(tmp_path, text, {}) == ["c"]
