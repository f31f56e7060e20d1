"""What one traced call leaves behind: decisions, steps of propagation, and what could not be followed."""

from dataclasses import dataclass
from typing import Any

from ..rewriting import UNINSTRUMENTED  # noqa: TID252 - the probe runs under another name
from .flows import FLOWS
from .lately import KnownLately, Lately, keep


@dataclass(frozen=True)
class InstrumentedSite:
    """A point in the source at which taints are recorded. `kind` is that of the decision or step, `text` its source line.

    `writes` names what the step gives a taint to, `reads` what it may have it from (see `places`). `until` is the last line that
    a decision has a say in; 0 where it may leave its function. `way` is the innermost way of a statement that it stands on, as
    "line:column:kind" of the counter that tells how often that is taken (see `probe.counting`), empty where none does.
    """

    module: str
    file: str
    line: int
    column: int
    kind: str
    text: str
    writes: str = ""
    reads: tuple[str, ...] = ()
    until: int = 0
    way: str = ""


class TaintRecord:
    """Everything recorded so far in this process, for all threads.

    `decisions` holds (site, td without tc, tc), `last` those of each site's last one, `under` the tc of its last one
    without a td, `steps` for each site the taints that went through it, joined, `unfollowed_calls` what is not followed, and how
    often a taint went into it.
    """

    def __init__(self) -> None:
        self.decisions: set[tuple[int, int, int]] = set()
        self.last: list[tuple[int, int]] = []
        self.under: list[int] = []
        self.steps: list[int] = []
        self.unfollowed_calls: dict[Any, tuple[int, Any]] = {}
        # What was read of a container by its key, or of an attribute that is a source, or given to a function, whatever was done with
        # it then.
        self.got = 0

    def clear(self) -> None:
        """Forget everything."""
        self.decisions.clear()
        self.last[:] = [(0, 0)] * len(self.last)
        self.under[:] = [0] * len(self.under)
        self.steps[:] = [0] * len(self.steps)
        self.unfollowed_calls.clear()
        self.got = 0
        # What went through a step is noted when it is not what went through last.
        FLOWS.forget_last()

    def read(self, taint: int) -> int:
        """Note that a value of this `taint` was got from what holds it; returns the taint."""
        self.got |= taint
        return taint

    def read_all(self, taints: tuple[int, ...]) -> None:
        """Note that a function gets arguments of these `taints`."""
        for taint in taints:
            self.got |= taint

    def decide(self, site: int, taint: int, control: int, lately: KnownLately = None) -> None:
        """Note a decision of data `taint` under `control`; `lately`: see `Flows.lately`, where that is known."""
        if type(lately) is Lately:
            # Between two decisions here that this call led to, others may have led here, too.
            seen = taint, control
            if seen in lately.decided[site]:
                return
            keep(lately.decided[site], seen, None)
        FLOWS.note_control(site, control, lately)
        taint &= FLOWS.options
        control &= FLOWS.options
        if taint or control:
            self.steps[site] |= taint
            self.decisions.add((site, taint & ~control, control))

    def step(self, site: int, taint: int, lately: KnownLately = None) -> int:
        """Note a step that `taint` goes through, unless its site is not known (-1); returns it as it leaves the step."""
        if site < 0 or not taint:
            return taint
        if type(lately) is not Lately:
            lately = FLOWS.lately(lately)
        return lately.steps[site].get(taint) or self.step_of(lately, site, taint)

    def step_of(self, lately: Lately, site: int, taint: int) -> int:
        """As `step` of what has not gone through it lately."""
        self.steps[site] |= taint & FLOWS.options
        return FLOWS.through_anew(lately, site, taint, lately.steps[site])

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
# The kind of sites that pass arguments.
CALL = "call"


def new_site(site: InstrumentedSite) -> int:
    """Return the number of a new site."""
    SITES.append(site)
    RECORD.last.append((0, 0))
    RECORD.under.append(0)
    RECORD.steps.append(0)
    return len(SITES) - 1
