"""The files of the project as git sees them: tracked, or new and not ignored."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@cache
def tracked_files() -> tuple[Path, ...]:
    """Every file that is or will be in the repository, as absolute paths."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return tuple(path for name in sorted(names.split("\0")) if name and (path := ROOT / name).is_file())


@cache
def python_modules() -> tuple[Path, ...]:
    """Every Python module but migrations, which Django writes."""
    return tuple(path for path in tracked_files() if path.suffix == ".py" and "migrations" not in path.parts)


@cache
def syntax_tree(path: Path) -> ast.Module:
    """The parsed module."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def place(path: Path, line: int = 0) -> str:
    """Where something is, as a person clicks on it."""
    name = path.relative_to(ROOT).as_posix()
    return f"{name}:{line}" if line else name
