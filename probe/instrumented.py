"""Rewritten code that outlives the process: what one of them has made, the next one reads."""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True)
class InstrumentedCode:
    """`kept` is a folder of what was made already; what is not there is left in the folder `made`. None: every process makes it anew."""

    kept: str | None = None
    made: str | None = None

    def name(self, about: str, source: bytes) -> str:
        """Return the name of what was made of a module's `source`; all else that it depends on is in `about`."""
        version = f"{sys.implementation.cache_tag} {sys.hexversion} {sys.flags.optimize} {about} "
        return hashlib.sha256(version.encode() + source).hexdigest()

    def read(self, name: str, *, parts: int) -> tuple[Any, ...] | None:
        """Return the `parts` that were kept under a name, None where none were, or where they are torn."""
        if self.kept is None:
            return None
        with suppress(OSError, EOFError, ValueError, TypeError):
            with open(os.path.join(self.kept, name), "rb") as file:  # noqa: PTH118, PTH123 - see driver
                found = marshal.load(file)  # noqa: S302 - none but this environment's programs wrote it
            if type(found) is tuple and len(found) == parts:
                return found
        return None

    def leave(self, name: str, what: tuple[Any, ...]) -> None:
        """Leave what was made for the next process."""
        if self.made is None:
            return
        # Without room or leave for it, the next process makes it again.
        with suppress(OSError):
            os.makedirs(self.made, exist_ok=True)  # noqa: PTH103
            with open(os.path.join(self.made, name), "wb") as file:  # noqa: PTH118, PTH123
                marshal.dump(what, file)
