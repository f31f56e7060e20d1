"""Tables II and III of the Comprex paper and its appendix: what approaches cost, how far off they are, their terms."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from statistics import mean

import numpy as np

from analytics.configurations.selections import feature_wise, pair_wise
from analytics.configurations.validity import ValidConfigurations
from analytics.evaluation import ApproachRow, ApproachSettings
from analytics.influence.accuracy import ModelAccuracy, accuracy
from analytics.influence.models import fit
from studies.evaluation.approaches import evaluate_approaches
from studies.evaluation.measured_systems import MeasuredSystem
from studies.papers.comprex_system import PAPER, ComprexSystem, cells_of, systems
from studies.papers.tables import (
    Cell,
    Quantity,
    ReproducedTable,
    Reproduction,
    ReproductionError,
    numbers_in,
    printed,
)

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


# The rows of a system's evaluation by sampling and learner, and the accuracy of the composed model.
Results = tuple[dict[tuple[str, str], ApproachRow], ModelAccuracy]


def cost(work: Reproduction) -> ReproducedTable:
    """Make Table II: configurations, the time to measure them, the time to learn. Raises `ReproductionError`."""
    ours = {
        (row, key): value
        for key, system in systems(work)
        for row, value in _costs(system, _evaluated(system, work, ("stepwise", "random-forest"))).items()
    }
    cells = cells_of(printed("comprex-table-2"), ours)
    return _table("What approaches cost", "Table II", cells, (_OTHER_MACHINE, _MINUTES))


def errors(work: Reproduction) -> ReproducedTable:
    """Make Table III: mean absolute percentage errors. Raises `ReproductionError`."""
    cells = _errors(work, ("stepwise", "random-forest"), printed("comprex-table-3"), " & ")
    return _table("Errors of approaches", "Table III", cells, (_SAMPLES_DIFFER, _COMPOSED))


def appendix_errors(work: Reproduction) -> ReproducedTable:
    """Make the appendix's errors of all samplings and learners. Raises `ReproductionError`."""
    published = _appendix(work, "comprex-appendix-mape.csv", lambda row: row.pop("approach"))
    cells = _errors(work, tuple(dict.fromkeys(_LEARNERS.values())), published, "+")
    title = "Errors of all samplings and learners"
    return _table(title, "appendix", cells, (_SAMPLES_DIFFER, _COMPOSED))


def appendix_terms(work: Reproduction) -> ReproducedTable:
    """Make the appendix's numbers of terms from a threshold on. Raises `ReproductionError`."""
    published = _appendix(
        work,
        "comprex-appendix-terms.csv",
        lambda row: f"{row.pop('approach')}, from {float(row.pop('threshold_seconds'))} s",
    )
    ours: dict[tuple[str, str], Quantity | str] = {}
    for key, system in systems(work):
        rows, composed = _evaluated(system, work, ("stepwise",))
        for threshold in THRESHOLDS:
            ours[f"Comprex, from {threshold} s", key] = Quantity(composed.terms_local_threshold[threshold])
            for short, sampling in _SAMPLINGS.items():
                row = rows.get((sampling, "stepwise"))
                count = _UNMEASURED if row is None else Quantity(dict(row.terms)[threshold])
                ours[f"{short}+SLR, from {threshold} s", key] = count
    title = "Numbers of terms from a threshold on"
    table = _table(title, "appendix", cells_of(published, ours), (_COUNTS,))
    return replace(table, settings=(*table.settings, *_TERMS))


def _table(title: str, place: str, cells: tuple[Cell, ...], reading: tuple[str, ...]) -> ReproducedTable:
    """A table of the paper; `place` says where it stands there."""
    return ReproducedTable(title, f"{PAPER}, {place}", _SETTINGS, cells, reading)


def _evaluated(system: ComprexSystem, work: Reproduction, learners: tuple[str, ...]) -> Results:
    """The approaches with these learners and the composed model, on what was measured end to end."""
    measured = MeasuredSystem(
        valid=ValidConfigurations.unconstrained(system.times.space),
        configurations=system.configurations,
        values=system.seconds,
        executions=np.full(len(system.seconds), 5),
        seconds=system.seconds,
    )
    evaluation = evaluate_approaches(
        measured,
        ApproachSettings(learners=learners, seeds=work.seeds, sizes=(50, 200), thresholds=THRESHOLDS),
        report=lambda share, words: work.tell(f"{system.title}: {share:.0%}, {words}"),
    )
    rows = {(row.sampling, row.learner): row for row in evaluation.rows if row.errors}
    return rows, accuracy(fit(system.times), system.configurations, system.seconds, system.corrections)


def _errors(
    work: Reproduction,
    learners: tuple[str, ...],
    published: Mapping[tuple[str, str], Quantity],
    joint: str,
) -> tuple[Cell, ...]:
    """Our errors beside the published ones, and why one is missing; `joint` stands between sampling and learner."""
    results = {key: _evaluated(system, work, learners) for key, system in systems(work)}
    ours: dict[tuple[str, str], Quantity | str] = {}
    for row, key in published:
        if key not in results:
            continue
        rows, composed = results[key]
        if row == "Comprex (O)" and composed.quality.error is not None:
            ours[row, key] = Quantity(composed.quality.error)
        elif row in {"Comprex (C)", "Comprex"} and composed.mape_corrected_mean is not None:
            ours[row, key] = Quantity(composed.mape_corrected_mean, composed.mape_corrected_sd)
        else:
            sampling, _, learner = row.partition(joint)
            found = rows.get((_SAMPLINGS.get(sampling, ""), _LEARNERS.get(learner, "")))
            if found is None:
                ours[row, key] = _UNMEASURED if learner in _LEARNERS else _NO_NETWORK
            else:
                ours[row, key] = Quantity(mean(found.errors), found.deviation)
    return cells_of(published, ours, unit="%")


def _costs(system: ComprexSystem, results: Results) -> dict[str, Quantity | str]:
    """Our costs by row; the reason where a sampling was not measured end to end."""
    evaluated, composed = results
    space = ValidConfigurations.unconstrained(system.times.space)
    everything = space.count()
    designs = {"FW": feature_wise(space), "PW": pair_wise(space)}
    ours: dict[str, Quantity | str] = {
        "BF configurations": Quantity(everything),
        "BF minutes": Quantity(everything * float(system.seconds.mean()) / 60),
    }
    for short, sampling in _SAMPLINGS.items():
        if short in designs:
            ours[f"{short} configurations"] = Quantity(len(designs[short]))
            ours[f"{short} minutes"] = ours[f"{short} & LR learning seconds"] = _UNMEASURED
            continue
        row = evaluated[sampling, "stepwise"]
        ours[f"{short} configurations"] = Quantity(row.configurations)
        if row.seconds_once is not None:
            ours[f"{short} minutes"] = Quantity(row.seconds_once / 60)
        # A row with errors was trained.
        ours[f"{short} & LR learning seconds"] = Quantity(row.training_seconds or 0.0)
    ours["RF learning seconds"] = Quantity(evaluated["random-200", "random-forest"].training_seconds or 0.0)
    ours["Comprex configurations"] = Quantity(composed.configurations)
    ours["Comprex minutes"] = Quantity(float(system.profiled_seconds.sum()) / 60)
    return ours


def _appendix(
    work: Reproduction, name: str, row_of: Callable[[dict[str, str]], str]
) -> dict[tuple[str, str], Quantity]:
    """The numbers of an appendix's table, by row and system. Raises `ReproductionError`."""
    path = work.data / APPENDIX / name
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ReproductionError(
            f"{path}: cannot be read ({error.strerror}); give the folder by --data"
        ) from None
    return numbers_in(text, row_of)
