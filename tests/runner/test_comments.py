"""Commits that differ in comments alone hold the same code, where that is asked for."""

import subprocess
from pathlib import Path

import pytest

from runner.comments import language, without_comments
from runner.revisions import list_revisions
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, write_subject

GIT = SUBJECT.replace('source = "folder"\npath = "program"', 'source = "git"\nrepository = "program"')


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("a.py", ["x = 1\n", "# why\n\nx  =  1  # one\n", "x = 2\n"]),
        ("a.py", ["if x:\n  y = '#'\n", "if x:\n    y = '#'  # \n", "if x:\n  y = '# '\n"]),
        ("a.c", ["#define A 1\nint a;\n", "#define A 1 /* one */\n\n// a\nint a; // b\n", "#define A 1 /* */ + 1\nint a;\n"]),
        ("A.java", ['var a = "//";\n', 'var a = "//"; /* a */\n', 'var a = "// ";\n']),
    ],
)  # fmt: skip
def test_where_it_is_asked_for_comments_do_not_matter(
    tmp_path: Path, state: RunnerState, name: str, texts: list[str]
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


SAME = [
    ("a.c", "#define A 1\nint a;\n", "/* one */\n#define A 1 // two\n\nint  a; /* b\n c */\n"),
    (
        "a.c",
        '#include "a.h"\n#define U "http://one"\n',
        '#include "a.h" // a\n#define U "http://one" /* b */\n',
    ),
    ("a.c", "#define A \\\n 1\nint a;\n", "#define A  \\\n 1 /* it's \" */\n int a;\n"),
    ("a.h", 'auto a = R"x(//)" )x";\n', 'auto a = R"x(//)" )x"; // R"(\n'),
    ("a.cpp", "int a = 1'000'000; char b = '\"';\n", "int a = 1'000'000;  char b = '\"'; // '\n"),
    ("A.java", 'var a = """\n // \\""" "\n""";\n', 'var a = """\n // \\""" "\n"""; /* " */\n'),
    ("a.c", "int a;\r\nint b;\r\n", "int a; // a\r\nint b;\r\n"),
]

OTHERS = [
    ("a.c", '#define U "http://one"\n', '#define U "http://two"\n'),
    ("a.c", '#define G "src/*.c"\nint a; /* */\n', '#define G "src/*.c"\nint b; /* */\n'),
    ("a.c", "#define Q '\"' \"//one\"\n", "#define Q '\"' \"//two\"\n"),
    ("a.c", '#define A "a\\\n//one"\n', '#define A "a\\\n//two"\n'),
    ("a.c", "#if 0 || defined(X)\nint a;\n#endif\n", "#if 0 || defined(X)\nint b;\n#endif\n"),
    ("a.c", "#if 0x10 & F\nint a;\n#endif\n", "#if 0x10 & F\nint b;\n#endif\n"),
    ("a.c", "#if 0 == D\nint a;\n#endif\n", "#if 0 == D\nint b;\n#endif\n"),
    ("a.c", "#include <a//one.h>\n", "#include <a//two.h>\n"),
    ("a.c", "#include <a.h> /* b\nint a; /* c */\n", "#include <a.h>\nint a; /* c */\n"),
    ("a.c", "#define A \\\n\nint a;\n", "#define A \\\nint a;\n"),
    ("a.c", "#define A \\ // a\nint a;\n", "#define A \\\nint a;\n"),
    ("a.c", "// a \\\nint a;\n", "int a;\n"),
    ("a.c", "// a \\ \nint a;\n", "int a;\n"),
    ("a.c", "// a ??/\nint a;\n", "int a;\n"),
    ("a.c", "// a\rint a;\n", "\rint a;\n"),
    ("a.c", "/\\\n/ /*\nint a; /* */\n", "/\\\n/ /*\nint b; /* */\n"),
    ("a.c", "int a = 4 //* */ 2\n;\n", "int a = 4 //* */ 3\n;\n"),
    ("a.h", 'auto a = R"(" // one)";\n', 'auto a = R"(" // two)";\n'),
    ("a.c", "int a = 0'1; b \"//one\"\n", "int a = 0'1; b \"//two\"\n"),
    ("a.c", 'auto a = R"(" //one)";\n', 'auto a = R"(" //two)";\n'),
    ("a.h", 'auto a = "a"R"(" "//one";\n', 'auto a = "a"R"(" "//two";\n'),
    ("a.h", '#define A R"(a"b//one)"\n', '#define A R"(a"b//two)"\n'),
    ("a.h", 'auto a = u8R"x(\n// one\n)x";\n', 'auto a = u8R"x(\n// two\n)x";\n'),
    ("A.java", 'var a = """ \n // one\n""";\n', 'var a = """ \n // two\n""";\n'),
    ("A.java", "// \\u000a int a;\n", "// \\u000a int b;\n"),
    ("a.js", "<!-- one\n", "<!-- two\n"),
    ("a.kt", 'val a = "${f("//")}one"\n', 'val a = "${f("//")}two"\n'),
    ("a.swift", 'let a = #"a " // one"#\n', 'let a = #"a " // two"#\n'),
    ("a.rs", 'let a = cr#"a" // one"#;\n', 'let a = cr#"a" // two"#;\n'),
    ("a.cs", 'var a = $"{f("//")} one";\n', 'var a = $"{f("//")} two";\n'),
    ("a.py", "#!/usr/bin/python -O\nx = 1\n", "#!/usr/bin/python\nx = 1\n"),
    ("a.py", "f'{x=}'\n", "f'{x = }'\n"),
    ("a.py", "f'''{x}\n{f\"{y}\"} {z=}'''\n", "f'''{x}\n{f\"{y}\"} {z =}'''\n"),
    ("a.py", "é = f'é{x=}' + f'{y}'  # é\n", "é = f'é{x=}' + f'{ y}'  # é\n"),
    ("a.py", "# a\rx = 1\n", "# a\n"),
    ("a.py", "\ufefff'{x=}'\n", "\ufefff'{x =}'\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "first", "second"), SAME)
def test_files_that_differ_in_comments_alone_are_equal(name: str, first: str, second: str) -> None:
    assert told(name, first) == told(name, second)


@pytest.mark.parametrize(("name", "first", "second"), OTHERS)
def test_files_that_differ_in_more_are_not(name: str, first: str, second: str) -> None:
    """What looks like a comment may be part of a text; where that is in doubt, a file counts as it is."""
    assert told(name, first) != told(name, second)


def told(name: str, text: str) -> bytes:
    """What is compared of a file of this name."""
    known = language(name)
    return without_comments(text.encode(), known) if known else text.encode()


def commit_all(place: Path, name: str, texts: list[str]) -> None:
    """Commit a file of this name with one text after the other."""
    for text in texts:
        (place / name).write_text(text)
        for words in (["add", name], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-m", name]):
            subprocess.run(["git", "-C", str(place), *words], check=True, capture_output=True)
