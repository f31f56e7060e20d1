"""Work without Python's search for cycles of objects, which costs more the more objects there are."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles meanwhile: rows and points by the hundred thousand have none, and looking takes a sixth of the time.

    Objects go as ever when nothing refers to them any more. What forms cycles stays until the end, so use it for some
    seconds at a time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
