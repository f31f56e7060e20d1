"""The probe's own tests pass on every interpreter that it is for and that is found here."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.probe.interpreters import VERSIONS, interpreter_of

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
# These hand on to numerical libraries, which other interpreters do not have, or would begin all over again.
LEFT_OUT = (
    "test_brute_force",
    "test_chain_callers",
    "test_chain_parameters",
    "test_chain_ways",
    "test_chains",
    "test_chains_containers",
    "test_chains_flows",
    "test_chains_globals",
    "test_chains_many",
    "test_entries",
    "test_figure_2",
    "test_interpreters",
)
# Pytest is written in Python and runs on all of them from where it is; nothing else is taken from there.
LIBRARIES = Path(pytest.__file__).resolve().parent.parent


@pytest.mark.slow("runs all tests of the probe on another interpreter")
@pytest.mark.parametrize("version", VERSIONS)
def test_the_probes_tests_pass_on(version: str, record_property: Callable[[str, object], None]) -> None:
    found = interpreter_of(version)
    if found is None:
        pytest.skip(f"no interpreter of Python {version}")
    executable, full = found
    options = [
        "-c",
        os.devnull,
        f"--rootdir={ROOT}",
        "--import-mode=importlib",
        "--noconftest",
        "-p",
        "no:cacheprovider",
    ]
    left_out = [f"--ignore={FOLDER / name}.py" for name in LEFT_OUT]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": f"{ROOT}{os.pathsep}{LIBRARIES}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        [executable, "-m", "pytest", "-q", "-rs", "-W", "error", *options, *left_out, str(FOLDER)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=False,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    assert "skipped" not in done.stdout.splitlines()[-1], done.stdout[-4000:]
    record_property("interpreter", full)


def test_a_folder_of_pyenv_without_an_interpreter_is_as_good_as_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "versions" / "3.99.0" / "bin").mkdir(parents=True)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreter_of("3.99") is None
