"""How many of the intervals that are told for 95 % hold the truth.

Models are learned from 1, 2 and 3 times as many configurations as there are features (levels off the reference), drawn at
random. *Predictions* are of configurations that were not among them, *differences* of one of these against another, *changes* against one that
differs in one option, *recommended* is the best predicted one. An *influence* is true if it is what the same terms would get from all
configurations, without noise. Which systems and seeds rules were made with says `configurable_systems`.

    python -m benchmarks.bench_intervals [repetitions [predictions | influences | differences | changes | recommended ...]]
"""

import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.influence.learned import learn_linear
from analytics.influence.scale_choice import choose_terms_and_scale
from analytics.influence.stored import LearnedModel
from analytics.influence.times import FloatArray
from benchmarks.configurable_systems import NOISES, ConfigurableSystem, all_published, made_up

REPETITIONS = 20
SIZES = (1, 2, 3)
# So many others are predicted.
PREDICTED = 200
SWITCHES = 10

Held = tuple[int, int]  # intervals that hold the truth, of how many
Judge = Callable[[ConfigurableSystem, int, np.random.Generator], Held]


def learned(
    system: ConfigurableSystem, size: int, rng: np.random.Generator
) -> tuple[LearnedModel, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """A model of `size` times as many configurations as features, and the rows that it did not see."""
    order = rng.permutation(len(system.configurations))
    count = min(size * system.features, len(order) // 2)
    rows = system.configurations[order[:count]]
    values = system.measure(system.truth[order[:count]], rng)[:, None]
    chosen = choose_terms_and_scale(system.space, rows, values)
    found = learn_linear(
        system.space,
        chosen.levels,
        rows,
        values[:, 0],
        without_parts=chosen.without_parts,
        is_multiplicative=chosen.is_multiplicative,
    )
    return found, order[count:]


def inside(found: LearnedModel, predicted: FloatArray, values: FloatArray) -> BoolArray:
    """Whether the 95 % intervals of what is `predicted` (n,) hold the `values`; where nothing tells them they do not."""
    told = [found.prediction(one) for one in predicted.tolist()]
    low, high = (np.array([getattr(one, end) for one in told], dtype=float) for end in ("low", "high"))
    return np.asarray((low <= values) & (values <= high))


def predictions(system: ConfigurableSystem, size: int, rng: np.random.Generator) -> Held:
    """Of configurations that the model did not see: what they take when measured."""
    found, others = learned(system, size, rng)
    predicted = found.model.predict(system.configurations[others[:PREDICTED]])
    told = np.isfinite(predicted) & (found.margin is not None)
    measured = system.measure(system.truth[others[:PREDICTED]], rng)
    return int(inside(found, predicted, measured)[told].sum()), int(told.sum())


def influences(system: ConfigurableSystem, size: int, rng: np.random.Generator) -> Held:
    """Of the chosen terms, the intercept not counted."""
    found, _ = learned(system, size, rng)
    model = found.model.whole
    whole = learn_linear(
        system.space,
        model.levels,
        system.configurations,
        system.truth,
        is_multiplicative=found.model.is_multiplicative,
    ).model.terms
    terms = model.terms
    told = (terms.degrees > 0) & np.isfinite(terms.margins) & whole.determined
    off = np.abs(terms.coefficients - whole.coefficients)
    return int((off <= terms.margins)[told].sum()), int(told.sum())


def differences(system: ConfigurableSystem, size: int, rng: np.random.Generator) -> Held:
    """Of pairs that the model did not see: how much more the second one takes, when both are measured."""
    found, others = learned(system, size, rng)
    return _apart(system, found, others[: min(PREDICTED, len(others) // 2 * 2)].reshape(-1, 2), rng)


def changes(system: ConfigurableSystem, size: int, rng: np.random.Generator) -> Held:
    """The same of one that the model did not see, and one of those that differ from it in one option."""
    found, others = learned(system, size, rng)
    pairs = []
    for row in others[: PREDICTED // 2].tolist():
        near = np.flatnonzero((system.configurations != system.configurations[row]).sum(axis=1) == 1)
        if len(near):
            pairs.append((row, int(rng.choice(near))))
    return _apart(system, found, np.array(pairs, dtype=int).reshape(-1, 2), rng)


def _apart(
    system: ConfigurableSystem,
    found: LearnedModel,
    pairs: np.ndarray[tuple[int, int], np.dtype[np.intp]],
    rng: np.random.Generator,
) -> Held:
    """Of `pairs` (n, 2) of rows: whether the told differences hold those of values measured once each."""
    measured = np.diff(system.measure(system.truth[pairs], rng), axis=1)[:, 0]
    held = []
    for (before, after), value in zip(system.configurations[pairs], measured.tolist(), strict=True):
        told = found.difference(before, after)
        if told.low is not None and told.high is not None:
            held.append(told.low <= value <= told.high)
    return sum(held), len(held)


def recommended(system: ConfigurableSystem, size: int, rng: np.random.Generator) -> Held:
    """Of the one configuration, among those that the model did not see, with the best prediction."""
    found, others = learned(system, size, rng)
    predicted = found.model.predict(system.configurations[others])
    if found.margin is None or not np.isfinite(predicted).any():
        return 0, 0
    best = slice(int(np.nanargmin(predicted)), int(np.nanargmin(predicted)) + 1)
    measured = system.measure(system.truth[others[best]], rng)
    return int(inside(found, predicted[best], measured)[0]), 1


JUDGES: dict[str, Judge] = {
    judge.__name__: judge for judge in (predictions, influences, differences, changes, recommended)
}


def share(held: list[Held]) -> str:
    """Return `95 % of 120`; a dash where no interval was told."""
    inside, of = (sum(column) for column in zip(*held, strict=True))
    return f"{100 * inside / of:.0f} % of {of}" if of else "–"


def report(name: str, judge: Judge, system_of: Callable[[int], ConfigurableSystem], repetitions: int) -> None:
    """Print one row: a column for each size of the training set."""
    cells = []
    for size in SIZES:
        held = []
        for seed in range(repetitions):
            rng = np.random.default_rng([20_263, size, seed])
            held.append(judge(system_of(seed), size, rng))
        cells.append(share(held))
    print(f"{name:34}" + "".join(f"{cell:>16}" for cell in cells), flush=True)


def _same(system: ConfigurableSystem, _seed: int) -> ConfigurableSystem:
    return system


def main() -> None:
    """Print a table for each kind of interval of learned models."""
    repetitions = int(sys.argv[1]) if sys.argv[1:] else REPETITIONS
    wanted = sys.argv[2:] or list(JUDGES)
    for title, judge in ((one, JUDGES[one]) for one in wanted):
        print(f"{title} of learned models" + "".join(f"{f'{size} x features':>16}" for size in SIZES))
        for noise in NOISES:
            report(f"made up, {noise}", judge, partial(made_up, noise, SWITCHES), repetitions)
        for system, held_out in all_published():
            label = f"{system.name}{', held out' if held_out else ''}"
            report(label, judge, partial(_same, system), repetitions)


if __name__ == "__main__":
    main()
