"""A `subject.toml` is read as it is written, or refused with every fault at once."""

from pathlib import Path

import pytest

from runner.errors import SubjectFault, SubjectInvalid
from runner.subject_files import load_subject
from runner.subjects import FolderRevisions
from tests.runner.throwaway import SUBJECT, write_subject

SHIPPED = Path(__file__).resolve().parents[2] / "subjects"

BROKEN = """
nmae = "Broken"
regions = ["not a package"]
[revisions]
source = "pypi"
min = "one"
[install]
timeout_seconds = "long"
[options.fast]
levels = [true]
[options.size]
levels = [1, 2, 2]
reference = 3
[options.mode]
levels = ["a", [1]]
colour = "red"
[[constraints]]
forbidden = { fats = true, size = 9 }
[[constraints]]
if = { fast = true }
[workloads.small]
seed = 1979-05-27
[entry]
callable = "entry.run"
[limits]
memory_megabytes = 1
"""


SHORT = """
name = "Tabulate"
regions = ["tabulate"]
revisions = { source = "pypi", package = "tabulate" }
options = { fmt = ["simple", "grid"], index = [false, true], align.levels = ["left", "right"] }
entry.callable = "entry:run"
"""


def faults(folder: Path) -> dict[str, SubjectFault]:
    with pytest.raises(SubjectInvalid) as refused:
        load_subject(folder)
    return {fault.key: fault for fault in refused.value.faults}


def test_five_lines_are_a_subject(tmp_path: Path) -> None:
    """An option may be a list of its levels; without workloads there is one that asks for nothing."""
    subject = load_subject(write_subject(tmp_path, toml=SHORT))
    assert {name: option.levels for name, option in subject.options.items()} == {
        "fmt": ("simple", "grid"), "index": (False, True), "align": ("left", "right"),
    }  # fmt: skip
    assert subject.workloads == {"regular": {}}


def test_without_revisions_the_folder_itself_is_the_one_revision(tmp_path: Path) -> None:
    text = 'name = "Own"\nregions = ["entry"]\noptions.fast = [false, true]\nentry.callable = "entry:run"\n'
    subject = load_subject(write_subject(tmp_path, toml=text))
    assert subject.revisions == FolderRevisions(source="folder", path=".")


def test_the_faults_of_an_option_that_is_a_list_are_those_of_its_levels(tmp_path: Path) -> None:
    text = SHORT.replace('["simple", "grid"]', "[1]").replace("[false, true]", '["a", [1]]')
    found = faults(write_subject(tmp_path, toml=text))
    assert set(found) == {"options.fmt.levels", "options.index.levels[1]"}


def test_all_faults_are_told_at_once_each_with_its_place_value_and_remedy(tmp_path: Path) -> None:
    found = faults(write_subject(tmp_path, toml=BROKEN))
    assert set(found) == {
        "nmae", "name", "regions[0]", "revisions.package", "revisions.min", "install.timeout_seconds",
        "options.fast.levels", "options.size.levels", "options.size.reference", "options.mode.levels[1]",
        "options.mode.colour", "constraints[0].forbidden.fats", "constraints[0].forbidden.size",
        "constraints[1]", "workloads.regular", "workloads.small.seed", "entry.callable",
        "limits.memory_megabytes",
    }  # fmt: skip
    assert found["nmae"].remedy == "did you mean name?"
    assert found["options.size.reference"].value == "3"
    assert found["options.size.reference"].remedy == "write one of 1, 2, 2"
    assert all(
        fault.file == tmp_path / "subject.toml" and fault.problem and fault.remedy for fault in found.values()
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [(b"name = ", "not TOML"), (b"name = '\xff'", "not UTF-8"), (None, "missing")],
)
def test_a_file_that_cannot_be_read_is_one_fault(tmp_path: Path, text: bytes | None, problem: str) -> None:
    write_subject(tmp_path)
    (tmp_path / "subject.toml").unlink()
    if text is not None:
        (tmp_path / "subject.toml").write_bytes(text)
    (fault,) = faults(tmp_path).values()
    assert problem in fault.problem


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ('callable = "entry:run"', 'callable = "nowhere:run"', "entry.callable"),
        ('callable = "entry:run"', 'callable = "entry:walk"', "entry.callable"),
        ('callable = "entry:run"', "", "entry"),
        ('callable = "entry:run"', 'callable = "entry:run"\ncommand = ["true", "{fast}"]', "entry"),
        ('path = "program"', 'path = "elsewhere"', "revisions.path"),
        ('source = "folder"', 'source = "svn"', "revisions"),
        ("[options.fast]", "[options.only]", "options.only"),
        ("[workloads.regular]", "[workloads.usual]", "workloads.regular"),
        ('regions = ["tiny"]', 'regions = ["tiny"]\nconstraints = 1', "constraints"),
        ('regions = ["tiny"]', 'regions = ["tiny"]\n[install]\ncommands = [["make", "{nothing}"]]', "install.commands[0]"),
        ('regions = ["tiny"]', 'regions = ["tiny"]\n[install]\nbuilt = ["../secret"]', "install.built[0]"),
    ],
)  # fmt: skip
def test_a_slip_is_named_by_its_key(tmp_path: Path, old: str, new: str, key: str) -> None:
    assert old in SUBJECT
    assert set(faults(write_subject(tmp_path, toml=SUBJECT.replace(old, new)))) == {key}


@pytest.mark.parametrize(
    ("command", "key"),
    [
        ('["prog", "{slow}", "{fast}"]', "entry.command[1]"),
        ('["prog", "{fast"]', "entry.command[1]"),
        ('["prog", "{workload.colour}", "{fast}"]', "entry.command[1]"),
        ('["prog"]', "options.fast"),
        ('["prog", "{options}"]', "options.fast"),
    ],
)
def test_a_command_is_checked_word_by_word(tmp_path: Path, command: str, key: str) -> None:
    text = SUBJECT.replace('callable = "entry:run"', f"command = {command}").replace('regions = ["tiny"]', "")
    assert key in faults(write_subject(tmp_path, toml=text))


def test_constraints_become_forbidden_combinations(tmp_path: Path) -> None:
    text = SUBJECT.replace(
        "[options.fast]",
        """
[[constraints]]
if = { fast = true }
requires = { level = 2 }
excludes = { mode = "b" }
[[constraints]]
forbidden = { level = 1, mode = "a" }
[options.level]
levels = [1, 2, 3]
[options.mode]
levels = ["a", "b"]
[options.fast]""",
    )
    assert load_subject(write_subject(tmp_path, toml=text)).forbidden == (
        {"fast": True, "mode": "b"},
        {"fast": True, "level": 1},
        {"fast": True, "level": 3},
        {"level": 1, "mode": "a"},
    )


def test_the_digest_moves_with_content_and_not_with_caches(tmp_path: Path) -> None:
    before = load_subject(write_subject(tmp_path)).digest
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "entry.pyc").write_bytes(b"x")
    assert load_subject(tmp_path).digest == before
    (tmp_path / "program" / "tiny.py").write_text("y = 1\n", encoding="utf-8")
    assert load_subject(tmp_path).digest != before


@pytest.mark.parametrize("folder", sorted(SHIPPED.iterdir()), ids=lambda folder: folder.name)
def test_the_shipped_subjects_are_valid(folder: Path) -> None:
    subject = load_subject(folder)
    assert {"regular", "small"} <= set(subject.workloads)


def test_a_fault_is_told_as_a_sentence(tmp_path: Path) -> None:
    """`limits.timout_seconds = 60: is not a known key` was none."""
    fault = SubjectFault(tmp_path, "limits.timout_seconds", "60", "is not a known key", "did you mean it?")
    assert str(fault).endswith(": limits.timout_seconds is not a known key (given as 60); did you mean it?")
