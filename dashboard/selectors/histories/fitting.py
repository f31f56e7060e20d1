"""How the history of each kind of series is fitted and searched: the same for a page and for stored fits."""

from collections import Counter
from functools import cache
from hashlib import sha256
from pathlib import Path

import analytics.changepoints
import analytics.histories
from analytics.changepoints import ChangePointSettings
from analytics.histories import HistorySettings, NoisePolicy
from dashboard.models import Series
from dashboard.selectors.histories.series import OrderedRevisions

# What is noise at least, relative, in any history.
_LEAST_NOISE = HistorySettings().noise_floor


def history_settings(kind: str, *, level: float | None, length: int, noise: float = 0.0) -> HistorySettings:
    """The settings of a fit. `level` is the default configuration's value for a term, None for other kinds.

    `length` is the number of codes in line, `noise` how far a value is off at least, relative, where sessions tell.
    What a benchmark repeats, it repeats within one process: that says too little of the noise between revisions, which
    is estimated from neighbours then.
    """
    repeats_within = kind == Series.SubjectKind.BENCHMARK
    return HistorySettings(
        noise=NoisePolicy.BEYOND_REPETITIONS if repeats_within else NoisePolicy.REPETITIONS,
        reference_level=level,
        log_scale=level is None,
        length=length,
        noise_floor=max(_LEAST_NOISE, noise),
    )


def change_settings(level: float | None) -> ChangePointSettings:
    """The settings of a search for changes."""
    return ChangePointSettings(reference_level=level, log_scale=level is None)


def settings_digest(order: OrderedRevisions) -> str:
    """What tells stored fits of other settings apart, and of another order or other code of its revisions.

    Its length is left out: a revision that nobody measured, found later, moves no fit that anybody could tell. So is
    code that one revision alone holds: only where several hold it do they share measurements. How many lines a
    revision changed is in it, so where that is known, a new revision makes all stored fits out of date.
    """
    told = [repr(history_settings(kind, level=None, length=1)) for kind in Series.SubjectKind.values]
    holders = Counter(place.content for place in order.revisions if place.content)
    code = [
        f"{place.position} {place.content if holders[place.content] > 1 else ''} {place.changed_lines}"
        for place in order.revisions
        if holders[place.content] > 1 or place.changed_lines is not None
    ]
    return sha256("\n".join([order.name, *told, repr(change_settings(None)), *code]).encode()).hexdigest()


@cache
def method_version() -> str:
    """What tells fits of another version of the code apart: a digest over the packages that make them."""
    total = sha256()
    packages = [Path(package.__path__[0]) for package in (analytics.histories, analytics.changepoints)]
    for folder in (*packages, Path(__file__).parent):
        for path in sorted(folder.glob("*.py")):
            total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()[:40]
