"""Interpreters of other versions that the probe is for: it runs inside a subject's environment, not in ours."""

import json
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_OURS = ".".join(platform.python_version_tuple()[:2])
VERSIONS = tuple(version for version in ("3.11", "3.12", "3.13") if version != _OURS)
_ASK = "import json, platform, sys; print(json.dumps([sys.executable, platform.python_version()]))"


def interpreter_of(version: str) -> tuple[str, str] | None:
    """Return executable and full version of an interpreter of `version`, as "3.12"; None if none is installed."""
    for candidate in _candidates(version):
        # A command of pyenv is there for every version that is installed, and fails for all that are not chosen.
        try:
            said = subprocess.run(
                [candidate, "-I", "-c", _ASK], capture_output=True, check=False, text=True, timeout=60
            )
        except OSError:
            continue
        if said.returncode == 0:
            executable, full = json.loads(said.stdout)
            if full.startswith(f"{version}."):
                return executable, full
    return None


def _candidates(version: str) -> Iterator[str]:
    on_path = shutil.which(f"python{version}")
    if on_path is not None:
        yield on_path
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for folder in sorted(root.glob(f"versions/{version}.*/bin")):
        yield str(folder / f"python{version}")
