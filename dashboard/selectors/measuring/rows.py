"""What the selectors of measuring hand out: frozen rows, free of Django."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from dashboard.selectors.model_rows import OptionLevels


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """A registered subject: what the browser may choose among, never what is executed.

    `revisions` stand in their order, oldest first; `branches` are the names of unmerged ones with their newest commit and the
    revision that they left; `can_profile` is False for commands, which are timed as a whole.
    `can_count`: counters can be put into its regions, or it is a command, whose instructions can be counted, or, with
    `counts_functions`, calls and branches; `counts`: it asks for that where nobody says otherwise, None where it was
    registered before that was noted. `can_analyze`: its functions can be counted, or traced.
    """

    name: str
    description: str
    registered_at: datetime
    order: str
    options: tuple[OptionLevels, ...]
    workloads: tuple[str, ...]
    revisions: tuple[str, ...]
    timeout_seconds: float
    can_profile: bool
    can_count: bool
    counts: bool | None
    counts_functions: bool
    can_analyze: bool
    branches: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class GridCell:
    """One configuration at one revision: the runs that count, those that failed or were marked invalid, and what waits.

    Failures that later runs made good do not show.
    """

    configuration: int
    revision: int
    ok: int
    failed: int
    invalid: int
    waiting: int

    @property
    def state(self) -> str:
        """The one word that tells most: failed, partly, waiting, ok or invalid."""
        if self.failed:
            return "failed"
        if self.waiting:
            return "partly" if self.ok else "waiting"
        return "ok" if self.ok else "invalid"


@dataclass(frozen=True, slots=True)
class PlanGrid:
    """Configurations (rows) by revisions (columns); cells hold positions in both, absent ones were neither made nor wait.

    `identities` are those of the configurations, also of such as are not stored yet, `configurations` their words.
    `left_out` counts configurations beyond those shown. Of all configurations, `counts` are cells by state, `made`
    and `waiting` runs. Of a job that repeats as needed, `waiting` is expected, `most` are the runs it could come to, and
    `wide` cells whose interval is wider than +- `half_width`, `untimed` ones without a time; else `most` is 0. `is_whole`: the job ran to its end.
    """

    identities: tuple[str, ...]
    configurations: tuple[str, ...]
    revisions: tuple[str, ...]
    cells: tuple[GridCell, ...]
    left_out: int
    counts: Mapping[str, int]
    made: int
    waiting: int
    most: int = 0
    wide: int = 0
    untimed: int = 0
    half_width: float = 0.0
    is_whole: bool = False
