"""What it brings that a learned model chooses whether effects add up or multiply.

Models are learned from 1, 2 and 3 times as many configurations as there are features (levels off the reference), drawn at
random, and predict up to 500 others: the mean error in percent, and the regret of the best predicted of these, medians over
the repetitions, of sums alone and of what is chosen. The rule was made with `TUNED` (see `configurable_systems`).

    python -m benchmarks.bench_scales [repetitions]
"""

import sys

import numpy as np

from analytics.influence.accuracy import PredictionQuality, prediction_quality
from analytics.influence.learned import learn_linear
from analytics.influence.scale_choice import choose_terms_and_scale
from analytics.influence.term_choice import choose_terms
from benchmarks.configurable_systems import ConfigurableSystem, all_published

REPETITIONS = 10
SIZES = (1, 2, 3)
PREDICTED = 500


def judged(
    system: ConfigurableSystem, size: int, seed: int
) -> tuple[PredictionQuality, PredictionQuality, bool]:
    """How good sums are, and what is chosen; whether that multiplies."""
    order = np.random.default_rng([20_265, size, seed]).permutation(len(system.configurations))
    count = min(size * system.features, len(order) // 2)
    rows, values = system.configurations[order[:count]], system.truth[order[:count]]
    others = order[count:][:PREDICTED]
    summed = learn_linear(system.space, choose_terms(system.space, rows, values[:, None]), rows, values)
    chosen = choose_terms_and_scale(system.space, rows, values[:, None])
    found = learn_linear(
        system.space, chosen.levels, rows, values, is_multiplicative=chosen.is_multiplicative
    )
    sums, best = (
        prediction_quality(one.model.predict(system.configurations[others]), system.truth[others])
        for one in (summed, found)
    )
    return sums, best, chosen.is_multiplicative


def main() -> None:
    """Print a row for each system and size."""
    repetitions = int(sys.argv[1]) if sys.argv[1:] else REPETITIONS
    print(
        f"{'':24}{'sums, error':>14}{'chosen, error':>15}{'sums, regret':>14}{'chosen, regret':>16}{'multiply':>10}"
    )
    for system, held_out in all_published():
        for size in SIZES:
            sums, best, multiplies = zip(
                *(judged(system, size, seed) for seed in range(repetitions)), strict=True
            )
            told = [
                f"{np.median([getattr(one, name) for one in several]):.1f} %"
                for name in ("error", "regret")
                for several in (sums, best)
            ]
            label = f"{system.name}{', held out' if held_out else ''}, {size} x"
            share = f"{sum(multiplies)} of {repetitions}"
            print(f"{label:24}{told[0]:>14}{told[1]:>15}{told[2]:>14}{told[3]:>16}{share:>10}", flush=True)


if __name__ == "__main__":
    main()
