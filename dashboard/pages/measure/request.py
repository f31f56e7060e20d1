"""What the form of the page of measuring says, as a request, and what it comes to in words."""

from collections.abc import Mapping
from typing import Any

from analytics.repetitions import USUAL_RULE
from dashboard.figures.numbers import count, plural
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.measuring.plans import PlanPreview, RequestInvalid

# A term of selector expressions: what the newest analysis, or that of a revision, traced to its end.
ANALYSIS = "analysis"
OVER = "over"
WRITTEN = "written"
EVERY = "every"
RANGE = "range"
CHOSEN = "chosen"
AS_NEEDED = "needed"
FIXED = "fixed"


def request_of(values: Mapping[str, Any]) -> MeasuringRequest:
    """The request that the form's inputs mean, by the names of `ids.FORM`; what is empty may be None.

    Raises `RequestInvalid` where an input is empty or no number.
    """
    return MeasuringRequest(
        configurations=_configurations(values),
        revisions=_revisions(values),
        repetitions=_repetitions(values),
        half_width=_half_width(values) if values["repeating"] == AS_NEEDED else USUAL_RULE.half_width,
        workload=values["workload"],
        profile=bool(values["profile"]),
        counts=values["counts"],
        environment=values["environment"] or "",
    )


def in_words(preview: PlanPreview) -> str:
    """`4 configurations × 2 revisions × 3 repetitions = 24 runs, and 8 that count`.

    Repeated as needed: `12 configurations × 1 revision × 3 to 10 repetitions: between 36 and 120 runs; about 50 expected`.
    """
    product = " × ".join(
        (
            plural(preview.configurations, "configuration"),
            plural(preview.revisions, "revision"),
            (f"{count(preview.least)} to " if preview.least else "")
            + plural(preview.repetitions, "repetition"),
        )
    )
    counting = f", and {count(preview.countings)} that count" if preview.countings else ""
    if not preview.least:
        return f"{product} = {plural(preview.runs, 'run')}{counting}"
    fewest = preview.configurations * preview.revisions * preview.least
    expected = "" if preview.expected is None else f"; about {count(preview.expected)} expected"
    return f"{product}: between {count(fewest)} and {plural(preview.runs, 'run')}{counting}{expected}"


def _configurations(values: Mapping[str, Any]) -> tuple[str, ...]:
    choice: str = values["configurations"]
    if choice == OVER:
        if not values["options"]:
            raise RequestInvalid("configurations", "choose at least one option")
        return (f"only={','.join(values['options'])}",)
    if choice == ANALYSIS and values["analysis"]:
        return (f"{ANALYSIS}={values['analysis']}",)
    if choice == WRITTEN:
        lines = tuple(line.strip() for line in (values["written"] or "").splitlines() if line.strip())
        if not lines:
            raise RequestInvalid("configurations", "write at least one configuration, one a line")
        return lines
    return (choice,)


def _revisions(values: Mapping[str, Any]) -> tuple[str, ...]:
    choice: str = values["revisions"]
    if choice == EVERY:
        return (f"every={_number('revisions', values['every'], 'every how many')}",)
    if choice == RANGE:
        if not values["first"] or not values["last"]:
            raise RequestInvalid("revisions", "choose both ends")
        return (f"{values['first']}..{values['last']}",)
    if choice == CHOSEN:
        if not values["chosen"]:
            raise RequestInvalid("revisions", "choose at least one revision")
        return tuple(values["chosen"])
    return (choice,)


def _repetitions(values: Mapping[str, Any]) -> int | tuple[int, int]:
    if values["repeating"] == AS_NEEDED:
        most = _number("most", values["most"], "how many repetitions at most")
        if most < USUAL_RULE.least:
            raise RequestInvalid("most", f"{USUAL_RULE.least} are made at least: write so many or more")
        return USUAL_RULE.least, most
    return _number("repetitions", values["repetitions"], "how many repetitions")


def _half_width(values: Mapping[str, Any]) -> float:
    """A share; the input is in percent, and sends an empty text where it was emptied."""
    given = values["half_width"]
    if isinstance(given, str) or given is None or not 0 < given < 100:
        raise RequestInvalid("half_width", "say how narrow: a percentage above 0")
    return float(given) / 100


def _number(field: str, value: float | str | None, what: str) -> int:
    """A whole number from 1; an input that was emptied sends an empty text."""
    if isinstance(value, str) or value is None or value < 1 or value != int(value):
        raise RequestInvalid(field, f"say {what}: a whole number from 1")
    return int(value)
