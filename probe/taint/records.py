"""What one traced call leaves behind: decisions, steps of propagation, and what could not be followed."""

from dataclasses import dataclass
from typing import Any

from ..rewriting import UNINSTRUMENTED  # noqa: TID252 - the probe runs under another name


@dataclass(frozen=True)
class InstrumentedSite:
    """A point in the source at which taints are recorded. `kind` is that of the decision or step, `text` its source line.

    `writes` names what the step gives a taint to, `reads` what it may have it from (see `places`).
    """

    module: str
    file: str
    line: int
    column: int
    kind: str
    text: str
    writes: str = ""
    reads: tuple[str, ...] = ()


class TaintRecord:
    """Everything recorded so far in this process, for all threads.

    `decisions` holds (site, td without tc, tc), `last` those of each site's last one, `under` the tc of its last one
    without a td, `steps` for each site the taints that went through it, joined, `links` (function, taints of its
    arguments, names of those given by name), `last_links` the last one of each function, `unfollowed_calls`
    what is not followed, and how often a taint went into it.
    """

    def __init__(self) -> None:
        self.decisions: set[tuple[int, int, int]] = set()
        self.last: list[tuple[int, int]] = []
        self.under: list[int] = []
        self.steps: list[int] = []
        self.links: set[tuple[int, tuple[int, ...], tuple[str, ...]]] = set()
        self.last_links: dict[int, tuple[int, tuple[int, ...], tuple[str, ...]]] = {}
        self.unfollowed_calls: dict[Any, tuple[int, Any]] = {}

    def clear(self) -> None:
        """Forget everything."""
        self.decisions.clear()
        self.last[:] = [(0, 0)] * len(self.last)
        self.under[:] = [0] * len(self.under)
        self.steps[:] = [0] * len(self.steps)
        self.links.clear()
        self.last_links.clear()
        self.unfollowed_calls.clear()

    def note_unfollowed(self, what: Any) -> None:
        """Count one more taint that went into `what`, a text or something that was called."""
        key = what if isinstance(what, str) else id(getattr(what, "__func__", what))
        count, _ = self.unfollowed_calls.get(key, (0, what))
        self.unfollowed_calls[key] = (count + 1, what)

    @property
    def unfollowed(self) -> dict[str, int]:
        """How often a taint went into something that is not followed, by its name; modules that are not rewritten."""
        found = {f"module: {name} ({why})": 1 for name, why in UNINSTRUMENTED.items()}
        for count, what in self.unfollowed_calls.values():
            name = what
            if not isinstance(what, str):
                module = getattr(what, "__module__", None) or type(getattr(what, "__self__", None)).__name__
                name = f"call: {module}.{getattr(what, '__qualname__', type(what).__name__)}"
            found[name] = found.get(name, 0) + count
        return found


SITES: list[InstrumentedSite] = []
RECORD = TaintRecord()


def new_site(site: InstrumentedSite) -> int:
    """Return the number of a new site."""
    SITES.append(site)
    RECORD.last.append((0, 0))
    RECORD.under.append(0)
    RECORD.steps.append(0)
    return len(SITES) - 1
