"""How the history of each kind of series is fitted and searched: the same for a page and for stored fits."""

from functools import cache
from hashlib import sha256
from pathlib import Path

import analytics.changepoints
import analytics.histories
from analytics.changepoints import ChangePointSettings
from analytics.histories import HistorySettings, NoisePolicy
from dashboard.models import Series


def history_settings(kind: str, *, level: float | None, length: int) -> HistorySettings:
    """The settings of a fit. `level` is the default configuration's value for a term, None for other kinds.

    `length` is the number of revisions in the order. What a benchmark repeats, it repeats within one process: that
    says too little of the noise between revisions, which is estimated from neighbours then.
    """
    repeats_within = kind == Series.SubjectKind.BENCHMARK
    return HistorySettings(
        noise=NoisePolicy.BEYOND_REPETITIONS if repeats_within else NoisePolicy.REPETITIONS,
        reference_level=level,
        log_scale=level is None,
        length=length,
    )


def change_settings(level: float | None) -> ChangePointSettings:
    """The settings of a search for changes."""
    return ChangePointSettings(reference_level=level, log_scale=level is None)


def settings_digest(order: str) -> str:
    """What tells stored fits of other settings apart; `order` is the name of the order of revisions.

    Its length is left out: a revision that nobody measured, found later, moves no fit that anybody could tell.
    """
    told = [repr(history_settings(kind, level=None, length=1)) for kind in Series.SubjectKind.values]
    return sha256("\n".join([order, *told, repr(change_settings(None))]).encode()).hexdigest()


@cache
def code_version() -> str:
    """What tells fits of another version of the code apart: a digest over the two packages that make them."""
    total = sha256()
    for package in (analytics.histories, analytics.changepoints):
        for path in sorted(Path(package.__path__[0]).glob("*.py")):
            total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:40]
