"""Samplings: which configurations to measure before a model is learned from them.

An option with several levels stands for an alternative group with one feature per level, as SPL Conqueror holds
it (Siegmund et al., Software Quality Journal 2012): each level is switched on once. SPL Conqueror crosses its
samples of binary options with experimental designs over numeric ones; here a numeric option is one more option
with levels, but for Plackett-Burman designs. What constraints ask of the other options, `ValidConfigurations.complete` decides.
"""

from collections.abc import Callable, Mapping
from itertools import combinations, product

import numpy as np

from analytics.configurations.distances import distance_based, valid_by_distance
from analytics.configurations.options import IntArray
from analytics.configurations.plackett_burman import plackett_burman
from analytics.configurations.selections import feature_wise, pair_wise
from analytics.configurations.validity import ValidConfigurations
from analytics.evaluation import DISTANCE, DIVERSIFIED, DRAWN_SAMPLINGS, RANDOM, sampling_parts

# Gives different valid configurations, shape (n, n_options), the same for the same seed.
Sampling = Callable[[ValidConfigurations, np.random.Generator], IntArray]
MAX_EXHAUSTIVE = 1 << 16
_OPEN = -1  # an option whose level is not chosen yet
_PATIENCE = 0.01  # what a combination is worth that waits for one more option


def sampling_called(name: str) -> Sampling:
    """The sampling called `name`: `feature-wise`, `random-50` (size), `t-wise-3` (strength), `plackett-burman-49` (rows).

    `negative-feature-wise` is SPL Conqueror's negative option-wise sampling; `exhaustive` raises
    `TooManyConfigurationsError` where more than 2^16 are valid. Raises `ConfigurationError`.
    """
    kind, number = sampling_parts(name)
    samplings: Mapping[str, Sampling] = {
        "exhaustive": lambda valid, _rng: valid.enumerate(MAX_EXHAUSTIVE),
        "feature-wise": lambda valid, _rng: feature_wise(valid),
        "negative-feature-wise": lambda valid, _rng: feature_wise(valid, "other"),
        "pair-wise": lambda valid, _rng: pair_wise(valid),
        "t-wise": lambda valid, _rng: t_wise(valid, number),
        "plackett-burman": lambda valid, _rng: plackett_burman(valid, number),
        RANDOM: lambda valid, rng: valid.sample(number, rng),
        DISTANCE: lambda valid, rng: distance_based(valid_by_distance(valid), number, rng, diversified=False),
        DIVERSIFIED: lambda valid, rng: distance_based(
            valid_by_distance(valid), number, rng, diversified=True
        ),
    }
    return samplings[kind]


def drawn_size(name: str) -> int | None:
    """How many configurations the sampling called `name` draws, others for each seed; None for one that draws none."""
    kind, number = sampling_parts(name)
    return number if kind in DRAWN_SAMPLINGS else None


def t_wise(valid: ValidConfigurations, strength: int) -> IntArray:
    """A covering array of this strength, grown row after row (after AETG: Cohen et al., TSE 1997).

    Every valid combination of levels of any `strength` options appears in a row. Each row starts from a combination
    that no row has yet; then option after option takes the level with which most such combinations come about. A
    combination that no valid configuration has is dropped. The result is the same for every seed.
    """
    width = len(valid.space.options)
    missing = _Missing(valid.space.sizes, min(strength, width))
    rows: list[IntArray] = []
    while missing.any():
        fixed = missing.first()
        row = valid.complete(fixed)
        if row is None:
            missing.drop_first()
            continue
        for position in set(range(width)) - set(fixed):
            for level in missing.best_levels(fixed, position):
                wider = row if row[position] == level else valid.complete({**fixed, position: level})
                if wider is not None:
                    row = wider
                    fixed[position] = level
                    break
        rows.append(row)
        missing.strike(row)
    return np.array(rows, dtype=np.int8).reshape(len(rows), width)


class _Missing:
    """The combinations that no row has yet: options and levels of shape (n_combinations, strength)."""

    def __init__(self, sizes: tuple[int, ...], strength: int) -> None:
        listed = [
            (options, levels)
            for options in combinations(range(len(sizes)), strength)
            for levels in product(*(range(sizes[option]) for option in options))
        ]
        shape = (len(listed), strength)
        self.options = np.array([options for options, _ in listed], dtype=np.intp).reshape(shape)
        self.levels = np.array([levels for _, levels in listed], dtype=np.int8).reshape(shape)
        self._sizes = sizes

    def any(self) -> bool:
        """Whether a combination is left."""
        return bool(len(self.options))

    def first(self) -> dict[int, int]:
        """The first one that is left, {position: level}."""
        return dict(zip(self.options[0].tolist(), self.levels[0].tolist(), strict=True))

    def drop_first(self) -> None:
        """Leave out the first one: no valid configuration has it."""
        self.options, self.levels = self.options[1:], self.levels[1:]

    def strike(self, row: IntArray) -> None:
        """Leave out what `row` has."""
        kept = (row[self.options] != self.levels).any(axis=1)
        self.options, self.levels = self.options[kept], self.levels[kept]

    def best_levels(self, fixed: Mapping[int, int], position: int) -> list[int]:
        """The levels of an option that bring missing combinations about beside the `fixed` ones, the best first.

        A combination counts much less for each further option that it waits for.
        """
        held = np.full(len(self._sizes), _OPEN)
        held[list(fixed)] = list(fixed.values())
        own = self.options == position
        waiting = (held[self.options] == _OPEN) & ~own
        useful = own.any(axis=1) & (own | waiting | (held[self.options] == self.levels)).all(axis=1)
        gains = np.bincount(
            (self.levels * own).sum(axis=1)[useful],
            weights=_PATIENCE ** waiting[useful].sum(axis=1),
            minlength=self._sizes[position],
        )
        return [level for level in np.argsort(-gains, kind="stable").tolist() if gains[level]]
