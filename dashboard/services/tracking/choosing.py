"""What a tracking job measures next, or why it ends: from what is known so far, without a look at any database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, stdev

import numpy as np

from analytics.histories import FittedHistory, HistorySettings, Measurements, fit, predict, suggest
from analytics.histories.stopping import Stop, StopRule, next_or_stop
from dashboard.selectors.histories.codes import Bracket, CodeLine, code_line
from dashboard.selectors.measuring.next import reason_in_words
from dashboard.services.tracking.observed_history import Session, Stage

# One session in so many is a check: code that was measured before is measured again.
_CHECKED = 8
# What is noise at least, relative: as for any history.
_LEAST_NOISE = HistorySettings().noise_floor


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Stages in line, the `sessions` measured by stage, and the revisions that `failed` to be built or to run.

    `elsewhere` are the brackets, as stages, in which other histories of the system changed. `latest` is the revision that
    was measured last: measured again right away, it would only lengthen its session.
    """

    places: Sequence[Stage]
    sessions: Mapping[int, Sequence[Session]]
    failed: Collection[str] = ()
    elsewhere: tuple[Bracket, ...] = ()
    latest: str = ""

    @property
    def open_places(self) -> list[Stage]:
        """The stages that were measured or may be."""
        return [
            place
            for place in self.places
            if place.position in self.sessions or place.first not in self.failed
        ]

    def fitted(self) -> FittedHistory:
        """The history as it is known."""
        positions = sorted(self.sessions)
        values = [
            [value for one in self.sessions[position] for value in one.values] for position in positions
        ]
        measurements = Measurements.of(
            positions,
            [median(some) for some in values],
            [len(some) for some in values],
            spreads=[stdev(some) if len(some) > 1 else float("nan") for some in values],
        )
        settings = HistorySettings(
            length=len(self.places), noise_floor=max(_LEAST_NOISE, self.session_noise() or 0.0)
        )
        return fit(measurements, settings, mass=line_of(self.places).mass(self.elsewhere))

    def session_noise(self) -> float | None:
        """By how much one session of the same code differs from another, relative: a standard deviation.

        Runs right after each other scatter less than that. None where no code has two sessions.
        """
        squares, freedom = 0.0, 0
        for some in self.sessions.values():
            levels = np.log([median(one.values) for one in some if median(one.values) > 0])
            if len(levels) > 1:
                squares += float(np.sum((levels - levels.mean()) ** 2))
                freedom += len(levels) - 1
        return float(np.sqrt(squares / freedom)) if freedom else None


@dataclass(frozen=True, slots=True)
class Choice:
    """A stage to measure, by which of its revisions, and why; `gain` as in `TrailStep`."""

    stage: Stage
    revision: str
    reason: str
    gain: float | None


def line_of(places: Sequence[Stage]) -> CodeLine:
    """The line of the stages' code: a place of it is a stage's position."""
    return code_line(
        tuple(place.position for place in places),
        tuple(place.revisions[0].content for place in places),
        tuple(place.revisions[0].changed_lines for place in places),
    )


def choose(known: Knowledge, rule: StopRule) -> Choice | str:
    """The stage to measure next; else why none is worth it, in words.

    First both ends and the middle, then whatever tells most, and now and then a check of the noise. The nearest
    neighbours of revisions that failed stand in for them.
    """
    last = len(known.places) - 1
    for wanted, title in ((0, "first"), (last, "last"), (last // 2, "middle")):
        if not known.open_places:
            return "no revision can be built and run: look at the log of one"
        nearest = min(known.open_places, key=lambda place: abs(place.position - wanted))
        if nearest.position not in known.sessions:
            return Choice(
                nearest, nearest.first, f"the {title} revision that can be built, to begin with", None
            )
    if check := _check(known):
        return check
    fitted = known.fitted()
    candidates = [place.position for place in known.open_places]
    found = next_or_stop(fitted, candidates, rule)
    if isinstance(found, Stop):
        return _ending(found, known, fitted)
    stage = known.places[found.position]
    reason = reason_in_words(found, _titles(known.places))
    return Choice(stage, stage.first, reason, found.expected_gain)


def _check(known: Knowledge) -> Choice | None:
    """Code that is to be measured once more, by another of its revisions if there is one: it tells the noise."""
    done = sum(len(some) for some in known.sessions.values())
    checks = done - len(known.sessions)
    if len(known.places) < _CHECKED or checks >= 1 + done // _CHECKED:
        return None
    # The fewest sessions, then the most revisions with this code, then the earliest.
    order = sorted(
        (known.places[position] for position in known.sessions),
        key=lambda place: (len(known.sessions[place.position]), -len(place.revisions), place.position),
    )
    for stage in order:
        measured = {one.revision for one in known.sessions[stage.position]}
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


def _ending(stop: Stop, known: Knowledge, fitted: FittedHistory) -> str:
    """Why measuring ends, with the figures that say so."""
    candidates = [place.position for place in known.open_places]
    if stop is Stop.VARIANCE:
        sure = float(np.max(predict(fitted, np.array(candidates)).sd)) / fitted.unit
        return f"{stop}: to {sure:.1%} or better"
    if stop is not Stop.GAIN:
        return stop.value
    (best,) = suggest(fitted, candidates, count=1)
    why = reason_in_words(best, _titles(known.places))
    return f"{stop}: the most promising, {why}, would move the history by {best.expected_gain:.2%} on average"


def _titles(places: Sequence[Stage]) -> dict[int, str]:
    return {place.position: place.title for place in places}
