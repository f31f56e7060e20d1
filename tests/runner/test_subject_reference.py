"""The reference of `subject.toml` names every key, and its examples can be loaded."""

import re
from pathlib import Path

import pytest

from runner.commands import BUILD_PLACES, PLACES
from runner.subject_files import KEYS, load_subject
from runner.subjects import (
    ConstraintDeclaration,
    EntryPoint,
    FolderRevisions,
    GitRevisions,
    Install,
    Limits,
    OptionDeclaration,
    ReleaseRevisions,
    SandboxSettings,
    Section,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"
REFERENCE = (DOCS / "reference" / "subject-toml.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to" / "measure-your-own-program.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "section",
    [
        GitRevisions,
        FolderRevisions,
        ReleaseRevisions,
        Install,
        OptionDeclaration,
        ConstraintDeclaration,
        EntryPoint,
        Limits,
        SandboxSettings,
    ],
    ids=lambda section: section.__name__,
)
def test_every_key_of_a_section_is_in_the_reference(section: type[Section]) -> None:
    names = [field.alias or name for name, field in section.model_fields.items()]
    assert [name for name in names if not re.search(rf"`{name}\b", REFERENCE)] == []


def test_every_key_at_the_top_and_every_placeholder_is_in_the_reference() -> None:
    sections = {"name", "description", "regions"}
    assert [key for key in KEYS if (f"`{key}`" if key in sections else f"[{key}") not in REFERENCE] == []
    assert [place for place in (*PLACES, *BUILD_PLACES) if f"{{{place}}}" not in REFERENCE] == []


def test_the_example_of_the_reference_can_be_loaded(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", REFERENCE, re.DOTALL)
    (tmp_path / "subject.toml").write_text(example, encoding="utf-8")
    (tmp_path / "counting.py").write_text("def run(options, workload): ...\n", encoding="utf-8")
    (tmp_path / "program").mkdir()
    assert load_subject(tmp_path).name == "Hello"


def test_the_examples_of_the_how_to_can_be_loaded(tmp_path: Path) -> None:
    files = dict(re.findall(r"`([a-z.]+)`:\n\n```\w+\n(.*?)```", HOW_TO, re.DOTALL))
    assert set(files) == {"subject.toml", "writing.py"}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert load_subject(tmp_path).name == "JSON"
    (command,) = re.findall(r'```toml\n(name = "Compressor".*?)```', HOW_TO, re.DOTALL)
    (tmp_path / "subject.toml").write_text(command, encoding="utf-8")
    assert load_subject(tmp_path).name == "Compressor"
