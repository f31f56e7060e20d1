"""Tables II and III of the Comprex paper and its appendix: what approaches cost, how far off they are, their terms."""

import csv
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import numpy as np

from analytics.configurations.samplings import Sampling, feature_wise, pair_wise
from analytics.configurations.unconstrained import Unconstrained
from analytics.evaluation.approaches import (
    ApproachRow,
    ApproachSettings,
    MeasuredSystem,
    evaluate_approaches,
)
from analytics.influence.accuracy import ModelAccuracy, accuracy
from analytics.influence.models import fit
from studies.papers.comprex_system import PAPER, ComprexSystem, cells_of, systems
from studies.papers.tables import Cell, Effort, Quantity, ReproducedTable, ReproductionError, Tell, printed

THRESHOLDS = (0.1, 0.3, 0.7, 1.0)
APPENDIX = "published"
_LEARNERS = {
    "SL": "linear",
    "PSL": "pair-wise-linear",
    "LL": "lasso",
    "PLL": "pair-wise-lasso",
    "SLR": "stepwise",
    "LR": "stepwise",
    "EN": "elastic-net",
    "SDT": "cart-6",
    "DT": "cart",
    "RF": "random-forest",
}
_SAMPLINGS = {"R50": "random-50", "R200": "random-200", "FW": "feature-wise", "PW": "pair-wise"}
_UNMEASURED = "most configurations of this sampling were never measured end to end: the published data hold 2000 random ones"
_NO_NETWORK = "a neural network is no approach of Perfatlas"
_SETTINGS = (
    ("test set", "1000 of the measured configurations, another draw for each seed, none of them trained on"),
    ("random samples", "uniformly among the other measured configurations"),
    ("learners", "as reference/approaches says: scikit-learn's defaults, stepwise as MATLAB's `stepwiselm`"),
    ("spread", "standard deviation over seeds; of the corrected model over the five published corrections"),
    ("Comprex", "composed as published, judged on all 2000 configurations"),
)
_TERMS = (
    ("terms of Comprex", "those whose coefficient reaches the threshold in at least one region"),
    ("terms of a learner", "median over seeds"),
)
_SAMPLES_DIFFER = (
    "The black-box rows depend on samples that were not published, so they can agree in size only; single draws of 50 "
    "configurations scatter widely, as the spread shows."
)
_COMPOSED = (
    "Comprex is composed from the published measurements of regions by the authors' own aggregation; our predictions "
    "agree with theirs to 0.0005 s (`manage.py accuracy`). So where the error differs from the printed one, the "
    "difference lies in the end-to-end times it is judged by or in how their mean was taken, not in the model."
)
_OTHER_MACHINE = (
    "Learning times were taken on another machine with another library than the authors', who used MATLAB for the "
    "stepwise regression."
)
_MINUTES = (
    "Minutes of measuring are the sum of one run each of the configurations: of Comprex as profiled, of the others "
    "without the profiler."
)
_COUNTS = (
    "The counts of Comprex follow from the published measurements. Those of the stepwise regression depend on samples "
    "that were not published."
)


# The rows of a system's comparison by sampling and learner, and the accuracy of the composed model.
Results = tuple[dict[tuple[str, str], ApproachRow], ModelAccuracy]


def cost(data: Path, effort: Effort, tell: Tell) -> ReproducedTable:
    """Make Table II: configurations, the time to measure them, the time to learn. Raises `ReproductionError`."""
    published = printed("comprex-table-2")
    ours: dict[tuple[str, str], Quantity] = {}
    remarks: dict[tuple[str, str], str] = {}
    for key, system in systems(data, tell):
        costs, missing = _costs(system, _evaluated(system, effort, ("stepwise", "random-forest"), tell))
        ours |= {(row, key): value for row, value in costs.items()}
        remarks |= {(row, key): _UNMEASURED for row in missing}
    cells = cells_of(published, ours, remarks)
    reading = (_OTHER_MACHINE, _MINUTES)
    return _table("comprex-cost", "What approaches cost", "Table II", cells, reading)


def errors(data: Path, effort: Effort, tell: Tell) -> ReproducedTable:
    """Make Table III: mean absolute percentage errors. Raises `ReproductionError`."""
    results = _results(data, effort, ("stepwise", "random-forest"), tell)
    found = _errors(results, printed("comprex-table-3"), " & ")
    reading = (_SAMPLES_DIFFER, _COMPOSED)
    return _table("comprex-errors", "Errors of approaches", "Table III", found, reading)


def appendix_errors(data: Path, effort: Effort, tell: Tell) -> ReproducedTable:
    """Make the appendix's errors of all samplings and learners. Raises `ReproductionError`."""
    published = _appendix(data, "comprex-appendix-mape.csv", lambda row: row["approach"])
    learners = tuple(dict.fromkeys(_LEARNERS.values()))
    found = _errors(_results(data, effort, learners, tell), published, "+")
    title = "Errors of all samplings and learners"
    return _table("comprex-appendix-errors", title, "appendix", found, (_SAMPLES_DIFFER, _COMPOSED))


def appendix_terms(data: Path, effort: Effort, tell: Tell) -> ReproducedTable:
    """Make the appendix's numbers of terms from a threshold on. Raises `ReproductionError`."""
    published = _appendix(
        data,
        "comprex-appendix-terms.csv",
        lambda row: f"{row['approach']}, from {float(row['threshold_seconds'])} s",
    )
    ours: dict[tuple[str, str], Quantity] = {}
    remarks: dict[tuple[str, str], str] = {}
    for key, (rows, composed) in _results(data, effort, ("stepwise",), tell).items():
        for threshold in THRESHOLDS:
            ours[f"Comprex, from {threshold} s", key] = Quantity(composed.terms_local_threshold[threshold])
            for short, sampling in _SAMPLINGS.items():
                name = f"{short}+SLR, from {threshold} s"
                row = rows.get((sampling, "stepwise"))
                if row is None:
                    remarks[name, key] = _UNMEASURED
                else:
                    ours[name, key] = Quantity(dict(row.terms)[threshold])
    table = _table(
        "comprex-appendix-terms",
        "Numbers of terms from a threshold on",
        "appendix",
        cells_of(published, ours, remarks),
        (_COUNTS,),
    )
    return replace(table, settings=(*table.settings, *_TERMS))


def _table(
    name: str, title: str, place: str, cells: tuple[Cell, ...], reading: tuple[str, ...]
) -> ReproducedTable:
    """A table of the paper; `place` says where it stands there."""
    return ReproducedTable(
        name=name,
        title=title,
        source=f"{PAPER}, {place}",
        settings=_SETTINGS,
        cells=cells,
        reading=reading,
    )


def _results(data: Path, effort: Effort, learners: tuple[str, ...], tell: Tell) -> dict[str, Results]:
    """The results of every system whose measurements lie below `data`, by key."""
    return {key: _evaluated(system, effort, learners, tell) for key, system in systems(data, tell)}


def _evaluated(system: ComprexSystem, effort: Effort, learners: tuple[str, ...], tell: Tell) -> Results:
    """The approaches with these learners and the composed model, on what was measured end to end."""
    measured = MeasuredSystem(
        valid=Unconstrained(system.times.space),
        configurations=system.configurations,
        values=system.seconds,
        executions=np.full(len(system.seconds), 5),
        seconds=system.seconds,
    )
    comparison = evaluate_approaches(
        measured,
        ApproachSettings(learners=learners, seeds=effort.seeds, sizes=(50, 200), thresholds=THRESHOLDS),
        report=lambda share, words: tell(f"{system.title}: {share:.0%}, {words}"),
    )
    rows = {(row.sampling, row.learner): row for row in comparison.rows if row.errors}
    return rows, accuracy(fit(system.times), system.configurations, system.seconds, system.corrections)


def _errors(
    results: Mapping[str, Results], published: Mapping[tuple[str, str], Quantity], joint: str
) -> tuple[Cell, ...]:
    """Our errors beside the published ones, and why one is missing."""
    ours: dict[tuple[str, str], Quantity] = {}
    remarks: dict[tuple[str, str], str] = {}
    for row, key in published:
        if key not in results:
            continue
        rows, composed = results[key]
        if row == "Comprex (O)" and composed.mape_original is not None:
            ours[row, key] = Quantity(composed.mape_original)
        elif row in {"Comprex (C)", "Comprex"} and composed.mape_corrected_mean is not None:
            ours[row, key] = Quantity(composed.mape_corrected_mean, composed.mape_corrected_sd)
        else:
            sampling, _, learner = row.partition(joint)
            found = rows.get((_SAMPLINGS.get(sampling, ""), _LEARNERS.get(learner, "")))
            if found is None:
                remarks[row, key] = _UNMEASURED if learner in _LEARNERS else _NO_NETWORK
            else:
                ours[row, key] = Quantity(
                    mean(found.errors), stdev(found.errors) if len(found.errors) > 1 else None
                )
    return cells_of(published, ours, remarks, "%")


def _costs(system: ComprexSystem, results: Results) -> tuple[dict[str, Quantity], list[str]]:
    """Our costs by row, and the rows that are missing: their sampling was not measured end to end."""
    evaluated, composed = results
    space = Unconstrained(system.times.space)
    everything = space.count()
    designs: dict[str, Sampling] = {"FW": feature_wise, "PW": pair_wise}
    missing = []
    ours = {
        "BF configurations": Quantity(everything),
        "BF minutes": Quantity(everything * float(system.seconds.mean()) / 60),
    }
    for short, sampling in _SAMPLINGS.items():
        if short in designs:
            wanted = designs[short](space, np.random.default_rng(0))
            ours[f"{short} configurations"] = Quantity(len(wanted))
            missing += [f"{short} minutes", f"{short} & LR learning seconds"]
            continue
        row = evaluated[sampling, "stepwise"]
        ours[f"{short} configurations"] = Quantity(row.configurations)
        if row.seconds_once is not None:
            ours[f"{short} minutes"] = Quantity(row.seconds_once / 60)
        ours[f"{short} & LR learning seconds"] = _seconds(row)
    ours["RF learning seconds"] = _seconds(evaluated["random-200", "random-forest"])
    ours["Comprex configurations"] = Quantity(composed.configurations)
    ours["Comprex minutes"] = Quantity(float(system.profiled_seconds.sum()) / 60)
    return ours, missing


def _seconds(row: ApproachRow) -> Quantity:
    # A row with errors was trained.
    return Quantity(row.training_seconds or 0.0)


def _appendix(
    data: Path, name: str, row_of: Callable[[dict[str, str]], str]
) -> dict[tuple[str, str], Quantity]:
    """The numbers of an appendix's table, by row and system. Raises `ReproductionError`."""
    path = data / APPENDIX / name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReproductionError(
            f"{path}: cannot be read ({error.strerror}); give the folder by --data"
        ) from None
    return {
        (row_of(row), column): Quantity(float(value))
        for row in csv.DictReader(text.splitlines())
        for column, value in row.items()
        if column not in {"approach", "threshold_seconds"} and value
    }
