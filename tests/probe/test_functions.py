"""Functions are found by line, named stably, and hashed by what they do."""

import sys
from pathlib import Path

import pytest

from probe.functions import SourceFile, relative_to_path

SOURCE = '''"""A module."""
import functools


def plain(x):
    """Say nothing."""
    return [y for y in range(x)]


class Outer:
    names = ["a"]

    @property
    def value(self):
        return 1

    @value.setter
    def value(self, new):
        self.new = new

    class Inner:
        def method(self):
            def nested():
                return (lambda: 1)()
            return nested()


if True:
    @functools.lru_cache(
        maxsize=1
    )
    async def branch():
        class Local:
            def deep(self):
                pass


twice = lambda x: 2 * x
'''


@pytest.fixture
def file(tmp_path: Path) -> SourceFile:
    path = tmp_path / "thing.py"
    path.write_text(SOURCE, encoding="utf-8")
    return SourceFile("pack.thing", str(path))


def line_of(text: str) -> int:
    return next(at for at, line in enumerate(SOURCE.splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("text", "name", "span"),
    [
        ("def plain", "plain", ("def plain", "return [y")),
        ("return [y", "plain", ("def plain", "return [y")),
        ("@property", "Outer.value", ("@property", "return 1")),
        ("self.new", "Outer.value#2", ("@value.setter", "self.new")),
        ("(lambda: 1)", "Outer.Inner.method", ("def method", "return nested()")),
        ("def deep", "branch", ("@functools", "pass")),
        ("twice", "<module>", ('"""A module', "twice")),
        ("names =", "<module>", ('"""A module', "twice")),
    ],
)
def test_a_line_belongs_to_the_outermost_function_around_it(
    file: SourceFile, text: str, name: str, span: tuple[str, str]
) -> None:
    function = file.region_at(line_of(text), "other")
    assert function.key == f"pack.thing:{name}"
    assert (function.first_line, function.last_line) == (line_of(span[0]), line_of(span[1]))
    assert function.source == "".join(
        SOURCE.splitlines(keepends=True)[function.first_line - 1 : function.last_line]
    )


def test_without_a_source_the_code_tells_its_name() -> None:
    function = SourceFile("pack.thing", "/nowhere/thing.py").region_at(7, "Thing.run.<locals>.inner")
    assert (function.qualified_name, function.first_line, function.source) == ("Thing.run", 7, "")


def body_hash(tmp_path: Path, text: str) -> str:
    path = tmp_path / "one.py"
    path.write_text(text, encoding="utf-8")
    line = next(at for at, words in enumerate(text.splitlines(), 1) if "def " in words)
    return SourceFile("one", str(path)).region_at(line, "").body_hash


SAME = "def run(x):\n    y = x + 1\n    return y\n"


@pytest.mark.parametrize(
    "text",
    [
        "def walk(x):\n    y = x + 1\n    return y\n",
        'def run(x):\n    """Run."""\n    y = x + 1\n    return y\n',
        'def run(x):\n    """Run.\n\n    Fast.\n    """\n\n    y = x+1  # one more\n\n    return y\n',
        "class A:\n    def run(x):\n        y = x + 1\n        return y\n",
        "@cached\ndef run(x):\n    y = x + 1\n    return y\n",
    ],
)
def test_name_place_and_comments_do_not_move_the_hash(tmp_path: Path, text: str) -> None:
    assert body_hash(tmp_path, text) == body_hash(tmp_path, SAME)


@pytest.mark.parametrize(
    "text",
    [
        "def run(x):\n    y = x + 2\n    return y\n",
        "def run(z):\n    y = x + 1\n    return y\n",
        "def run(x):\n    if x:\n        y = x + 1\n        return y\n",
        "def run(x):\n    y = x + 1\n    return run(y)\n",
        "async def run(x):\n    y = x + 1\n    return y\n",
    ],
)
def test_what_it_does_moves_the_hash(tmp_path: Path, text: str) -> None:
    assert body_hash(tmp_path, text) != body_hash(tmp_path, SAME)


def test_a_block_that_ends_elsewhere_moves_the_hash(tmp_path: Path) -> None:
    inside = "def run(x):\n    if x:\n        a()\n        b()\n"
    after = "def run(x):\n    if x:\n        a()\n    b()\n"
    assert body_hash(tmp_path, inside) != body_hash(tmp_path, after)


def test_a_renamed_recursive_function_is_told_by_its_call(tmp_path: Path) -> None:
    assert body_hash(tmp_path, "def f(x):\n    return f(x)\n") != body_hash(
        tmp_path, "def f(x):\n    return g(x)\n"
    )


def test_a_very_long_function_is_carried_without_its_text(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text(
        "def table():\n    return [\n" + "        1234567,\n" * 9000 + "    ]\n", encoding="utf-8"
    )
    function = SourceFile("long", str(path)).region_at(1, "")
    assert (function.source, function.last_line) == ("", 9003)


def test_files_are_named_from_where_modules_are_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "site")])
    assert relative_to_path(str(tmp_path / "site" / "pack" / "thing.py")) == "pack/thing.py"
    assert relative_to_path("/elsewhere/thing.py") == "thing.py"
