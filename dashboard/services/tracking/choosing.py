"""What a tracking job measures next, or why it ends: from what is known so far, without a look at any database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median, stdev

import numpy as np

from analytics.histories import predict
from analytics.histories.stopping import StopReason, StopRule
from dashboard.models import Series
from dashboard.selectors.histories.codes import Bracket
from dashboard.selectors.histories.fits import HistoryCurve
from dashboard.selectors.histories.rows import MeasuredPoint
from dashboard.selectors.histories.series import OrderedRevisions
from dashboard.selectors.histories.sessions import Session, by_code, session_noise, value_noise
from dashboard.selectors.measuring.next import reason_in_words
from dashboard.selectors.measuring.outlook import NextRevision, outlook
from dashboard.services.tracking.observed_history import CodeVersion

# One session in so many is a check: code that was measured before is measured again.
_CHECKED = 8


@dataclass(frozen=True)
class TrackingState:
    """All revisions in line, those that are tracked as stages, and what was measured, session by session.

    `failed` are the revisions that could not be built or run. `elsewhere` are the brackets, as places of the line, in
    which other histories of the system changed. `latest` is the revision that was measured last: measured again right
    away, it would only lengthen its session.
    """

    order: OrderedRevisions
    places: Sequence[CodeVersion]
    sessions: Sequence[Session]
    failed: Collection[str] = ()
    elsewhere: tuple[Bracket, ...] = ()
    latest: str = ""

    @cached_property
    def by_code(self) -> dict[int, list[Session]]:
        """The sessions by the code that they measured."""
        return by_code(self.sessions, self.order.codes)

    @cached_property
    def measured(self) -> dict[int, list[Session]]:
        """The sessions by stage, also those of equal code elsewhere in line."""
        codes, found = self.order.codes, self.by_code
        own = {stage.position: codes[stage.first] for stage in self.places}
        return {position: found[code] for position, code in own.items() if code in found}

    @property
    def open_places(self) -> list[CodeVersion]:
        """The stages that were measured or may be."""
        return [
            place
            for place in self.places
            if place.position in self.measured or place.first not in self.failed
        ]

    @property
    def session_noise(self) -> float | None:
        """By how much one session of the same code differs from another, relative; None where no code has two."""
        return session_noise(self.by_code)

    @cached_property
    def titles(self) -> Mapping[int, str]:
        """What people call the places of the line."""
        line = self.order.line
        named = {stage.position: stage.title for stage in self.places}
        for one in self.order.revisions:
            named.setdefault(line.version_at[one.position], one.name)
        return named

    @cached_property
    def outlook(self) -> NextRevision:
        """The history as it is known, and what may be measured of it."""
        tracked = {revision.identifier for stage in self.places for revision in stage.revisions}
        revisions = [one for one in self.order.revisions if one.name in tracked]
        return outlook(self._curve(), revisions, self.failed)

    def _curve(self) -> HistoryCurve:
        values: dict[str, list[float]] = {}
        for session in self.sessions:
            values.setdefault(session.revision, []).extend(session.values)
        points = tuple(
            MeasuredPoint(
                position=place.position,
                revision=place.name,
                n=len(some),
                median=median(some),
                spread=stdev(some) if len(some) > 1 else None,
            )
            for place in self.order.revisions
            if (some := values.get(place.name))
        )
        kind = Series.SubjectKind.CONFIGURATION.value
        noise = value_noise(self.by_code) or 0.0
        return HistoryCurve(points, None, self.order.line, kind, self.elsewhere, noise)


@dataclass(frozen=True, slots=True)
class Choice:
    """A stage to measure, by which of its revisions, and why; `gain` as in `TrailStep`."""

    stage: CodeVersion
    revision: str
    reason: str
    gain: float | None


def choose(known: TrackingState, rule: StopRule) -> Choice | str:
    """The stage to measure next; else why none is worth it, in words.

    First both ends and the middle, then whatever tells most, and now and then a check of the noise. The nearest
    neighbours of revisions that failed stand in for them.
    """
    stages = known.places
    ends = ((stages[0], "first"), (stages[-1], "last"), (stages[(len(stages) - 1) // 2], "middle"))
    for wanted, title in ends:
        if not known.open_places:
            return "no revision can be built and run: look at the log of one"
        nearest = min(known.open_places, key=lambda place: abs(place.position - wanted.position))
        if nearest.position not in known.measured:
            return Choice(
                nearest, nearest.first, f"the {title} revision that can be built, to begin with", None
            )
    if check := _check(known):
        return check
    found = known.outlook.next_or_stop(rule)
    if isinstance(found, StopReason):
        return _ending(found, known)
    (stage,) = (one for one in stages if one.position == found.position)
    reason = reason_in_words(found, known.titles)
    return Choice(stage, known.outlook.candidates[found.position].name, reason, found.expected_gain)


def _check(known: TrackingState) -> Choice | None:
    """Code that is to be measured once more, by another of its revisions if there is one: it tells the noise."""
    done = sum(len(some) for some in known.by_code.values())
    checks = done - len(known.by_code)
    if len(known.places) < _CHECKED or checks >= 1 + done // _CHECKED:
        return None
    # The fewest sessions, then the most revisions with this code, then the earliest.
    order = sorted(
        (place for place in known.places if place.position in known.measured),
        key=lambda place: (len(known.measured[place.position]), -len(place.revisions), place.position),
    )
    for stage in order:
        measured = {one.revision for one in known.measured[stage.position]}
        names = [revision.identifier for revision in stage.revisions]
        fresh = [name for name in names if name not in measured and name not in known.failed]
        if fresh:
            why = f"as a check of the noise: it holds the same code as {stage.title}, measured before"
            return Choice(stage, fresh[0], why, None)
        again = next(
            (name for name in names if name in measured - {known.latest} and name not in known.failed), None
        )
        if again is not None:
            return Choice(stage, again, "once more, as a check of the noise", None)
    return None


def _ending(stop: StopReason, known: TrackingState) -> str:
    """Why measuring ends, with the figures that say so."""
    found = known.outlook
    if stop is StopReason.VARIANCE:
        sure = float(np.max(predict(found.fitted, list(found.candidates)).sd)) / found.fitted.unit
        return f"{stop}: to {sure:.1%} or better"
    if stop is not StopReason.GAIN:
        return stop.value
    (best,) = found.best(1)
    why = reason_in_words(best, known.titles)
    return f"{stop}: the most promising, {why}, would move the history by {best.expected_gain:.2%} on average"
