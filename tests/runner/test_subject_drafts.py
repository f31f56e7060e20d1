"""What is written of a new subject is read without a fault, and runs."""

import ast
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from runner import source_probe
from runner.draft_trials import DraftTrials
from runner.errors import RunnerError
from runner.option_help import OptionProposal
from runner.pip import cause_in
from runner.sample_inputs import likely_kinds, sample
from runner.state import RunnerState
from runner.subject_drafts import INPUT, SubjectDraft
from runner.subject_files import load_subject

FOLDER = ('source = "folder"', 'path = "."')
OPTIONS = (
    OptionProposal("fast", (False, True), {"on": ("--fast",)}, 'says "fast"'),
    OptionProposal("mode", ("default", "a", "b"), {"a": ("--mode=a",), "b": ("--mode=b",)}),
)
UNSURE = (
    OptionProposal(
        "size", ("default", "FILL IN"), {"FILL IN": ("--size={level}",)}, "", "its values are not listed: N"
    ),
)


def _written(draft: SubjectDraft, folder: Path) -> Path:
    (folder / "subject.toml").write_text(draft.toml(), encoding="utf-8")
    if draft.is_python:
        (folder / "program.py").write_text(draft.program(), encoding="utf-8")
    return folder


@pytest.mark.parametrize("command", [("/usr/bin/tool",), ("/usr/bin/tool", "-f", INPUT), ("{source}/tool",)])
@pytest.mark.parametrize("from_input", [True, False])
def test_a_draft_of_a_command_has_no_fault(
    tmp_path: Path, command: tuple[str, ...], *, from_input: bool
) -> None:
    draft = SubjectDraft(
        "tool", "A tool.", FOLDER, command=command, from_input=from_input, options=OPTIONS, unsure=UNSURE
    )
    subject = load_subject(_written(draft, tmp_path))
    assert list(subject.options) == ["fast", "mode"]
    assert "# [options.size]" in draft.toml()


@pytest.mark.parametrize("script", ["tool.cli:main", "tool", ""])
def test_a_draft_of_a_package_has_no_fault(tmp_path: Path, script: str) -> None:
    draft = SubjectDraft("tool", "A tool.", FOLDER, script=script, package="tool", options=OPTIONS)
    subject = load_subject(_written(draft, tmp_path))
    assert subject.entry.callable == "program:run"
    assert subject.regions == ("tool",)
    ast.parse(draft.program())


TOOL = """
import argparse
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fast", dest="is_fast", action="store_true")
    parser.add_argument("--mode", default="plain")
    parser.add_argument("--slow", dest="is_fast", action="store_false")
    parser.add_argument("--both", nargs=0, action=Both)
    parser.parse_args()
    raise ValueError("whatever comes later")
class Both(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        namespace.one = namespace.other = True
"""


def test_what_argparse_calls_the_options_is_where_the_analysis_begins(tmp_path: Path) -> None:
    """An option that changes nothing, or two attributes, has no source."""
    words = {"fast": "--fast", "mode": "--mode=quick", "slow": "--slow", "both": "--both"}
    options = tuple(OptionProposal(name, (False, True), {"on": (word,)}) for name, word in words.items())
    draft = SubjectDraft("tool", "A tool.", FOLDER, script="tool:main", package="tool", options=options)
    _written(draft, tmp_path)
    (tmp_path / "tool.py").write_text(TOOL, encoding="utf-8")
    (tmp_path / "words.txt").write_text("words", encoding="utf-8")
    script = shutil.copyfile(source_probe.__file__, tmp_path / "look.py")
    levels = json.dumps({name: [True] for name in words})
    asked = [sys.executable, "-I", str(script), "words.txt", levels]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    found = json.loads(said)
    assert found == {"fast": "argument:is_fast", "mode": "argument:mode"}
    known = replace(draft, sources=tuple(found.items()))
    sources = load_subject(_written(known, tmp_path)).analysis.sources
    assert sources == {"fast": "argument:is_fast", "mode": "argument:mode"}


CLICK = """
import functools
import click
def logged(function):
    @functools.wraps(function)
    def around(*given, **named):
        return function(*given, **named)
    return around
@click.group()
@click.option("--slow", is_flag=True)
def main(slow):
    pass
@main.command()
@click.option("--fast/--no-fast", "is_fast")
@click.option("--mode", default="plain", type=click.Choice(["plain", "quick"]))
@click.option("--out", type=click.File("w"), default="-")
@click.pass_context
def work(context, is_fast, mode, out):
    raise ValueError("whatever comes later")
@main.command()
@click.option("--deep", is_flag=True)
@logged
def other(deep):
    pass
"""


@pytest.mark.parametrize(
    ("command", "known"), [("work", {"fast", "mode", "slow"}), ("other", {"deep", "slow"})]
)
def test_where_click_hands_the_options_to_the_program_is_where_the_analysis_begins(
    tmp_path: Path, command: str, known: set[str]
) -> None:
    """Those of a group and of its command; a function within a decorator of the program is the one that click calls."""
    of_command = {"fast": ["--fast"], "mode": ["--mode=quick"], "deep": ["--deep"]}
    program = f"""
import sys
def run(options, workload):
    words = {of_command!r}
    before = ["--slow"] if options.get("slow") else []
    sys.argv = ["tool", *before, {command!r}, *(word for name in options for word in words.get(name, []))]
    from tool import main
    main()
"""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    (tmp_path / "tool.py").write_text(CLICK, encoding="utf-8")
    script = shutil.copyfile(source_probe.__file__, tmp_path / "look.py")
    levels = json.dumps({name: [True] for name in known})
    asked = [sys.executable, "-I", str(script), "words.txt", levels]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    every = {
        "slow": "parameter:tool:main.slow",
        "fast": "parameter:tool:work.is_fast",
        "mode": "parameter:tool:work.mode",
        "deep": "parameter:tool:logged.around.deep",
    }
    assert json.loads(said) == {name: every[name] for name in known}


def test_a_level_that_is_the_default_does_not_hide_where_an_option_is_read(tmp_path: Path) -> None:
    choice = OptionProposal("mode", ("default", "plain", "quick"), {})
    draft = SubjectDraft("tool", "A tool.", FOLDER, script="tool:main", package="tool", options=(choice,))
    program = replace(
        draft, options=(replace(choice, arguments={one: (f"--mode={one}",) for one in ("plain", "quick")}),)
    )
    _written(program, tmp_path)
    (tmp_path / "tool.py").write_text(TOOL, encoding="utf-8")
    (tmp_path / "words.txt").write_text("words", encoding="utf-8")
    script = shutil.copyfile(source_probe.__file__, tmp_path / "look.py")
    asked = [sys.executable, "-I", str(script), "words.txt", json.dumps({"mode": choice.levels[1:]})]
    said = subprocess.run(asked, check=True, capture_output=True, text=True).stdout
    assert json.loads(said) == {"mode": "argument:mode"}


def test_commented_options_are_taken_by_uncommenting_them(tmp_path: Path) -> None:
    draft = SubjectDraft("tool", "A tool.", FOLDER, command=("/usr/bin/tool",), options=OPTIONS)
    sure = replace(draft, options=(*OPTIONS, *UNSURE))
    assert "size" in load_subject(_written(sure, tmp_path)).options


def test_inputs_are_the_same_every_time_and_as_long_as_asked() -> None:
    for kind in likely_kinds(""):
        assert sample(kind, 5000) == sample(kind, 5000)
        assert 5000 <= len(sample(kind, 5000)) < 7000
    assert likely_kinds("formats SQL")[0] == "sql"
    assert likely_kinds("beautifies JavaScript; js, not JSON")[:2] == ("js", "json")
    assert likely_kinds("")[0] == "md"


def test_a_command_is_written_as_it_was_tried(state: RunnerState, tmp_path: Path) -> None:
    """The options that worked are there, with what a try showed; those that end a run are commented out."""
    given = tmp_path / "words.txt"
    given.write_text("one two\nthree\n" * 100)
    folder = tmp_path / "subject"
    folder.mkdir()
    report = DraftTrials(folder, state).command(["wc"], given)
    assert not report.fill_in
    subject = load_subject(folder)
    assert {"bytes", "lines", "words"} <= set(subject.options)
    written = (folder / "subject.toml").read_text()
    assert "[options.lines]\n# In a short try a run took " in written
    assert "# [options.version]" in written


def test_a_program_that_is_not_there_is_told(state: RunnerState, tmp_path: Path) -> None:
    with pytest.raises(RunnerError, match="there is no program 'no-such-program'"):
        DraftTrials(tmp_path, state).command(["no-such-program"], None)
    with pytest.raises(
        RunnerError, match=f"there is no folder {tmp_path}/none: name that of a repository, or an address"
    ):
        DraftTrials(tmp_path, state).repository(str(tmp_path / "none"), None)


def test_a_script_of_the_folder_one_stands_in_is_told_to_be_out_of_reach(
    state: RunnerState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only options of the interpreter were looked for, and nothing said so."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tool.py").write_text("raise SystemExit(1)")
    folder = tmp_path / "subject"
    folder.mkdir()
    report = DraftTrials(folder, state).command(["sh", "tool.py"], None)
    assert report.fill_in[0].startswith("tool.py: runs begin in a folder of their own")
    assert report.found[0].endswith("in the help of sh")


def test_a_package_without_a_command_line_is_told_as_that() -> None:
    draft = SubjectDraft("tool", "A tool.", FOLDER, package="tool")
    assert "It has no command line whose help could be read" in draft.toml()
    assert "No option was found in its help" in replace(draft, command=("tool",)).toml()


def test_of_what_pip_printed_the_cause_is_told() -> None:
    printed = "WARNING: an old index\n[notice] a new pip\nERROR: no matching distribution\n"
    assert cause_in(printed) == "ERROR: no matching distribution"
    assert cause_in("WARNING: nothing else") == "WARNING: nothing else"
    crashed = "ERROR: Exception:\nTraceback (most recent call last):\n  File 'pip'\n    read()\nFileNotFoundError: no wheel\n"
    assert cause_in(crashed) == "FileNotFoundError: no wheel"
    assert cause_in("a line\n" * 300).startswith("a line\n")


def test_what_a_program_says_of_itself_adds_nothing_to_what_is_written(
    state: RunnerState, tmp_path: Path
) -> None:
    """It may print what our own look at it prints, and signs that no TOML holds: a subject decides what its runs may reach."""
    folder = tmp_path / "subject"
    folder.mkdir()
    trials = DraftTrials(folder, state)
    told = {"fast": 'argument:fast"\n[sandbox]\nnetwork = true\n#', "made_up": "argument:fast", "bad": 7}
    draft = SubjectDraft("tool", "A \x7ftool.", FOLDER, script="tool", package="tool", options=OPTIONS)
    doubtful = (replace(UNSURE[0], doubt="failed when tried: \x1b[31mred\x07, \x00 and \r more"),)
    subject = load_subject(_written(replace(draft, unsure=doubtful), folder))
    assert subject.description == "A \x7ftool."
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DraftTrials, "_printed", lambda *_: "words\n" + json.dumps(told))
        assert trials._sources(draft) == ()
        patch.setattr(DraftTrials, "_printed", lambda *_: "words\n[1]")
        assert trials._sources(draft) == ()
