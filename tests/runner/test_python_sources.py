"""The text of modules is read where a run finds them, and nowhere else."""

from pathlib import Path

from runner.python_sources import PythonModule, python_modules
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, prepared_subject, write_subject


def test_a_folder_that_a_build_links_to_elsewhere_is_not_read(tmp_path: Path, state: RunnerState) -> None:
    """It is ours or somebody else's, and the program itself cannot see it in its sandbox."""
    toml = SUBJECT.replace('regions = ["tiny"]', 'regions = ["tiny", "stranger", "beside"]')
    prepared = prepared_subject(load_subject(write_subject(tmp_path / "subject", toml=toml)), state)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secrets.py").write_text("KEY = 1\n")
    assert prepared.source is not None
    (prepared.source / "stranger").symlink_to(elsewhere)
    (prepared.source / "kept").mkdir()
    (prepared.source / "kept" / "own.py").write_text("x = 1\n")
    (prepared.source / "beside").symlink_to("kept")
    found = list(python_modules(prepared))
    read = {one.name for one in found if isinstance(one, PythonModule)}
    assert {"tiny", "beside.own"} <= read
    assert [one for one in found if isinstance(one, str)] == ["stranger.secrets (no file)"]
