"""The virtual environment is made once, recovers from an interruption, and says in one line what is wrong."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools import environment
from tools.demo import write_key
from tools.environment import UNFINISHED, VENV, BootstrapError, stamp

ROOT = Path(__file__).resolve().parent.parent.parent
LOCK = "requirements.txt"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the real tools, a lock without packages, and a path with a space."""
    folder = tmp_path / "a project"
    (folder / "tools").mkdir(parents=True)
    for name in ("bootstrap.py", "environment.py"):
        shutil.copy(ROOT / "tools" / name, folder / "tools" / name)
    (folder / LOCK).write_text("# no package\n")
    return folder


def _bootstrap(project: Path, *, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [python, "-E", "-s", "tools/bootstrap.py", LOCK]
    quiet = {"PATH": os.defpath, "PIP_NO_INDEX": "1"}
    return subprocess.run(command, cwd=project, env=quiet, capture_output=True, text=True, check=False)


def _of(project: Path, path: Path) -> Path:
    """The same file in the small project."""
    return project / path.relative_to(ROOT)


def test_it_is_made_once_and_anew_after_an_interruption(project: Path) -> None:
    """A second call says and does nothing; a mark of unfinished work makes the next call start from nothing."""
    first = _bootstrap(project)
    assert first.returncode == 0, first.stderr
    assert "Making .venv" in first.stdout
    assert _of(project, stamp(LOCK)).exists()
    leftover = _of(project, VENV) / "leftover"
    leftover.touch()

    second = _bootstrap(project)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")

    _of(project, UNFINISHED).touch()
    third = _bootstrap(project)
    assert third.returncode == 0, third.stderr
    assert "Making .venv" in third.stdout
    assert not leftover.exists()
    assert not _of(project, UNFINISHED).exists()


def test_a_lock_that_cannot_be_installed_leaves_no_stamp(project: Path) -> None:
    """The end of pip's output is shown, then one line; the next call starts anew."""
    (project / LOCK).write_text("perfatlas-absent==1.0 --hash=sha256:" + "0" * 64 + "\n")
    (project / ".venv" / "bin").mkdir(parents=True)
    done = _bootstrap(project)
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == "pip could not install requirements.txt: see above"
    assert not _of(project, stamp(LOCK)).exists()
    assert _of(project, UNFINISHED).exists()


def _answers(python: str) -> bool:
    return subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0


def test_an_old_python_gets_one_line(project: Path) -> None:
    """Whatever its age, it can read the first file."""
    names = ("python2.7", "python3.6", "python3.7", "python3.8", "python3.9", "python3.10")
    old = next(filter(_answers, filter(None, map(shutil.which, names))), None)
    if old is None:
        pytest.skip("no interpreter older than Python 3.11 is installed")
    done = _bootstrap(project, python=old)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Perfatlas needs Python 3.11 or newer" in done.stderr


def test_the_first_file_can_be_read_by_any_python() -> None:
    """No syntax of Python 3 alone: neither annotations nor f-strings nor keyword-only arguments."""
    text = (ROOT / "tools" / "bootstrap.py").read_text()
    assert not any(new in text for new in ('f"', "f'", "->", ": str", "match ", ":=", "print("))


def test_a_link_in_place_of_the_environment_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What it leads to is somebody's."""
    link = tmp_path / ".venv"
    link.symlink_to(tmp_path / "elsewhere")
    monkeypatch.setattr(environment, "VENV", link)
    with pytest.raises(BootstrapError, match="is a link"):
        environment._create()


def test_the_demo_writes_a_key_once(tmp_path: Path) -> None:
    """Other settings stay; the file is readable by its owner only; each key is another."""
    path = tmp_path / ".env"
    assert write_key(path)
    text = path.read_text()
    assert "PERFATLAS_SECRET_KEY=" in text
    assert path.stat().st_mode & 0o077 == 0
    assert not write_key(path)
    assert path.read_text() == text

    other = tmp_path / "other"
    other.write_text("PERFATLAS_LOG_LEVEL=INFO")
    assert write_key(other)
    assert other.read_text().startswith("PERFATLAS_LOG_LEVEL=INFO\nPERFATLAS_SECRET_KEY=")
    assert text.splitlines()[-1] != other.read_text().splitlines()[-1]
