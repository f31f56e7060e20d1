"""How well ten measurements of a new workload, with what other workloads tell, predict its other configurations.

Each workload in turn is left out, and known by a few configurations drawn at random. What is predicted are those that no
model has seen. *Borrowed* is `analytics.workloads.borrowed`. Others:

- *plain*: a model of the own measurements alone, of logarithms or of the values, or a ridge regression on all levels of
  options: whichever of the three errs least in that draw, which nobody knows beforehand;
- *nearest*: the one known workload whose ratio to the own values scatters least, scaled by one factor;
- *combined*: a linear combination of all known workloads, by ridge regression on the own values.

The error is the mean absolute percentage error. *Terms* held: intervals of coefficients that hold what the same terms get from all
configurations.

    python -m benchmarks.bench_new_workloads [folder of a study ...]

Rules were made with xz, FastDownward, and lrzip and jump3r of the same study as xz (Mühlbauer et al., ICSE 2023). Nothing was made with
dconvert, nor with the other systems of that study.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.term_choice import choose_terms
from analytics.influence.times import FloatArray
from analytics.workloads.borrowed import borrow, left_out_errors
from analytics.workloads.families import learn_family
from analytics.workloads.sample import WorkloadSample, complete_sample
from benchmarks.configurable_systems import DATA
from dashboard.importers import spl_conqueror
from dashboard.importers.settings import NO_SETTINGS
from studies.papers.tables import read_records

OWN, DRAWS, MOST_WORKLOADS = 10, 5, 20
PENALTIES = 10.0 ** np.arange(-6, 3)


def sample_of(folder: Path) -> tuple[OptionSpace, WorkloadSample]:
    """The newest revision of a study, all of its workloads; times rather than other metrics."""
    records = read_records(folder, lambda source: spl_conqueror.read(source, NO_SETTINGS))
    space = records.option_space()
    levels = space.encode(one.assignments for one in records.configurations)
    newest = records.revisions[-1].name
    names = [one.quantity for one in records.metrics]
    metric = next((names.index(one) for one in ("performance", "time") if one in names), 0)
    table = records.measurements
    workloads = sorted({run.workload for run in records.runs})
    sums, counts = (np.zeros((len(levels), len(workloads))) for _ in range(2))
    for run, value in zip(
        *(column[table.metric == metric].tolist() for column in (table.run, table.value)), strict=True
    ):
        if records.runs[run].revision == newest:
            cell = records.runs[run].configuration, workloads.index(records.runs[run].workload)
            sums[cell] += value
            counts[cell] += 1
    values = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    return space, complete_sample(levels, values, workloads)


def ridge(own: FloatArray, values: FloatArray, others: FloatArray) -> FloatArray:
    """Linear regression (m, n_features) with the penalty that errs least on values left out, predicting `others`."""
    middle, mean = own.mean(axis=0), values.mean()
    left, sizes, right = np.linalg.svd(own - middle, full_matrices=False)
    tried = []
    for penalty in PENALTIES * max(float(sizes.max()) ** 2, 1e-12):
        kept = sizes / (sizes**2 + penalty)
        coefficients = right.T @ (kept * (left.T @ (values - mean)))
        leverage = ((left * (sizes * kept)) * left).sum(axis=1) + 1 / len(values)
        off = (values - mean - (own - middle) @ coefficients) / np.maximum(1 - leverage, 1e-9)
        tried.append((float((off**2).mean()), coefficients))
    found: FloatArray = mean + (others - middle) @ min(tried, key=lambda one: one[0])[1]
    return found


def plain(space: OptionSpace, rows: IntArray, logs: FloatArray, others: IntArray) -> Iterator[FloatArray]:
    """What models of these values alone predict, as logarithms."""
    for values, back in ((logs, False), (np.exp(logs), True)):
        levels = choose_terms(space, rows, values[:, np.newaxis], degree=2)
        coefficients = np.linalg.lstsq(design_matrix(levels, rows), values, rcond=None)[0]
        predicted = design_matrix(levels, others) @ coefficients
        # Sums of seconds may be below zero: no less than a tenth of the least.
        yield np.log(np.maximum(predicted, values.min() / 10)) if back else predicted
    alone = terms_up_to(space, 1)[1:]
    yield ridge(design_matrix(alone, rows), logs, design_matrix(alone, others))


def error(predicted: FloatArray, logs: FloatArray) -> float:
    """The mean absolute percentage error of predicted logarithms."""
    return float(100 * np.abs(np.expm1(np.minimum(predicted - logs, 50.0))).mean())


def one_draw(
    space: OptionSpace, sample: WorkloadSample, new: int, rng: np.random.Generator
) -> tuple[dict[str, float], dict[str, float]]:
    """Errors by how they were predicted, and shares of intervals that hold the truth, for the workload `new`."""
    rows, logs = sample.configurations, np.log(sample.values)
    order = rng.permutation(len(rows))
    own, twice, others = order[:OWN], order[: 2 * OWN], order[2 * OWN :]
    known = WorkloadSample(
        rows,
        np.delete(sample.values, new, axis=1),
        (*sample.workloads[:new], *sample.workloads[new + 1 :]),
    )
    family, truth, levels = learn_family(space, known), logs[:, new], np.delete(logs, new, axis=1)
    found = borrow(family, rows[own], sample.values[own, new])
    predicted, margins = found.predict(rows[others])
    ratios = truth[own, np.newaxis] - levels[own]
    nearest = int(ratios.var(axis=0).argmin())
    errors = {
        "borrowed": error(predicted, truth[others]),
        "plain 10": min(
            error(one, truth[others]) for one in plain(space, rows[own], truth[own], rows[others])
        ),
        "plain 20": min(
            error(one, truth[others]) for one in plain(space, rows[twice], truth[twice], rows[others])
        ),
        "nearest": error(levels[others, nearest] + ratios[:, nearest].mean(), truth[others]),
        "combined": error(ridge(levels[own], truth[own], levels[others]), truth[others]),
    }
    count = len(family.levels)
    true = np.linalg.pinv(design_matrix(family.levels, rows)) @ truth
    held = {
        "predictions": float((np.abs(predicted - truth[others]) <= margins).mean()),
        "terms": float((np.abs(found.coefficients[:count] - true) <= found.margins)[1:].mean()),
        "estimated": float(100 * left_out_errors(family, rows[own], sample.values[own, new]).mean()),
    }
    return errors, held


def report(folder: Path) -> None:
    """Print a row: the median error of each way, how often borrowed is better than plain models of twice as many."""
    space, sample = sample_of(folder)
    rng = np.random.default_rng(20_264)
    every = np.arange(len(sample.workloads))
    chosen = (
        every if len(every) <= MOST_WORKLOADS else np.sort(rng.choice(every, MOST_WORKLOADS, replace=False))
    )
    drawn = [one_draw(space, sample, int(new), rng) for new in chosen for _ in range(DRAWS)]
    errors = {name: np.array([one[name] for one, _ in drawn]) for name in drawn[0][0]}
    held = {name: np.array([one[name] for _, one in drawn]) for name in drawn[0][1]}
    better = 100 * (errors["borrowed"] < errors["plain 20"]).mean()
    cells = "".join(f"{np.median(one):>10.1f}" for one in errors.values())
    print(
        f"{folder.name:14}{len(sample.values):>6} x {len(sample.workloads):<3}{cells}{better:>10.0f} %"
        f"{100 * held['predictions'].mean():>9.1f} %{100 * held['terms'].mean():>8.1f} %{np.median(held['estimated']):>11.1f}",
        flush=True,
    )


def main() -> None:
    """Print a table of the studies given, or of those beside the project."""
    folders = [Path(one) for one in sys.argv[1:]] or sorted((DATA / "workloads").glob("*/"))
    names = ("borrowed", "plain 10", "plain 20", "nearest", "combined")
    print(
        f"{'median error, %':27}"
        + "".join(f"{one:>10}" for one in names)
        + f"{'< plain 20':>12}{'held: predictions':>11}{'terms':>8}{'estimated':>11}"
    )
    for folder in folders:
        report(folder)


if __name__ == "__main__":
    main()
