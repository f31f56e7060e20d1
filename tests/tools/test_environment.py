"""The virtual environment is made once, recovers from an interruption, and says in one line what is wrong."""

import fcntl
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tools import environment
from tools.demo import write_key
from tools.environment import BootstrapError, bootstrap

ROOT = Path(__file__).resolve().parent.parent.parent
LOCK, SSO_LOCK, DEVELOPMENT_LOCK = "requirements.txt", "requirements-sso.txt", "requirements-dev.txt"


@dataclass
class Project:
    """A project in a folder with a space in its name; making and installing are counted instead of done."""

    folder: Path
    made: int = 0
    installed: list[str] = field(default_factory=list)
    interruption: BaseException | None = None

    def make(self) -> None:
        """Stand in for the making of an environment: this Python under the expected name."""
        self.made += 1
        shutil.rmtree(self.folder / ".venv", ignore_errors=True)
        (self.folder / ".venv" / "bin").mkdir(parents=True)
        (self.folder / ".venv" / "bin" / "python").symlink_to(sys.executable)

    def install(self, lock: str) -> None:
        """Stand in for pip."""
        if self.interruption is not None:
            raise self.interruption
        self.installed.append(lock)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The functions of `tools.environment` work on this project."""
    made = Project(tmp_path / "a project")
    made.folder.mkdir()
    for lock in (LOCK, SSO_LOCK, DEVELOPMENT_LOCK):
        (made.folder / lock).write_text("# no package\n")
    venv = made.folder / ".venv"
    monkeypatch.setattr(environment, "ROOT", made.folder)
    monkeypatch.setattr(environment, "VENV", venv)
    monkeypatch.setattr(environment, "PYTHON", venv / "bin" / "python")
    monkeypatch.setattr(environment, "UNFINISHED", venv / "perfatlas-unfinished")
    monkeypatch.setattr(environment, "_create", made.make)
    monkeypatch.setattr(environment, "_install", made.install)
    return made


def test_a_second_call_does_nothing(project: Project) -> None:
    """The stamp holds the hash of the lock."""
    bootstrap(LOCK)
    bootstrap(LOCK)
    assert (project.made, project.installed) == (1, [LOCK])


def test_a_changed_lock_is_installed_into_the_same_environment(project: Project) -> None:
    """What is there already need not come again."""
    bootstrap(LOCK)
    (project.folder / LOCK).write_text("# another package\n")
    bootstrap(LOCK)
    assert (project.made, project.installed) == (1, [LOCK, LOCK])


def test_the_development_lock_brings_the_other_along(project: Project) -> None:
    """It holds every pin of it; the reverse does not hold."""
    bootstrap(DEVELOPMENT_LOCK)
    bootstrap(LOCK)
    assert project.installed == [DEVELOPMENT_LOCK]


@pytest.mark.parametrize(
    "interruption", [KeyboardInterrupt(), BootstrapError("pip failed"), OSError("disk is full")]
)
def test_after_an_interruption_all_is_made_anew(project: Project, interruption: BaseException) -> None:
    """Half an environment cannot be told from a whole one, so none is kept."""
    project.interruption = interruption
    with pytest.raises(type(interruption)):
        bootstrap(LOCK)
    project.interruption = None
    bootstrap(LOCK)
    bootstrap(LOCK)
    assert (project.made, project.installed) == (2, [LOCK])


def test_an_environment_whose_python_is_gone_is_made_anew(project: Project) -> None:
    """As after an upgrade of the system."""
    bootstrap(LOCK)
    (project.folder / ".venv" / "bin" / "python").unlink()
    bootstrap(LOCK)
    assert (project.made, project.installed) == (2, [LOCK, LOCK])


def test_what_pip_cannot_install_is_one_last_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of pip's output stands above it."""
    (tmp_path / LOCK).write_text("perfatlas-absent==1.0 --hash=sha256:" + "0" * 64 + "\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "PYTHON", Path(sys.executable))
    with pytest.raises(BootstrapError, match="perfatlas-absent") as raised:
        environment._install(LOCK)
    assert str(raised.value).splitlines()[-1] == "pip could not install requirements.txt: see above"


@pytest.fixture
def copied_tools(tmp_path: Path) -> Path:
    """The real tools beside a lock without packages."""
    folder = tmp_path / "a project"
    (folder / "tools").mkdir(parents=True)
    for name in ("bootstrap.py", "environment.py"):
        shutil.copy(ROOT / "tools" / name, folder / "tools" / name)
    (folder / LOCK).write_text("# no package\n")
    return folder


def _run(folder: Path, *, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [python, "-E", "-s", "tools/bootstrap.py", LOCK]
    quiet = {"PATH": os.defpath, "PIP_NO_INDEX": "1"}
    return subprocess.run(command, cwd=folder, env=quiet, capture_output=True, text=True, check=False)


def test_a_real_environment_is_made_without_any_variable_set(copied_tools: Path) -> None:
    """In a folder with a space in its name; the second call is silent."""
    first = _run(copied_tools)
    assert first.returncode == 0, first.stderr
    assert "Making .venv" in first.stdout
    python = copied_tools / ".venv" / "bin" / "python"
    assert subprocess.run([python, "-c", "import pip"], check=False).returncode == 0
    second = _run(copied_tools)
    assert (second.returncode, second.stdout, second.stderr) == (0, "", "")


def _answers(python: str) -> bool:
    return subprocess.run([python, "-V"], capture_output=True, check=False).returncode == 0


def test_an_old_python_gets_one_line(copied_tools: Path) -> None:
    """Whatever its age, it can read the first file."""
    names = ("python2.7", "python3.6", "python3.7", "python3.8", "python3.9", "python3.10")
    old = next(filter(_answers, filter(None, map(shutil.which, names))), None)
    if old is None:
        pytest.skip("no interpreter older than Python 3.11 is installed")
    done = _run(copied_tools, python=old)
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


def test_of_two_that_start_at_once_one_writes_the_key(tmp_path: Path) -> None:
    """The other waits and finds it: sessions that one signed are good for both."""
    path = tmp_path / ".env"
    folder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    with ThreadPoolExecutor() as pool:
        written = [pool.submit(write_key, path) for _ in range(2)]
        assert not wait(written, timeout=0.3).done
        os.close(folder)
        assert sorted(one.result() for one in written) == [False, True]
