"""How fast the machine is at the moment, learnt from run to run: what makes the bets of a bisection good ones.

A machine keeps its speed for a while and then switches (Adams and MacKay, "Bayesian online changepoint detection", 2007).
"""

import numpy as np

# Standard deviations of one run, and changes of level to begin with, on the logarithmic scale. Each change is learnt;
# at first it is known to a fourth of itself, so that all together leave no gap.
NOISES = np.geomspace(0.003, 0.3, 6)[:, np.newaxis, np.newaxis]
CHANGES = np.concatenate([-np.geomspace(4, 0.005, 14), np.geomspace(0.005, 4, 14)])[:, np.newaxis]
SPREAD = 0.25
# The share of runs that something disturbed, and by how much, on the logarithmic scale.
WILD_SHARE, WILD = 0.1, 0.4
# How often the machine changes its speed, per run, and how many last changes are kept apart.
SWITCH, LENGTHS = 0.05, 12


class MachineLevel:
    """The probable levels of the machine, for each noise and each change (6 x 28), by the runs since it last switched."""

    def __init__(self) -> None:
        shape = (len(NOISES), len(CHANGES), LENGTHS)
        self._weights = np.full(shape[:2], 1 / (shape[0] * shape[1]))
        self._changes = np.repeat(CHANGES[np.newaxis], shape[0], axis=0)
        self._variances = (SPREAD * self._changes) ** 2
        self._lengths = np.zeros(shape)
        self._lengths[..., 0] = 1.0
        # Of the runs since each switch: how many, the sum of their values, and how many of the new level.
        self._counts, self._sums, self._news = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        self._start: float | None = None
        self._value = 0.0
        # Of a run of the old and of the new level: how probable a calm and a wild one is, and what that comes from.
        self._calm, self._spread, self._errors, self._slopes = (np.empty((2, *shape)) for _ in range(4))
        self._wild = np.empty((2, *shape[:2], 1))

    def densities(self, value: float) -> tuple[float, float]:
        """How probable the logarithm of a time is for a run of the old and of the new level, before it is learnt."""
        if self._start is None:
            self._start = value
        self._value = value - self._start
        counts = np.maximum(self._counts, 1e-3)
        news = self._news / counts
        for side in (0, 1):
            # Runs of the same side as those that the level is known from do not depend on the change.
            self._slopes[side] = side - news
            self._errors[side] = self._value - self._sums / counts - self._slopes[side] * self._changes
            spread = NOISES**2 * (1 + 1 / counts) + self._slopes[side] ** 2 * self._variances
            calm = np.exp(-0.5 * self._errors[side] ** 2 / spread) / np.sqrt(2 * np.pi * spread)
            shift = self._value - side * self._changes
            wild = 1 / (np.pi * WILD * (1 + (shift / WILD) ** 2))
            # Right after a switch the level is not known.
            calm[..., :1] = wild
            self._calm[side], self._spread[side] = (1 - WILD_SHARE) * calm, spread
            self._wild[side] = WILD_SHARE * wild
        sides = ((self._calm + self._wild) * self._lengths).sum(axis=3)
        old, new = (sides * self._weights).sum(axis=(1, 2))
        return float(old), float(new)

    def update(self, share: float) -> None:
        """Learn the run that was last asked about, which is of the new level with a probability of `share`."""
        shares = np.array([1 - share, share])[:, np.newaxis, np.newaxis, np.newaxis]
        calm = shares * self._calm
        joint = self._lengths * (calm + shares * self._wild)
        total = joint.sum(axis=(0, 3))[..., np.newaxis]
        self._weights *= total[..., 0]
        self._weights /= self._weights.sum()
        joint /= total
        new = joint[1].sum(axis=2, keepdims=True)
        likely = self._lengths * calm / total
        counted = likely.sum(axis=0) / np.maximum(joint.sum(axis=0), 1e-300)
        # The change is learnt where the machine's level is known.
        steps = (likely * self._slopes * self._variances / self._spread)[..., 1:]
        self._changes = self._changes + (steps * self._errors[..., 1:]).sum(axis=(0, 3))[..., np.newaxis]
        learnt = (steps * self._slopes[..., 1:]).sum(axis=(0, 3))[..., np.newaxis]
        self._variances = self._variances * (1 - learnt)
        counts = self._counts + counted
        sums, news = self._sums + counted * self._value, self._news + counted * new
        lengths = joint.sum(axis=0) * (1 - SWITCH)
        # The longest stay together, with what the more probable of them knows.
        longest = lengths[..., -1] > lengths[..., -2]
        for kept, made in ((self._counts, counts), (self._sums, sums), (self._news, news)):
            kept[..., 1:] = made[..., :-1]
            kept[..., -1] = np.where(longest, made[..., -1], made[..., -2])
            kept[..., 0] = 0.0
        self._lengths[..., 1:] = lengths[..., :-1]
        self._lengths[..., -1] += lengths[..., -1]
        self._lengths[..., 0] = SWITCH
