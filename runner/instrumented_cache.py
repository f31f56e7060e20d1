"""Code with counters that runs of one environment made, kept for the next ones.

A run reads what is kept and writes what it made into its own scratch folder: the folder of kept code is ours, so that
no program changes what another one's environment holds.
"""

import os
import re
import shutil
from pathlib import Path

from .state import readable_folder

# Digests, as the probe names them.
_NAME = re.compile(r"[0-9a-f]{64}")
MOST_FILES = 10_000
MOST_BYTES = 64 * 1024**2  # of all files of one run


def place_rewritten(environment: Path, probe: Path) -> Path:
    """Return the folder of an environment for code that this `probe` rewrote, made if need be."""
    return readable_folder(readable_folder(environment / "rewritten") / probe.name)


def keep_rewritten(made: Path, kept: Path) -> None:
    """Copy new files of rewritten code from `made`, a program's own folder, to `kept`; anything else is passed over.

    Without room for them, the next run rewrites again.
    """
    left = MOST_BYTES
    try:
        with os.scandir(made) as entries:
            for _, entry in zip(range(MOST_FILES), entries, strict=False):
                size = entry.stat(follow_symlinks=False).st_size
                regular = entry.is_file(follow_symlinks=False) and _NAME.fullmatch(entry.name)
                if not regular or size > left or (kept / entry.name).exists():
                    continue
                left -= size
                _copy(Path(entry.path), kept / entry.name)
    except OSError:
        return


def _copy(source: Path, target: Path) -> None:
    own = target.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(source, os.O_RDONLY | os.O_NOFOLLOW), "rb") as read, own.open("wb") as write:
        shutil.copyfileobj(read, write)
    own.chmod(0o644)
    own.replace(target)
