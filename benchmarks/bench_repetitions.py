"""How often the 95 % interval of a cell's median holds after repetitions as needed, and how many runs it takes.

Blocks in random order as a measurement makes them: 3 to 10 runs of each cell, until its interval is within 2 %. The weights of
`analytics.repetitions` were chosen with the first kinds of noise and 1, 3, 12 and 40 cells, under another seed; nothing was
chosen with the held-out kinds, nor with these numbers of cells. A cell's true value is the median of its kind.

    python -m benchmarks.bench_repetitions [jobs [cells ...]]
"""

import sys
from functools import cache

import numpy as np

from analytics.histories.measurements import FloatArray, IntArray
from analytics.repetitions import RepetitionRule, half_widths
from benchmarks.noise_kinds import HELD_OUT, NOISE, TUNED, Kind

# About so many cells of each kind and number of cells in a job.
JUDGED, CELLS = 600, (1, 2, 8, 30)
# Standard deviations of one run where the noise is normal.
SCATTERS = (0.005, 0.01, 0.02, 0.04)
SEED = 20_264
KINDS = ("Gaussian", "Student t, 3 degrees", "bimodal", "AR(1) 0.3", "AR(1) 0.6", "AR(1) 0.9")
OTHERS = ("moving average of 4", "AR(2), swinging", "AR(1) 0.75", "one outlier in 20", "two speeds")


@cache
def middle(kind: Kind) -> float:
    """Return the median of a kind of noise."""
    return float(np.median(kind(np.random.default_rng(SEED), 200_000)))


def job(runs: FloatArray, rule: RepetitionRule, rng: np.random.Generator) -> tuple[FloatArray, IntArray]:
    """Make runs of cells until none needs more; returns their times and cells, in order.

    `runs` (cells, most) are the times of each cell's runs; or (cells * most,) of one run after the other, whichever it is.
    """
    cells = runs.size // rule.most
    times: list[float] = []
    order: list[int] = []
    counts, to_go = np.zeros(cells, dtype=np.int64), np.full(cells, rule.most)
    while to_go.any():
        for cell in rng.permutation(np.flatnonzero(to_go)).tolist():
            times.append(float(runs[len(order)] if runs.ndim == 1 else runs[cell, counts[cell]]))
            order.append(cell)
            counts[cell] += 1
        to_go = rule.runs_to_go(counts, half_widths(np.array(times), np.array(order), cells))
    return np.array(times), np.array(order)


def judge(
    kind: Kind, cells: int, scatter: float, jobs: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return the shares of intervals that hold, of runs that were made, and the mean error in percent."""
    rule, held, made, errors = RepetitionRule(), [], 0, []
    for _ in range(jobs):
        noise = np.exp((kind(rng, cells * rule.most) - middle(kind)) * (scatter / NOISE))
        times, places = job(noise, rule, rng)
        widths = half_widths(times, places, cells)
        medians = np.array([np.median(np.log(times[places == cell])) for cell in range(cells)])
        held += (np.abs(medians) <= widths).tolist()
        errors += medians.tolist()
        made += len(times)
    return float(np.mean(held)), made / (jobs * cells * rule.most), 100 * float(np.mean(errors))


def main() -> None:
    """Print one table for each number of cells."""
    judged, *sizes = [int(one) for one in sys.argv[1:]] or [JUDGED]
    rng = np.random.default_rng(SEED)
    for cells in sizes or CELLS:
        print(
            f"jobs of {cells} cells: intervals that hold % / runs made % / mean error %, by the scatter of one run"
        )
        print(f"{'':22}" + "".join(f"{100 * scatter:>16g} %" for scatter in SCATTERS))
        for title, names, kinds in (("", KINDS, TUNED), ("held out", OTHERS, HELD_OUT)):
            if title:
                print(title)
            for name in names:
                row = [judge(kinds[name], cells, scatter, -(-judged // cells), rng) for scatter in SCATTERS]
                told = [f"{100 * held:.0f} / {100 * made:.0f} / {error:+.2f}" for held, made, error in row]
                print(f"{name:22}" + "".join(f"{cell:>18}" for cell in told), flush=True)


if __name__ == "__main__":
    main()
