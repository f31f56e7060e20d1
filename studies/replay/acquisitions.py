"""The acquisition functions that replays compare, by name: the product's default, and others beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.acquisition import hidden_step, longest_gap, mix
from analytics.histories.brownian import predict_levels
from analytics.histories.errors import HistoryError
from analytics.histories.gaps import Evidence, Gaps, Suggestion, SuggestionReason

if TYPE_CHECKING:
    from analytics.histories.acquisition import Acquisition
    from analytics.histories.measurements import IntArray

# The acquisition of the product, and the name of sampling at random.
DEFAULT, RANDOM = "mix", "random"


def max_variance(evidence: Evidence, candidates: IntArray) -> Suggestion | None:
    """Return the candidate where the variance of the Brownian history is largest, as in the paper (eq. 9)."""
    noise = evidence.noise_variances
    levels = np.zeros(len(noise)), noise, np.zeros(len(noise) - 1)
    measured, wanted = evidence.places(evidence.positions), evidence.places(candidates)
    _, *parts = predict_levels(measured, levels, evidence.step_variance, wanted)
    variances = parts[0] + parts[1]
    best = int(np.argmax(variances))
    gaps = Gaps(evidence, candidates)
    gap = int(np.searchsorted(evidence.positions, candidates[best]))
    gain = float(gaps.wander_gains(evidence.step_variance)[gap])
    middle = gaps.suggestion(gap, SuggestionReason.LONGEST_GAP, gain)
    return replace(middle, position=int(candidates[best]))


def bisect(evidence: Evidence, candidates: IntArray) -> Suggestion | None:
    """Return the hidden step; the longest gap only where no step is hidden."""
    return hidden_step(evidence, candidates) or longest_gap(evidence, candidates)


ACQUISITIONS: dict[str, Acquisition] = {
    DEFAULT: mix,
    "maxvar": max_variance,
    "gap": longest_gap,
    "bisect": bisect,
}


def acquisition_named(name: str) -> Acquisition:
    """Return the acquisition of that name. Raises `HistoryError`."""
    if name not in ACQUISITIONS:
        names = ", ".join(sorted([*ACQUISITIONS, RANDOM]))
        raise HistoryError(f"there is no acquisition {name!r}: choose from {names}")
    return ACQUISITIONS[name]
