"""Which functions a commit touches."""

import subprocess
from pathlib import Path

from runner import git_contents
from runner.subjects import GitRevisions


def test_the_functions_that_a_commit_touches_are_told_and_comments_touch_none(tmp_path: Path) -> None:
    """A function, a method, what is outside of all functions, another language, and what this Python cannot read."""
    states = [
        {
            "a.py": "def f():\n    return 1\n\n\nclass C:\n    def g(self):\n        return 2\n",
            "b.c": "int x;\n",
        },
        {
            "a.py": 'def f():\n    """Told."""\n    return 1  # one\n\n\nclass C:\n    def g(self):\n        return 2\n'
        },
        {"a.py": "def f():\n    return 3\n\n\nclass C:\n    def g(self):\n        return 4\n"},
        {"a.py": "LIMIT = 3\n\n\ndef f():\n    return 3\n\n\nclass C:\n    def g(self):\n        return 4\n"},
        {"b.c": "int x; /* a number */\n"},
        {"b.c": "long x;\n", "a.py": "print 'of an older Python'\n"},
        # The parser runs out of its own room.
        {"a.py": f"x = {'lambda: ' * 9999}1\n"},
    ]
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(tmp_path), *who, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    git("init")
    hashes = []
    for state in states:
        for name, text in state.items():
            (tmp_path / name).write_text(text)
        git("add", ".")
        git("commit", "-m", "some")
        hashes.append(git("rev-parse", "HEAD"))
    touched = git_contents.touched_functions(
        tmp_path / ".git", hashes, GitRevisions(source="git", repository=".")
    )
    assert touched[:5] == [set(), set(), {("a.py", "C.g"), ("a.py", "f")}, {("a.py", "<module>")}, set()]
    assert {("b.c", ""), ("a.py", ""), ("a.py", "f")} <= touched[5]
    assert touched[6] == {("a.py", "")}
