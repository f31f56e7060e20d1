"""What commits are called that are releases: texts name revisions far from where their system is known.

As the time zone of who reads, the names hold for all that is written within `naming_releases`.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

_names: ContextVar[Callable[[], Mapping[str, str]]] = ContextVar("names_of_releases", default=dict)


@contextmanager
def naming_releases(read: Callable[[], Mapping[str, str]]) -> Iterator[None]:
    """Within it commits are called by their release; `read` gives that by the commit, and is asked once, when it is needed."""
    before = _names.set(cache(read))
    try:
        yield
    finally:
        _names.reset(before)


def release_of(commit: str) -> str:
    """The release that a commit is tagged as, `1.4.0`; "" for none."""
    return _names.get()().get(commit, "")
