"""Changes whose cost may have moved where the others of the domain are too noisy to tell.

Each other series, and all others together (the parent without the one that changed), is asked twice at the same revisions: how likely is its
step if it gave or took what moved, and how likely if it did not take part. What one of them alone cannot say, all together may.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import poch

from analytics.changepoints.changes import CERTAIN
from analytics.findings.cost_shifts import MOST, MOVED_BY_CHANCE
from analytics.findings.level_steps import half_width
from analytics.findings.rows import CostDomain, PossibleMove, SeriesChange
from analytics.findings.windows import Window, by_series, smallest_first, windows_around
from analytics.histories.measurements import FloatArray

# Beforehand a change is as likely a move as not; within the smallest domain twice as likely as within the next one.
PRIOR, NARROWER = 1.0, 2.0
# What moved comes from one other series with this probability, else from all of them.
FROM_ONE = 0.9
# The other series got or lost what moved up to about this share of it; steps of its own are of about this share of its level.
ROUND, USUAL = 0.1, 0.1
# An error of a step is at least this share of what moved.
SMALLEST = 1e-6
# So many series are named that may have taken part.
NAMED = 10


def possible_moves(
    changes: Sequence[SeriesChange], domains: Sequence[CostDomain], explained: Mapping[SeriesChange, object]
) -> dict[SeriesChange, PossibleMove]:
    """Return the facts among the changes that may be moves all the same, those that are `explained` left out.

    A change stays a fact where the probability that it is a move is at most what the certainty of facts leaves.
    """
    of_series, at_series = smallest_first(domains), by_series(changes)
    found = {}
    for change in changes:
        if change.is_candidate or change in explained:
            continue
        asked = []
        for domain in of_series.get(change.series, ()):
            if len(domain.series) > MOST:
                continue
            others = [one for series in domain.series for one in at_series.get(series, ())]
            # The first one is of costs: as shares of the whole they would be asked a second time.
            asked += [(domain, *_odds(window)) for window in windows_around(change, domain, others)[:1]]
        if not asked:
            continue
        weights = NARROWER ** -np.arange(len(asked), dtype=np.float64)
        parts = weights / weights.sum() * [odds for _, odds, _ in asked]
        odds = PRIOR * float(parts.sum())
        if odds / (1.0 + odds) > 1.0 - CERTAIN:
            domain, _, partners = asked[int(parts.argmax())]
            likely = np.argsort(-partners)[: min(NAMED, len(partners) - 1)]
            found[change] = PossibleMove(
                domain.name, odds / (1.0 + odds), tuple(domain.series[at] for at in likely)
            )
    return found


def _odds(window: Window) -> tuple[float, FloatArray]:
    """How much likelier the steps of the other series are if the change is a move; and by each of them, (k,), 0 of its own."""
    steps, errors = window.steps()
    own, count = window.own, len(steps)
    moved = -float(steps[own])
    least = SMALLEST * abs(moved)
    clear = np.abs(steps) > half_width(1.0 - MOVED_BY_CHANCE / count) * errors
    clear[own] = False
    # What drifts, or changed by itself: so often a series has a step that no noise explains.
    unlike = (clear.sum() + 1.0) / (count + 1.0)
    levels = np.abs(window.costs).mean(axis=1)
    freedom = window.costs.shape[1] - 2

    # scipy.stats, which has it, takes half a second to import, and every command would.
    highest = float(poch(freedom / 2.0, 0.5)) / np.sqrt(np.pi * freedom)

    def student(away: FloatArray) -> FloatArray:
        return np.asarray(highest * (1.0 + away * away / freedom) ** (-(freedom + 1.0) / 2.0))

    def ratio(step: FloatArray, error: FloatArray, usual: FloatArray) -> FloatArray:
        error = np.maximum(error, least)
        if_moved = np.sqrt(error**2 + errors[own] ** 2 + (ROUND * moved) ** 2)
        by_itself = np.hypot(error, usual)
        stayed = (1.0 - unlike) * student(step / error) / error
        stayed += unlike * student(step / by_itself) / by_itself
        return np.asarray(student((step - moved) / if_moved) / if_moved / stayed)

    of_each = ratio(steps, errors, np.maximum(USUAL * levels, least))
    of_each[own] = 0.0
    rest, rest_error = (np.array([one]) for one in window.sum_step(np.arange(count) != own))
    (of_all,) = ratio(rest, rest_error, np.array([abs(moved)]))
    return FROM_ONE * float(of_each.sum()) / (count - 1) + (1.0 - FROM_ONE) * float(of_all), of_each
