"""`make lock`: compile the locks from pyproject.toml; pins stay as they are unless `--upgrade` is given.

The first line of a lock carries the hash of the declarations it was compiled from: the test of the lock reads it.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK, DEVELOPMENT_LOCK = ROOT / "requirements.txt", ROOT / "requirements-dev.txt"
# What a server that signs in by OpenID Connect installs in place of the first.
SSO_LOCK = ROOT / "requirements-sso.txt"
# Resolves for every Python from 3.11 and every system at once; needed here alone, so no dependency.
COMPILER = "uv==0.13.8"


def header() -> str:
    """The first line of an up-to-date lock: it changes with what pyproject.toml asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = {name: project[name] for name in ("requires-python", "dependencies", "optional-dependencies")}
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
    return f"# Compiled by `make lock` from pyproject.toml, whose dependencies hash to {digest}\n"


def compile_lock(uv: Path, lock: Path, *arguments: str) -> None:
    """Compile one lock with hashes and without index addresses."""
    flags = (
        "--universal",
        "--python-version",
        "3.11",
        "--generate-hashes",
        "--no-header",
        "--no-emit-index-url",
    )
    command = [str(uv), "--quiet", "--no-config", "pip", "compile", *flags, "pyproject.toml", *arguments]
    subprocess.run([*command, "--output-file", lock.name], cwd=ROOT, check=True)
    lock.write_text(header() + lock.read_text())


def main() -> None:
    """Compile the lock, then those with extras beneath the same pins."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--upgrade", action="store_true", help="move every pin to its newest release")
    upgrade = ("--upgrade",) if parser.parse_args().upgrade else ()
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--target", folder, COMPILER], check=True)
        uv = Path(folder) / "bin" / "uv"
        compile_lock(uv, LOCK, *upgrade)
        compile_lock(uv, SSO_LOCK, "--extra", "sso", "--constraint", LOCK.name, *upgrade)
        extras = [word for name in ("dev", "mcp", "sso") for word in ("--extra", name)]
        pinned = [word for lock in (LOCK, SSO_LOCK) for word in ("--constraint", lock.name)]
        compile_lock(uv, DEVELOPMENT_LOCK, *extras, *pinned, *upgrade)
    print(f"{LOCK.name}, {SSO_LOCK.name} and {DEVELOPMENT_LOCK.name} are up to date")


if __name__ == "__main__":
    main()
