"""What approaches are judged on, and what comes of it: settings and rows of an evaluation.

The evaluation itself is a study (`studies.evaluation.approaches`); here is what the product stores and shows of it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from statistics import median

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.influence.errors import InfluenceError

SAMPLINGS = ("feature-wise", "pair-wise")
SIZES = (50, 200)
RANDOM, DISTANCE, DIVERSIFIED = "random", "distance", "diversified-distance"
# Draw as many configurations as they are told, others for each seed.
DRAWN_SAMPLINGS = (RANDOM, DISTANCE, DIVERSIFIED)
_LOCAL = {
    "composed": "composed of regions",
    "methods": "tree for each method",
    "methods-filtered": "tree for each method, filtered",
}
# Models that come about by an older approach, with the sampling that is a part of it.
_OLDER = {"reads": "same options read", "static": "composed of regions, by their source"}
_OLDER_SAMPLINGS = {"splat": "SPLat", "configcrusher": "ConfigCrusher"}
_COMPOSED = _LOCAL | {f"{name}-corrected": f"{title}, corrected" for name, title in _LOCAL.items()}
# In words; t-wise and drawn samplings have their number in their name.
SAMPLING_TITLES = {
    "exhaustive": "exhaustive",
    "feature-wise": "feature-wise",
    "negative-feature-wise": "negative feature-wise",
    "pair-wise": "pair-wise",
    "plackett-burman": "Plackett-Burman",
}
_SIZED = re.compile(rf"({'|'.join(DRAWN_SAMPLINGS)}|t-wise|plackett-burman)-([1-9]\d{{0,5}})")
LEARNER_TITLES = {
    "linear": "linear",
    "pair-wise-linear": "pair-wise linear",
    "stepwise": "stepwise with interactions",
    "lasso": "lasso",
    "pair-wise-lasso": "pair-wise lasso",
    "elastic-net": "elastic net",
    "lasso-chosen": "lasso, chosen penalty",
    "pair-wise-lasso-chosen": "pair-wise lasso, chosen penalty",
    "cart-6": "tree of depth 6",
    "cart": "tree",
    "random-forest": "random forest",
    "boosting": "gradient boosting",
    "pair-wise-lasso-log": "pair-wise lasso of logarithms",
    "cart-log": "tree of logarithms",
    "random-forest-log": "random forest of logarithms",
    "boosting-log": "gradient boosting of logarithms",
    "divide-and-learn": "divide and learn",
}


def sampling_parts(name: str) -> tuple[str, int]:
    """The kind of the sampling called `name` and the number in it: "random" and 50, "pair-wise" and 0.

    Raises `ConfigurationError`.
    """
    if sized := _SIZED.fullmatch(name):
        return sized[1], int(sized[2])
    if name not in SAMPLING_TITLES:
        numbered = (*(f"{one}-SIZE" for one in DRAWN_SAMPLINGS), "plackett-burman-ROWS")
        known = ", ".join((*SAMPLING_TITLES, "t-wise-STRENGTH", *numbered))
        raise ConfigurationError(f"no sampling is called {name!r}: known are {known}")
    return name, 0


def sampling_title(name: str) -> str:
    """The sampling called `name` in words: "50 at random", "pair-wise"; the name itself where nothing is called so."""
    size = name.rpartition("-")[2]
    titles = (
        SAMPLING_TITLES
        | _OLDER_SAMPLINGS
        | {
            f"random-{size}": f"{size} at random",
            f"{DISTANCE}-{size}": f"{size} by distance",
            f"{DIVERSIFIED}-{size}": f"{size} by distance, diversified",
            f"t-wise-{size}": f"{size}-wise",
            f"plackett-burman-{size}": f"Plackett-Burman of {size} rows",
        }
    )
    return titles.get(name, name)


@dataclass(frozen=True, slots=True)
class ApproachSettings:
    """What is evaluated: every sampling with every learner, over seeds 0, 1, ...

    `test` is the size of a test set; None: half of what was measured, at most 1000. `sizes` are those of random samples,
    and of those by distance that have no size in their name;
    None: 50 and 200 where they fit beside the test set, else half of what is left. Terms are counted from each of
    `thresholds` on, in the metric's unit; none: from 1 % of the median value.
    """

    samplings: tuple[str, ...] = SAMPLINGS
    sizes: tuple[int, ...] | None = None
    learners: tuple[str, ...] = tuple(LEARNER_TITLES)
    seeds: int = 10
    test: int | None = None
    thresholds: tuple[float, ...] = ()

    def samplings_of(self, left: int) -> tuple[str, ...]:
        """The samplings by name, random ones of each size first, where `left` configurations are no test ones."""
        fitting = tuple(size for size in SIZES if size <= left) or (max(left // 2, 1),)
        sizes = fitting if self.sizes is None else self.sizes
        named = (
            [f"{one}-{size}" for size in sizes] if one in (DISTANCE, DIVERSIFIED) else [one]
            for one in self.samplings
        )
        return (*(f"random-{size}" for size in sizes), *chain.from_iterable(named))

    def check_names(self) -> None:
        """Raise `ConfigurationError` or `InfluenceError` for a name that nothing has."""
        for name in self.samplings_of(1):
            sampling_parts(name)
        for name in self.learners:
            if name not in LEARNER_TITLES:
                known = ", ".join(LEARNER_TITLES)
                raise InfluenceError(f"no learner is called {name!r}: known are {known}")


class OverSeeds:
    """A row with `errors` in percent, one for each seed; a base of dataclasses."""

    __slots__ = ()
    errors: tuple[float, ...]

    @property
    def mean(self) -> float | None:
        """The mean error in percent."""
        return float(np.mean(self.errors)) if self.errors else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation (n - 1) of the errors."""
        return float(np.std(self.errors, ddof=1)) if len(self.errors) > 1 else None


@dataclass(frozen=True, slots=True)
class ApproachRow(OverSeeds):
    """One approach: what it cost, and how far off it is.

    `errors` are mean absolute percentage errors on the test sets, one per seed (of a corrected model one per seed and
    correction); none where `reason` says why. `rank_correlations` and `regrets` (percent) are of the same predictions, None where
    they tell none. `configurations`, `executions`, seconds and `terms` ((threshold, count),
    none for a model that is no sum of terms) are medians over the seeds. `seconds_once` is the time of measuring each
    configuration once, which compares approaches whatever their repetitions; `machine_seconds` that of all `executions`.
    `unpredicted` counts test configurations, over all seeds, that the model says nothing of: `errors` leave them out.
    `seen` tells that the model was made from other runs of the very configurations that it is tested on. A sampling
    that nothing can be learned from has one row, whose `learner` is blank.
    """

    sampling: str
    learner: str
    interpretable: bool
    local: bool
    wanted: int
    missing: int
    configurations: int = 0
    executions: int = 0
    seconds_once: float | None = None
    machine_seconds: float | None = None
    training_seconds: float | None = None
    errors: tuple[float, ...] = ()
    rank_correlations: tuple[float | None, ...] = ()
    regrets: tuple[float | None, ...] = ()
    terms: tuple[tuple[float, int], ...] = ()
    unpredicted: int = 0
    seen: bool = False
    reason: str = ""

    @property
    def key(self) -> str:
        """What tells it from the others."""
        return f"{self.sampling} {self.learner}"

    @property
    def sampling_title(self) -> str:
        """The sampling in words."""
        return sampling_title(self.sampling)

    @property
    def learner_title(self) -> str:
        """The learner in words; blank where the sampling has no error."""
        return (LEARNER_TITLES | _COMPOSED | _OLDER).get(self.learner, self.learner)

    @property
    def error(self) -> float | None:
        """The median error in percent."""
        return middle(self.errors)

    @property
    def rank_correlation(self) -> float | None:
        """The median rank correlation."""
        return middle(self.rank_correlations)

    @property
    def regret(self) -> float | None:
        """The median regret of the configurations that it recommends, in percent."""
        return middle(self.regrets)


def middle(values: Iterable[float | None]) -> float | None:
    """The median of those that are known."""
    known = [one for one in values if one is not None]
    return median(known) if known else None


@dataclass(frozen=True, slots=True)
class ApproachEvaluation:
    """All rows with what they share: how much was measured, how large a test set is and from how many it is drawn.

    `fixed` are the options that never varied in what was measured, with their level in words; `valid` counts the valid
    configurations that have these levels.
    """

    rows: tuple[ApproachRow, ...]
    measured: int
    valid: int
    test: int
    testable: int
    seeds: int
    thresholds: tuple[float, ...]
    fixed: tuple[tuple[str, str], ...] = ()
