"""Evaluating approaches on one system: a sampling with a learner, or a model that came about otherwise.

For each seed one test set is drawn from what was measured, and no approach trains on any of it. A sampling that asks
for configurations which were never measured is reported with their number, and without an error where they are more
than one in ten: no other configuration takes their place. One that leaves too few to test on gets no error either.
Options that never varied in what was measured are held at their level: samplings ask for no other.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from analytics.configurations.distances import distance_based, listed_by_distance
from analytics.configurations.options import IntArray
from analytics.evaluation import (
    DIVERSIFIED,
    LEARNER_TITLES,
    RANDOM,
    ApproachEvaluation,
    ApproachRow,
    ApproachSettings,
    sampling_parts,
)
from analytics.influence.accuracy import PredictionQuality
from analytics.influence.errors import InfluenceError
from analytics.influence.terms import TermTable
from analytics.progress import Progress, no_progress
from analytics.whitebox.option_reads import ReadsModel
from studies.evaluation.measured_systems import GivenModel, MeasuredSystem
from studies.evaluation.method_models import MethodModels
from studies.evaluation.samplings import drawn_size, sampling_called
from studies.evaluation.splits import Split, draw_splits, learn
from studies.learners.registry import LEARNERS, Fitted

MOST_TEST = 1000
TRIVIAL = 0.01  # of the median value: 0.3 s of about 30 s in Velez et al., ICSE 2021, Sec. V-B
ENOUGH = 0.9  # of what a sampling asks for: with less of it measured, it is not that sampling any more
LEAST_TEST = 5
_ZERO = 1e-12  # of the largest coefficient: what is left of a coefficient that is 0


def evaluate_approaches(
    system: MeasuredSystem,
    settings: ApproachSettings,
    given: Sequence[GivenModel] = (),
    report: Progress = no_progress,
) -> ApproachEvaluation:
    """Judge approaches on `system`; `report` is told the share done, and may raise to end it.

    A given model whose configurations leave too few to test on is tested on them all the same, and its row says so: it
    saw other runs of them, not these values. Raises `InfluenceError` where too little
    was measured, `ConfigurationError`, `InfluenceError` and what samplings raise.
    """
    settings.check_names()
    measured = len(system.values)
    size = min(MOST_TEST, measured // 2) if settings.test is None else settings.test
    if not LEAST_TEST <= size < measured or settings.seeds < 1:
        raise InfluenceError(
            f"{size} test configurations of {measured} measured ones over {settings.seeds} seeds: "
            f"an evaluation needs at least {LEAST_TEST} to test on, some more to learn from, and one seed"
        )
    fixed = system.never_varied()
    system = replace(system, valid=system.valid.holding(fixed))
    blank, designs = _samples(system, settings.samplings_of(measured - size), size)
    testable = np.setdiff1d(np.arange(measured), np.concatenate([[], *designs.values()]))
    seen: list[GivenModel] = []
    for one in given:
        unseen = np.setdiff1d(testable, system.rows_of(one.configurations))
        if len(unseen) >= size:
            testable = unseen
        else:
            seen.append(one)
    splits = draw_splits(np.arange(measured), testable, size=size, seeds=settings.seeds)
    thresholds = settings.thresholds or (TRIVIAL * float(np.median(system.values)),)
    rows = [row for row in blank if row.reason]
    pairs = [(row, learner) for row in blank if not row.reason for learner in settings.learners]
    for number, (row, learner) in enumerate(pairs):
        report(number / len(pairs), f"{LEARNER_TITLES[learner]} on {row.sampling_title}")
        rows.append(_learned(replace(row, learner=learner), system, splits, designs, thresholds))
    rows += [_given(system, splits, thresholds, one, seen=one in seen) for one in given]
    report(1.0, f"{len(rows)} approaches")
    options = system.valid.space.options
    return ApproachEvaluation(
        rows=tuple(rows),
        measured=measured,
        valid=system.valid.count(),
        test=size,
        testable=len(testable),
        seeds=settings.seeds,
        thresholds=thresholds,
        fixed=tuple((options[place].name, options[place].text(level)) for place, level in fixed.items()),
    )


def _samples(
    system: MeasuredSystem, names: Sequence[str], size: int
) -> tuple[list[ApproachRow], dict[str, IntArray]]:
    """A row without a learner for each sampling, and what was measured of those that are the same for every seed.

    The row's `reason` says why nothing can be learned from it. A sampling that would leave fewer than `size` to test on,
    beside those before it, gives nothing. Raises what samplings raise.
    """
    blank = []
    designs: dict[str, IntArray] = {}
    measured = len(system.values)
    asked = np.zeros(measured, dtype=bool)
    for name in names:
        sampling, drawn = sampling_called(name), drawn_size(name)
        reason = ""
        if drawn is not None:
            wanted, missing = drawn, 0
            if drawn > measured - size:
                reason = (
                    f"{drawn} configurations are asked for, {measured - size} are left beside the test set"
                )
        elif name == "exhaustive":
            wanted = system.valid.count()
            missing = wanted - measured
        else:
            rows = system.rows_of(sampling(system.valid, np.random.default_rng(0)))
            wanted, missing = len(rows), int((rows < 0).sum())
            designs[name] = rows[rows >= 0]
        if not wanted or (wanted - missing) / wanted < ENOUGH:
            reason = f"{missing:,} of its {wanted:,} configurations were never measured"
        elif name in designs:
            with_it = asked.copy()
            with_it[designs[name]] = True
            left = int((~with_it).sum())
            if left >= size:
                asked = with_it
            else:
                reason = (
                    f"it asks for {len(designs[name]):,} of {measured:,} measured configurations, "
                    f"which leaves {left:,} for test sets of {size:,}"
                )
        if reason:
            designs.pop(name, None)
        blank.append(ApproachRow(name, "", False, False, wanted, missing, reason=reason))
    return blank, designs


def _training(
    sampling: str, designs: Mapping[str, IntArray], split: Split, system: MeasuredSystem
) -> IntArray:
    """The rows that the sampling gives beside the test set; the same for every learner of a seed."""
    if sampling in designs:
        return designs[sampling]
    size = drawn_size(sampling)
    # Drawn from what was measured: asking for any valid configuration would find few of them.
    if size is None:
        return np.sort(split.order)
    kind, _ = sampling_parts(sampling)
    if kind == RANDOM:
        return split.order[:size]
    by_distance = listed_by_distance(system.configurations[split.order], system.valid.space)
    rng = np.random.default_rng([split.seed, 1])
    return system.rows_of(distance_based(by_distance, size, rng, diversified=kind == DIVERSIFIED))


def _learned(
    row: ApproachRow,
    system: MeasuredSystem,
    splits: Sequence[Split],
    designs: Mapping[str, IntArray],
    thresholds: Sequence[float],
) -> ApproachRow:
    """The row of a learner on what a sampling chooses, with what measuring that costs and the error on each split."""
    trained = [_training(row.sampling, designs, split, system) for split in splits]
    found, took, terms = [], [], []
    for split, rows in zip(splits, trained, strict=True):
        start = time.perf_counter()
        fitted = learn(
            row.learner, system.configurations[rows], system.values[rows], system.valid.space, split.seed
        )
        took.append(time.perf_counter() - start)
        predicted = fitted.predict(system.configurations[split.test])
        found.append(system.judge(predicted, split.test))
        counts = [count_terms(fitted, threshold) for threshold in thresholds]
        terms.append([count for count in counts if count is not None])
    seconds, executions = system.seconds, system.executions
    done = replace(
        row,
        interpretable=LEARNERS[row.learner].interpretable,
        configurations=len(trained[-1]),
        executions=round(median(int(executions[rows].sum()) for rows in trained)),
        seconds_once=None if seconds is None else median(float(seconds[rows].sum()) for rows in trained),
        machine_seconds=None
        if seconds is None
        else median(float(seconds[rows] @ executions[rows]) for rows in trained),
        training_seconds=median(took),
        # No count from any threshold on for a model that is no sum of terms.
        terms=tuple(
            (threshold, round(median(column)))
            for threshold, column in zip(thresholds, zip(*terms, strict=True), strict=False)
        ),
    )
    return _over_seeds(done, found)


def _over_seeds(row: ApproachRow, found: Sequence[PredictionQuality]) -> ApproachRow:
    """The row with a value for each seed."""
    return replace(
        row,
        errors=tuple(one.error for one in found if one.error is not None),
        rank_correlations=tuple(one.rank_correlation for one in found),
        regrets=tuple(one.regret for one in found),
    )


def count_terms(fitted: Fitted, threshold: float) -> int | None:
    """How many coefficients, the intercept's among them, are at least `threshold` in size; 0: not 0.

    None for a model that is no sum of terms.
    """
    if not isinstance(fitted, TermTable):
        return None
    sizes = np.abs(fitted.coefficients)
    least = max(threshold, _ZERO * float(sizes.max(initial=0.0)), np.finfo(float).tiny)
    return int((sizes >= least).sum())


def _given(
    system: MeasuredSystem,
    splits: Sequence[Split],
    thresholds: Sequence[float],
    one: GivenModel,
    *,
    seen: bool,
) -> ApproachRow:
    """A model that is there already, on the same test sets; `seen`: made from the configurations in them."""
    found: list[PredictionQuality] = []
    unpredicted = 0
    for split in splits:
        predicted = one.model.predict(system.configurations[split.test])
        unpredicted += int(np.isnan(predicted).sum())
        for values in [correction.unprofiled(predicted) for correction in one.corrections] or [predicted]:
            quality = system.judge(values, split.test)
            found += [] if quality.error is None else [quality]
    sizes = (
        np.array([])
        if isinstance(one.model, MethodModels | ReadsModel)
        else np.abs(one.model.terms.coefficients)
    )
    made = len(one.configurations)
    wanted = made if one.wanted is None else one.wanted
    reason = "" if found else "it predicts none of the test configurations"
    if made < ENOUGH * wanted:
        reason, found = f"{wanted - made:,} of its {wanted:,} configurations were never measured", []
    row = ApproachRow(
        sampling=one.sampling,
        learner=one.learner,
        interpretable=True,
        local=one.local,
        wanted=wanted,
        missing=wanted - made,
        configurations=made,
        executions=one.executions,
        seconds_once=None if one.seconds is None else one.seconds * made / max(one.executions, 1),
        machine_seconds=one.seconds,
        training_seconds=one.training_seconds,
        terms=tuple((threshold, int((sizes >= threshold).sum())) for threshold in thresholds if len(sizes)),
        unpredicted=unpredicted,
        seen=seen,
        reason=reason,
    )
    return _over_seeds(row, found)
