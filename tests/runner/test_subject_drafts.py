"""What is written of a new subject is read without a fault, and runs."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from runner.draft_trials import DraftTrials
from runner.errors import RunnerError
from runner.option_help import OptionProposal
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
    """The options that worked are there; those that end a run are commented out."""
    given = tmp_path / "words.txt"
    given.write_text("one two\nthree\n" * 100)
    folder = tmp_path / "subject"
    folder.mkdir()
    report = DraftTrials(folder, state).command(["wc"], given)
    assert not report.fill_in
    subject = load_subject(folder)
    assert {"bytes", "lines", "words"} <= set(subject.options)
    assert "# [options.version]" in (folder / "subject.toml").read_text()


def test_a_program_that_is_not_there_is_told(state: RunnerState, tmp_path: Path) -> None:
    with pytest.raises(RunnerError, match="there is no program 'no-such-program'"):
        DraftTrials(tmp_path, state).command(["no-such-program"], None)
