"""What a tracking job measures next, or why it ends, in the names of revisions: see `analytics.histories.active_sampling`."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median, stdev

import numpy as np

from analytics.histories.acquisition import suggest
from analytics.histories.active_sampling import (
    SamplingState,
    StopReason,
    StopRule,
    next_measurement,
    usual_rule,
)
from analytics.histories.code_versions import Bracket
from analytics.histories.gaps import SuggestionReason
from analytics.histories.history import predict
from analytics.histories.sessions import Session, session_noise, sessions_by_code, value_noise
from dashboard.models import Series
from dashboard.selectors.histories.fits import HistoryCurve, fitted_history
from dashboard.selectors.histories.next_revisions import measurable_versions, reason_in_words
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.rows import MeasuredPoint
from dashboard.selectors.job_columns import IntendedRuns
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.tracking.tracked_series import CodeVersion

STEPS = "steps"
NOISE = "noise"
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")


def limit_of(stop_at: str) -> float | None:
    """The standard deviation, relative, of the least sure revision at which measuring ends; None for words.

    Raises `RequestInvalid` for what is neither "steps", "noise" nor a share.
    """
    if stop_at in {STEPS, NOISE}:
        return None
    found = _SHARE.fullmatch(stop_at.strip())
    if found is None or not 0 < float(found[1]) <= 100:
        raise RequestInvalid(
            "stop_at", f"{stop_at!r} is no way to stop: write {STEPS}, {NOISE} or a share such as 1%"
        )
    return float(found[1]) / 100


def stop_rule(
    stop_at: str, versions: int, *, budget: float | None = None, most: int | None = None
) -> StopRule:
    """The rule for so many code versions.

    "steps" is the usual one. "noise" ends where every revision is known as well as repeated measurements of one are, a
    share where each is known so well.
    """
    if stop_at == STEPS:
        return replace(usual_rule(versions), budget=budget, most=most)
    return StopRule(smallest_gain=None, largest_sd=limit_of(stop_at), budget=budget, most=most)


@dataclass(frozen=True)
class TrackingState:
    """What is tracked, and what was measured of it, session by session.

    Tracked are code `versions` of an order, until the `rule` says to stop; with `stop_at_noise` its largest standard
    deviation is that of one session of the same code from another. `sibling_changes` is where sibling series changed.
    `failed` are the revisions that could not be built or run. `latest` is the revision that was measured last: measured
    again right away, it would only lengthen its session. `taken` are the seconds of each choice that was measured,
    `spent` those of all.
    """

    order: OrderedRevisions
    versions: Sequence[CodeVersion]
    rule: StopRule
    sibling_changes: tuple[Bracket, ...] = ()
    stop_at_noise: bool = False
    sessions: Sequence[Session] = ()
    failed: Collection[str] = ()
    latest: str = ""
    taken: Sequence[float] = ()
    spent: float = 0.0

    @cached_property
    def by_code(self) -> dict[int, list[Session]]:
        """The sessions by the code that they measured."""
        return sessions_by_code(self.sessions, self.order.codes)

    @cached_property
    def measured(self) -> dict[int, list[Session]]:
        """The sessions by version, also those of equal code elsewhere in the order."""
        codes, found = self.order.codes, self.by_code
        own = {version.position: codes[version.first] for version in self.versions}
        return {position: found[code] for position, code in own.items() if code in found}

    @property
    def session_noise(self) -> float | None:
        """By how much one session of the same code differs from another, relative; None where no code has two."""
        return session_noise(self.by_code)

    @cached_property
    def titles(self) -> Mapping[int, str]:
        """What people call the versions of the order."""
        version_at = self.order.versions.version_at
        named = {version.position: version.title for version in self.versions}
        for position, name in self.order.names.items():
            named.setdefault(version_at[position], name)
        return named

    @cached_property
    def curve(self) -> HistoryCurve:
        """The curve of what was measured."""
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
        return HistoryCurve(points, None, self.order.versions, kind, self.sibling_changes, noise)

    @cached_property
    def candidates(self) -> Mapping[int, RevisionPlace]:
        """By version, the tracked revision that may be measured for it."""
        tracked = {one.identifier for version in self.versions for one in version.revisions}
        revisions = [one for one in self.order.revisions if one.name in tracked]
        failed = {one.position for one in revisions if one.name in self.failed}
        return measurable_versions(self.curve, revisions, failed)

    @cached_property
    def repeats(self) -> Mapping[int, str]:
        """The revision by which each measured version can be measured once more: a fresh one if there is one."""
        found = {}
        for version in self.versions:
            done = {one.revision for one in self.measured.get(version.position, ())}
            names = [one.identifier for one in version.revisions if one.identifier not in self.failed]
            fresh = [name for name in names if name not in done]
            again = [name for name in names if name in done - {self.latest}]
            if done and (fresh or again):
                found[version.position] = (fresh or again)[0]
        return found

    @cached_property
    def sampling(self) -> SamplingState:
        """The state by code versions alone."""
        versions = self.versions
        return SamplingState(
            versions=[version.position for version in versions],
            sessions={position: len(some) for position, some in self.measured.items()},
            candidates=list(self.candidates) if self.measured else (),
            fitted=fitted_history(self.curve) if self.measured else None,
            failed={version.position for version in versions if version.first in self.failed},
            repeatable={
                version.position: len(version.revisions)
                for version in versions
                if version.position in self.repeats
            },
            per_code=[len(some) for some in self.by_code.values()],
            measured=len(self.taken),
            seconds=self.spent,
            next_seconds=median(self.taken) if self.taken else 0.0,
        )


def choose(state: TrackingState, reserved: float = 0.0) -> tuple[CodeVersion, IntendedRuns] | str:
    """The version to measure next, by which of its revisions and why; else why none is worth it, in words.

    So many seconds of the budget are `reserved`.
    """
    rule = state.rule
    if rule.budget is not None:
        rule = replace(rule, budget=rule.budget - reserved)
    if state.stop_at_noise:
        rule = replace(rule, largest_sd=state.session_noise)
    found = next_measurement(state.sampling, rule)
    if isinstance(found, StopReason):
        fitted = state.sampling.fitted
        if fitted is None or found not in {StopReason.VARIANCE, StopReason.GAIN}:
            return found.value
        if found is StopReason.VARIANCE:
            sure = float(np.max(predict(fitted, list(state.candidates)).sd)) / fitted.unit
            return f"{found}: to {sure:.1%} or better"
        (best,) = suggest(fitted, list(state.candidates), count=1)
        why, moved = reason_in_words(best, state.titles), f"{best.expected_gain:.2%}"
        return f"{found}: the most promising, {why}, would move the history by {moved} on average"
    (version,) = (one for one in state.versions if one.position == found.position)
    revision, gain = version.first, None
    if found.reason is SuggestionReason.CHECK:
        revision = state.repeats[version.position]
        is_fresh = all(one.revision != revision for one in state.measured[version.position])
        reason = (
            f"as a check of the noise: it holds the same code as {version.title}, measured before"
            if is_fresh
            else "once more, as a check of the noise"
        )
    elif found.reason in {SuggestionReason.FIRST, SuggestionReason.LAST, SuggestionReason.MIDDLE}:
        reason = found.reason.value
    else:
        revision, gain = state.candidates[version.position].name, found.expected_gain
        reason = reason_in_words(found, state.titles)
    return version, IntendedRuns(
        revision=revision,
        reason=reason,
        gain=gain,
        equal=len(version.revisions) - 1,
        title=version.title,
        is_new=version.position not in state.measured,
    )
