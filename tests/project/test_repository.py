"""What may be in the repository: nothing of one machine, nothing large, nothing copied from the reference data."""

import re
import socket
from pathlib import Path

from tests.project.tracked import ROOT, place, tracked_files
from tools.lock import DEVELOPMENT_LOCK, LOCK, SSO_LOCK, header

LARGEST_BYTES = 10 * 1024 * 1024
# Written in pieces, so that this file does not hold what it looks for.
_FOLDERS = "|".join(("wo" + "rk", "ro" + "ot", "far" + "m", "ho" + r"me/\w+", "Use" + r"rs/\w+"))
_INDEX = "|".join(("--(extra-)?index" + "-url", "--find" + "-links", "pypi" + r"\.org/simple"))
FORBIDDEN = re.compile(rf"(?<![\w.$])/({_FOLDERS})/|{_INDEX}")


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def test_no_file_names_a_path_of_one_machine_or_a_package_index() -> None:
    """Neither a usual folder of a person or server, nor this very checkout, nor this host."""
    names = [str(ROOT)]
    if len(socket.gethostname()) > 8:  # a short name is a word like any other
        names.append(socket.gethostname())
    pattern = re.compile("|".join([FORBIDDEN.pattern, *map(re.escape, names)]))
    found = [
        f"{place(path, number)}: {line.strip()[:120]}"
        for path in tracked_files()
        for number, line in enumerate(_lines(path), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)


def test_the_search_for_paths_finds_them() -> None:
    """A sample of each kind is found; words and addresses that only look alike are not."""
    for bad in ("cd /wo" + "rk/main", '"/ro' + 'ot/x"', "/ho" + "me/ann/x", "pip --index" + "-url x"):
        assert FORBIDDEN.search(bad), bad
    for good in ("the house/work/play", "../shared/data", "/app/work/", "https://example.org/work/"):
        assert not FORBIDDEN.search(good), good


def test_no_file_is_larger_than_the_demo_data_may_be() -> None:
    """Ten megabytes."""
    sizes = {path: path.stat().st_size for path in tracked_files()}
    assert not [f"{place(path)}: {size} bytes" for path, size in sizes.items() if size > LARGEST_BYTES]


def test_no_reference_data_is_copied_into_the_repository(reference_data: Path) -> None:
    """No data file here has the content of one there."""
    sizes = {path.stat().st_size for path in tracked_files()}
    theirs = [path for path in reference_data.rglob("*") if path.is_file() and path.stat().st_size in sizes]
    contents = {path.read_bytes() for path in theirs if path.stat().st_size > 200}
    assert not [place(path) for path in tracked_files() if path.read_bytes() in contents]


def test_the_locks_were_compiled_from_what_pyproject_declares() -> None:
    """Otherwise: `make lock`."""
    for lock in (LOCK, SSO_LOCK, DEVELOPMENT_LOCK):
        assert lock.read_text().startswith(header()), f"{lock.name} is out of date: run `make lock`"


def _pins(lock: Path) -> set[str]:
    return {line.split()[0] for line in lock.read_text().splitlines() if re.match(r"[\w.\[\]-]+==", line)}


def test_the_development_lock_holds_every_pin_of_the_others() -> None:
    """What is tested is what is installed."""
    assert _pins(LOCK) < _pins(SSO_LOCK) < _pins(DEVELOPMENT_LOCK)
    assert len(_pins(LOCK)) > 20
