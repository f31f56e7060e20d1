"""What the form of the page of measuring says, as a request, and what it comes to in words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.figures.numbers import GAP, count
from dashboard.pages.components.text import plural
from dashboard.selectors.measuring.requests import MeasuringRequest
from dashboard.services.measuring.plans import PlanPreview, RequestInvalid

# A word of selections: what the newest analysis, or that of a revision, traced to its end.
ANALYSIS = "analysis"
OVER = "over"
WRITTEN = "written"
EVERY = "every"
RANGE = "range"
CHOSEN = "chosen"
_MINUTE = 60
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Form:
    """The values of the form's inputs, as the browser sends them: what is empty may be None."""

    configurations: str
    analysis: str | None
    options: list[str] | None
    written: str | None
    revisions: str
    every: float | str | None
    first: str | None
    last: str | None
    chosen: list[str] | None
    repetitions: float | str | None
    workload: str
    profile: bool | None
    counts: bool | None

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> "Form":
        """The form of a callback's inputs, by the names above."""
        return cls(**values)


def request_of(form: Form) -> MeasuringRequest:
    """The request that the form means. Raises `RequestInvalid` where an input is empty or no number."""
    return MeasuringRequest(
        configurations=_configurations(form),
        revisions=_revisions(form),
        repetitions=_number("repetitions", form.repetitions, "how many repetitions"),
        workload=form.workload,
        profile=bool(form.profile),
        counts=form.counts,
    )


def in_words(preview: PlanPreview) -> str:
    """`4 configurations × 2 revisions × 3 repetitions = 24 runs, and 8 that count`."""
    product = " × ".join(
        (
            plural(preview.configurations, "configuration"),
            plural(preview.revisions, "revision"),
            plural(preview.repetitions, "repetition"),
        )
    )
    counting = f", and {count(preview.countings)} that count" if preview.countings else ""
    return f"{product} = {plural(preview.runs, 'run')}{counting}"


def about(seconds: float | None) -> str:
    """A time as an estimate is told: `about 40 s`, `about 3 min`, `about 2 h`."""
    if seconds is None:
        return "for how long is not known before the first runs"
    if seconds < _MINUTE:
        return f"about {max(1, math.ceil(seconds))}{GAP}s"
    if seconds < 1.5 * _HOUR:
        return f"about {math.ceil(seconds / _MINUTE)}{GAP}min"
    return f"about {math.ceil(seconds / _HOUR)}{GAP}h"


def _configurations(form: Form) -> tuple[str, ...]:
    if form.configurations == OVER:
        if not form.options:
            raise RequestInvalid("configurations", "choose at least one option")
        return (f"only={','.join(form.options)}",)
    if form.configurations == ANALYSIS and form.analysis:
        return (f"{ANALYSIS}={form.analysis}",)
    if form.configurations == WRITTEN:
        lines = tuple(line.strip() for line in (form.written or "").splitlines() if line.strip())
        if not lines:
            raise RequestInvalid("configurations", "write at least one configuration, one a line")
        return lines
    return (form.configurations,)


def _revisions(form: Form) -> tuple[str, ...]:
    if form.revisions == EVERY:
        return (f"every={_number('revisions', form.every, 'every how many')}",)
    if form.revisions == RANGE:
        if not form.first or not form.last:
            raise RequestInvalid("revisions", "choose both ends")
        return (f"{form.first}..{form.last}",)
    if form.revisions == CHOSEN:
        if not form.chosen:
            raise RequestInvalid("revisions", "choose at least one revision")
        return tuple(form.chosen)
    return (form.revisions,)


def _number(field: str, value: float | str | None, what: str) -> int:
    """A whole number from 1; an input that was emptied sends an empty text."""
    if isinstance(value, str) or value is None or value < 1 or value != int(value):
        raise RequestInvalid(field, f"say {what}: a whole number from 1")
    return int(value)
