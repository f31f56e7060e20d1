"""Commits that differ in comments alone hold the same code, where that is asked for."""

import subprocess
from pathlib import Path

import pytest

from runner import State, list_revisions, load_subject
from runner.comments import without_comments
from tests.runner.throwaway import SUBJECT, write_subject

GIT = SUBJECT.replace('source = "folder"\npath = "program"', 'source = "git"\nrepository = "program"')


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("a.py", ["x = 1\n", "# why\n\nx  =  1  # one\n", "x = 2\n"]),
        ("a.py", ["if x:\n  y = '#'\n", "if x:\n    y = '#'  # \n", "if x:\n  y = '# '\n"]),
        ("a.c", ["#define A 1\nint a;\n", "#define A 1 /* one */\n\n// a\nint a; // b\n", "#define A 1 /* */ + 1\nint a;\n"]),
        ("a.js", ["let a = '//';\n", "let a = '//'; /* a */\n", "let a = '// ';\n"]),
    ],
)  # fmt: skip
def test_where_it_is_asked_for_comments_do_not_matter(
    tmp_path: Path, state: State, name: str, texts: list[str]
) -> None:
    """The first two hold the same code, the third does not; nor do those of a language without known comments."""
    place = write_subject(tmp_path, toml=GIT) / "program"
    subprocess.run(["git", "init", str(place)], check=True, capture_output=True)
    commit_all(place, name, texts)
    commit_all(place, "a.txt", ["a\n", "a # b\n"])
    contents = [revision.content for revision in list_revisions(load_subject(tmp_path), state)]
    assert len({*contents[-5:]}) == 5
    text = (tmp_path / "subject.toml").read_text()
    asked = text.replace('source = "git"', 'source = "git"\nignore_comments = true')
    (tmp_path / "subject.toml").write_text(asked)
    for _ in range(2):
        found = list_revisions(load_subject(tmp_path), state)[-5:]
        first, commented, changed, *others = [revision.content for revision in found]
        assert first == commented != changed
        assert len({first, changed, *others}) == 4
        assert [revision.changed_lines for revision in found][1] == 0


def test_what_cannot_be_read_without_comments_counts_as_it_is() -> None:
    """A file with a fault, and one that is not UTF-8."""
    for text in (b"def a(:\n  '\n", b"x = '\xff'  # a\n"):
        assert without_comments(text, "python") == text
    assert without_comments(b"int a; // \xff\n", "c") == b"int a; // \xff\n"


def commit_all(place: Path, name: str, texts: list[str]) -> None:
    """Commit a file of this name with one text after the other."""
    for text in texts:
        (place / name).write_text(text)
        for words in (["add", name], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-m", name]):
            subprocess.run(["git", "-C", str(place), *words], check=True, capture_output=True)
