"""Samplings: which configurations to measure before a model is learned from them.

An option with several levels stands for an alternative group with one feature per level, as SPL Conqueror holds
it (Siegmund et al., Software Quality Journal 2012): each level is switched on once. SPL Conqueror crosses its
samples of binary options with experimental designs over numeric ones; here a numeric option is one more option
with levels. What constraints ask of the other options, `ValidConfigurations.complete` decides.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations, product
from types import MappingProxyType

import numpy as np

from analytics.configurations.errors import UnknownSamplingError
from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations

# Gives different valid configurations, shape (n, n_options), the same for the same seed.
Sampling = Callable[[ValidConfigurations, np.random.Generator], IntArray]
MAX_EXHAUSTIVE = 1 << 16
_SIZED = re.compile(r"(random|t-wise)-([1-9]\d{0,5})")
_OPEN = -1  # an option whose level is not chosen yet
_PATIENCE = 0.01  # what a combination is worth that waits for one more option


def exhaustive(valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
    """Every valid configuration. Raises `TooManyConfigurationsError` where there are more than 2^16."""
    return valid.enumerate(MAX_EXHAUSTIVE)


def feature_wise(valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
    """Each level off the reference alone, everything else as close to the reference as is valid.

    Option-wise sampling of Siegmund et al. (ICSE 2012), "enable one option at a time" in Velez et al., ICSE 2021,
    Sec. V-B. As in the latter's Table II the reference configuration itself is not among them.
    """
    changes = _changes(valid, valid.complete({}))
    return _distinct((valid.complete({position: level}) for position, level in changes), valid)


def negative_feature_wise(valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
    """All options on but one: each level that the all-on configuration lacks, everything else as far off as is valid.

    Negative option-wise sampling of SPL Conqueror. All on means each option off its reference level, at the first
    level that is valid.
    """
    changes = _changes(valid, valid.complete({}, "other"))
    return _distinct((valid.complete({position: level}, "other") for position, level in changes), valid)


def pair_wise(valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
    """The reference, each level alone, and each pair of levels of two options, everything else near the reference.

    With n binary options 1 + n + n (n - 1) / 2 configurations, the number of Velez et al., ICSE 2021, Table II.
    A covering array (`t_wise`) needs far fewer for the same pairs, but leaves them mixed with others.
    """
    start = valid.complete({})
    changes = list(_changes(valid, start))
    alone: list[Mapping[int, int]] = [{position: level} for position, level in changes]
    pairs: list[Mapping[int, int]] = [
        dict(pair) for pair in combinations(changes, 2) if pair[0][0] != pair[1][0]
    ]
    return _distinct((start, *(valid.complete(levels) for levels in (*alone, *pairs))), valid)


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


# What exists depends on this list, not on what was imported; a t-wise or random one has its number in its name.
_NAMED: Mapping[str, tuple[str, Sampling]] = MappingProxyType(
    {
        "exhaustive": ("exhaustive", exhaustive),
        "feature-wise": ("feature-wise", feature_wise),
        "negative-feature-wise": ("negative feature-wise", negative_feature_wise),
        "pair-wise": ("pair-wise", pair_wise),
    }
)
SAMPLINGS = (*_NAMED, "t-wise-STRENGTH", "random-SIZE")


def sampling_title(name: str) -> str:
    """The sampling called `name` in words: "50 at random", "pair-wise"; the name itself where nothing is called so."""
    if name in _NAMED:
        return _NAMED[name][0]
    kind, _, size = name.rpartition("-")
    return {"random": f"{size} at random", "t-wise": f"{size}-wise"}.get(kind, name)


def sampling_called(name: str) -> Sampling:
    """The sampling called `name`: `feature-wise`, `random-50` (size), `t-wise-3` (strength).

    Raises `UnknownSamplingError`.
    """
    sized = _SIZED.fullmatch(name)
    if sized:
        number = int(sized[2])
        if sized[1] == "random":
            return lambda valid, rng: valid.sample(number, rng)
        return lambda valid, _rng: t_wise(valid, number)
    if name not in _NAMED:
        raise UnknownSamplingError(f"no sampling is called {name!r}: known are {', '.join(SAMPLINGS)}")
    return _NAMED[name][1]


def random_size(name: str) -> int | None:
    """How many configurations the uniform random sampling called `name` asks for; None for any other sampling."""
    sized = _SIZED.fullmatch(name)
    return int(sized[2]) if sized and sized[1] == "random" else None


def _changes(valid: ValidConfigurations, start: IntArray | None) -> Iterator[tuple[int, int]]:
    """Each option with each level that `start` does not have; none where no configuration is valid."""
    if start is None:
        return
    for position, size in enumerate(valid.space.sizes):
        yield from ((position, level) for level in range(size) if level != start[position])


def _distinct(rows: Iterable[IntArray | None], valid: ValidConfigurations) -> IntArray:
    """The rows without repetitions and without those that no valid configuration could stand for."""
    kept = {row.tobytes(): row for row in rows if row is not None}
    return np.array(list(kept.values()), dtype=np.int8).reshape(-1, len(valid.space.options))


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
