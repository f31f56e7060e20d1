"""Rewritten code that one process leaves and the next one reads, told by what runs of it say."""

import json
import marshal
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = """
def used(mode, size=1):
    if mode:
        return [one for one in range(size) if one]
    return later(mode)
def later(mode):
    yield mode
def run(options, workload):
    if options["first"]:
        import {first}
    import {second}
    return used(options["a"]), {second}.helped(options["a"])
"""
PART = "def helped(value):\n    return 1 if value else 2\n"


def traced(folder: Path, *, first: bool, kept: str | None) -> dict[str, Any]:
    """What a process tells that traces the program, in which it imports one module more if `first`."""
    job = {
        "entry": "tale:run",
        "options": {"first": first, "a": 1},
        "workload": {},
        "packages": ["tale", "one", "two"],
        "path": [str(folder)],
        "profile": False,
        "interval_seconds": 0.001,
        "mode": "taint",
        "result": str(folder / "result.json"),
        **({"kept": kept, "made": kept} if kept else {}),
    }
    (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "probe", str(folder / "job.json")], check=True)
    told: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    return {name: told[name] for name in ("counts", "trace")}


def test_kept_code_tells_what_code_that_was_just_rewritten_does(tmp_path: Path) -> None:
    """Its sites are numbered from where those of the module before it end, so what was imported before it counts."""
    (tmp_path / "tale.py").write_text(PROGRAM.format(first="one", second="two"), encoding="utf-8")
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(PART, encoding="utf-8")
    kept = tmp_path / "kept"
    anew = {first: traced(tmp_path, first=first, kept=None) for first in (False, True)}
    assert anew[True] != anew[False]
    for first in (False, True, False, True):
        assert traced(tmp_path, first=first, kept=str(kept)) == anew[first]
    # The second module, once after the first one and once without.
    assert len([*kept.iterdir()]) == 4


def test_what_is_torn_or_something_else_is_rewritten_again(tmp_path: Path) -> None:
    (tmp_path / "tale.py").write_text(PROGRAM.format(first="one", second="two"), encoding="utf-8")
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(PART, encoding="utf-8")
    kept = tmp_path / "kept"
    whole = traced(tmp_path, first=True, kept=str(kept))
    files = {path: path.read_bytes() for path in kept.iterdir()}
    assert len(files) == 3
    for path, content in files.items():
        for broken in (b"", content[:-20], b"i\x01\x00\x00\x00"):
            path.write_bytes(broken)
            assert traced(tmp_path, first=True, kept=str(kept)) == whole
            assert marshal.loads(path.read_bytes()) == marshal.loads(content)  # noqa: S302 - our own
