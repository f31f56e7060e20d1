"""Made-up option spaces, partitions and measurements for property tests."""

from collections.abc import Sequence
from itertools import product

import numpy as np
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Level, Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.times import FloatArray, RegionTimes

NAMES = ("A", "smart-quotes", "x.y", "not", "D1")
LEVELS: tuple[tuple[Level, ...], ...] = (
    (False, True),
    (0, 1),
    ("zlib", "lz4", "very fast"),
    (1, 2, 4),
    (0.5, 1.5),
)


@st.composite
def option_spaces(draw: st.DrawFn, *, max_options: int = 4) -> OptionSpace:
    """A space of one to `max_options` options with two or three levels each."""
    count = draw(st.integers(1, max_options))
    return OptionSpace(tuple(Option(name, draw(st.sampled_from(LEVELS))) for name in NAMES[:count]))


def every_configuration(space: OptionSpace) -> IntArray:
    """All configurations of `space`, the reference first."""
    return np.array(list(product(*map(range, space.sizes))), dtype=np.int8).reshape(-1, len(space.options))


def levels_in(space: OptionSpace, configuration: IntArray) -> dict[str, Level]:
    """The level of every option in `configuration`, as the program takes it."""
    return {one.name: one.levels[level] for one, level in zip(space.options, configuration, strict=True)}


def exactly(space: OptionSpace, position: int, level: int) -> str:
    """The literal that holds for one level of an option, written the long way."""
    option = space.options[position]
    return f'{option.name}="{option.text(level)}"'


@st.composite
def partitions(draw: st.DrawFn, space: OptionSpace, *, max_options: int = 3) -> Partition:
    """A partition over some options whose cells fell into subspaces at random, its formulas read back."""
    positions = draw(
        st.lists(
            st.integers(0, len(space.options) - 1), unique=True, max_size=min(max_options, len(space.options))
        )
    )
    cells = list(product(*(range(space.sizes[position]) for position in positions)))
    labels = draw(st.lists(st.integers(0, 3), min_size=len(cells), max_size=len(cells)))
    formulas: dict[int, list[str]] = {}
    for cell, label in zip(cells, labels, strict=True):
        atoms = [exactly(space, position, level) for position, level in zip(positions, cell, strict=True)]
        formulas.setdefault(label, []).append("(" + " & ".join(atoms or ["True"]) + ")")
    return Partition.from_formulas(space, [" | ".join(parts) for parts in formulas.values()])


def measured(
    space: OptionSpace, parts: Sequence[Partition], configurations: IntArray, values: FloatArray
) -> RegionTimes:
    """Measurements of regions R0, R1, ... in which every run happened."""
    return RegionTimes(
        space=space,
        regions=tuple(f"R{index}" for index in range(len(parts))),
        partitions=tuple(parts),
        configurations=configurations,
        values=values,
        ran=np.ones(values.shape[1:], dtype=bool),
    )


@st.composite
def noiseless_times(draw: st.DrawFn) -> RegionTimes:
    """Every configuration of a space, measured once, each region with whole milliseconds per subspace."""
    space = draw(option_spaces())
    parts = draw(st.lists(partitions(space), min_size=1, max_size=4))
    configurations = every_configuration(space)
    seconds = [
        np.array(draw(st.lists(st.integers(0, 9_000), min_size=part.n_subspaces, max_size=part.n_subspaces)))
        / 1000
        for part in parts
    ]
    values = np.stack([own[part.assign(configurations)] for own, part in zip(seconds, parts, strict=True)])
    return measured(space, parts, configurations, values[:, :, np.newaxis])


@st.composite
def noisy_times(draw: st.DrawFn) -> RegionTimes:
    """As `noiseless_times`, with three repetitions that differ by a seeded 5 %."""
    times = draw(noiseless_times())
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = times.values * rng.normal(1.0, 0.05, size=(*times.values.shape[:2], 3))
    return measured(times.space, times.partitions, times.configurations, values)


def configurations_of(space: OptionSpace) -> st.SearchStrategy[IntArray]:
    """One configuration of `space`."""
    return st.tuples(*(st.integers(0, size - 1) for size in space.sizes)).map(
        lambda levels: np.array(levels, dtype=np.int8)
    )
