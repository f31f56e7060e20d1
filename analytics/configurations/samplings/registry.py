"""All samplings by name: what exists depends on this list, not on what was imported."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from analytics.configurations.errors import UnknownSamplingError
from analytics.configurations.options import IntArray
from analytics.configurations.samplings.covering import TWise
from analytics.configurations.samplings.designs import Exhaustive, FeatureWise, NegativeFeatureWise, PairWise
from analytics.configurations.samplings.random import UniformRandom
from analytics.configurations.validity import ValidConfigurations

_SIZED = re.compile(r"(random|t-wise)-([1-9]\d{0,5})")


class Sampling(Protocol):
    """Settings of a sampling, and the configurations it chooses."""

    def choose(self, valid: ValidConfigurations, rng: np.random.Generator, /) -> IntArray:
        """Different valid configurations, shape (n, n_options), the same for the same seed."""


@dataclass(frozen=True, slots=True)
class SamplingEntry:
    """A kind of sampling: its title, and how it is made from the number after its name (None: it takes none)."""

    title: str
    make: Callable[[int | None], Sampling]
    takes_number: str = ""


SAMPLINGS: Mapping[str, SamplingEntry] = {
    "exhaustive": SamplingEntry("exhaustive", lambda _: Exhaustive()),
    "feature-wise": SamplingEntry("feature-wise", lambda _: FeatureWise()),
    "negative-feature-wise": SamplingEntry("negative feature-wise", lambda _: NegativeFeatureWise()),
    "pair-wise": SamplingEntry("pair-wise", lambda _: PairWise()),
    "t-wise": SamplingEntry("t-wise", lambda strength: TWise(strength or 2), "strength"),
    "random": SamplingEntry("random", lambda size: UniformRandom(size or 1), "size"),
}


def sampling_title(name: str) -> str:
    """The sampling called `name` in words: "50 at random", "pair-wise"; the name itself where nothing is called so."""
    if name in SAMPLINGS:
        return SAMPLINGS[name].title
    kind, _, size = name.rpartition("-")
    return {"random": f"{size} at random", "t-wise": f"{size}-wise"}.get(kind, name)


def sampling_called(name: str) -> Sampling:
    """The sampling called `name`: `feature-wise`, `random-50` (size), `t-wise-3` (strength).

    Raises `UnknownSamplingError`.
    """
    sized = _SIZED.fullmatch(name)
    if sized:
        return SAMPLINGS[sized[1]].make(int(sized[2]))
    entry = SAMPLINGS.get(name)
    if entry is None or entry.takes_number:
        known = ", ".join(
            f"{key}-{entry.takes_number.upper()}" if entry.takes_number else key
            for key, entry in SAMPLINGS.items()
        )
        raise UnknownSamplingError(f"no sampling is called {name!r}: known are {known}")
    return entry.make(None)
