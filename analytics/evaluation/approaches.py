"""Evaluating approaches on one system: a sampling with a learner, or a model that came about otherwise.

For each seed one test set is drawn from what was measured, and no approach trains on any of it. A sampling that asks
for configurations which were never measured is reported with their number, and without an error where they are more
than one in ten: no other configuration takes their place. One that leaves too few to test on gets no error either.
Options that never varied in what was measured are held at their level: samplings ask for no other.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from analytics.configurations.samplings import sampling_title
from analytics.evaluation.rows import (
    MOST_TEST,
    TRIVIAL,
    ApproachEvaluation,
    ApproachRow,
    ApproachSettings,
    GivenModel,
)
from analytics.evaluation.samples import LEAST_TEST, MeasuredSystem, SampledSystem, sample_system
from analytics.evaluation.splits import Split, learn
from analytics.influence.accuracy import mape
from analytics.influence.errors import EvaluationError
from analytics.influence.learners import LEARNERS, learner_called
from analytics.progress import Progress, no_progress

__all__ = [
    "ApproachEvaluation",
    "ApproachRow",
    "ApproachSettings",
    "GivenModel",
    "MeasuredSystem",
    "evaluate_approaches",
]


def evaluate_approaches(
    system: MeasuredSystem,
    settings: ApproachSettings,
    given: Sequence[GivenModel] = (),
    report: Progress = no_progress,
) -> ApproachEvaluation:
    """Judge approaches on `system`; `report` is told the share done, and may raise to end it.

    A given model whose configurations leave too few to test on is tested on them all the same, and its row says so: it
    saw other runs of them, not these values. Raises `EvaluationError` where too little
    was measured, `UnknownSamplingError`, `UnknownLearnerError` and what samplings raise.
    """
    for name in settings.learners:
        learner_called(name)
    size = _test_size(system, settings)
    fixed = system.never_varied()
    system = replace(system, valid=system.valid.holding(fixed))
    samplings = settings.samplings_of(len(system.values) - size)
    samples = sample_system(system, samplings, size)
    seen: list[GivenModel] = []
    for one in given:
        less = samples.without(one.configurations)
        if len(less.testable) >= size:
            samples = less
        else:
            seen.append(one)
    options = system.valid.space.options
    thresholds = settings.thresholds or (TRIVIAL * float(np.median(system.values)),)
    splits = samples.splits(size, settings.seeds)
    refused = {name: samples.training(name, splits[0]) for name in samplings}
    rows = [
        ApproachRow(name, "", False, False, training.wanted, training.missing, reason=training.reason)
        for name, training in refused.items()
        if training.reason
    ]
    taken = [name for name, training in refused.items() if not training.reason]
    pairs = [(sampling, learner) for sampling in taken for learner in settings.learners]
    for number, (sampling, learner) in enumerate(pairs):
        report(number / len(pairs), f"{LEARNERS[learner].title} on {sampling_title(sampling)}")
        rows.append(_learned(samples, splits, thresholds, sampling, learner))
    rows += [_given(system, splits, thresholds, one, seen=one in seen) for one in given]
    report(1.0, f"{len(rows)} approaches")
    return ApproachEvaluation(
        rows=tuple(rows),
        measured=len(system.values),
        valid=system.valid.count(),
        test=size,
        testable=len(samples.testable),
        seeds=settings.seeds,
        thresholds=thresholds,
        fixed=tuple((options[place].name, options[place].text(level)) for place, level in fixed.items()),
    )


def _test_size(system: MeasuredSystem, settings: ApproachSettings) -> int:
    """The size of a test set. Raises `EvaluationError`."""
    measured = len(system.values)
    size = min(MOST_TEST, measured // 2) if settings.test is None else settings.test
    if not LEAST_TEST <= size < measured or settings.seeds < 1:
        raise EvaluationError(
            f"{size} test configurations of {measured} measured ones over {settings.seeds} seeds: "
            f"an evaluation needs at least {LEAST_TEST} to test on, some more to learn from, and one seed"
        )
    return size


def _learned(
    samples: SampledSystem, splits: Sequence[Split], thresholds: Sequence[float], sampling: str, learner: str
) -> ApproachRow:
    """A learner on what a sampling chooses."""
    system = samples.system
    trained = [samples.training(sampling, split) for split in splits]
    errors, took, terms = [], [], []
    for split, training in zip(splits, trained, strict=True):
        rows = training.rows
        start = time.perf_counter()
        fitted = learn(
            learner, system.configurations[rows], system.values[rows], system.valid.space, split.seed
        )
        took.append(time.perf_counter() - start)
        errors.append(mape(fitted.predict(system.configurations[split.test]), system.values[split.test]))
        counts = [fitted.count_terms(threshold) for threshold in thresholds]
        terms.append([count for count in counts if count is not None])
    seconds, executions = system.seconds, system.executions
    return ApproachRow(
        sampling=sampling,
        learner=learner,
        interpretable=LEARNERS[learner].interpretable,
        local=False,
        wanted=trained[-1].wanted,
        missing=trained[-1].missing,
        configurations=len(trained[-1].rows),
        executions=round(median(int(executions[one.rows].sum()) for one in trained)),
        seconds_once=None if seconds is None else median(float(seconds[one.rows].sum()) for one in trained),
        machine_seconds=None
        if seconds is None
        else median(float(seconds[one.rows] @ executions[one.rows]) for one in trained),
        training_seconds=median(took),
        errors=tuple(errors),
        # No count from any threshold on for a model that is no sum of terms.
        terms=tuple(
            (threshold, round(median(column)))
            for threshold, column in zip(thresholds, zip(*terms, strict=True), strict=False)
        ),
    )


def _given(
    system: MeasuredSystem,
    splits: Sequence[Split],
    thresholds: Sequence[float],
    one: GivenModel,
    *,
    seen: bool,
) -> ApproachRow:
    """A model that is there already, on the same test sets; `seen`: made from the configurations in them."""
    errors: list[float] = []
    unpredicted = 0
    for split in splits:
        test = split.test
        predicted = one.model.predict(system.configurations[test])
        known = ~np.isnan(predicted)
        unpredicted += int((~known).sum())
        if known.any():
            truth = system.values[test][known]
            corrected = [correction.unprofiled(predicted[known]) for correction in one.corrections]
            errors += [mape(some, truth) for some in corrected or [predicted[known]]]
    sizes = np.abs(one.model.terms.coefficients)
    return ApproachRow(
        sampling=one.sampling,
        learner=one.learner,
        interpretable=one.interpretable,
        local=one.local,
        wanted=len(one.configurations),
        missing=0,
        configurations=len(one.configurations),
        executions=one.executions,
        seconds_once=None if one.seconds is None else one.seconds * len(one.configurations) / one.executions,
        machine_seconds=one.seconds,
        training_seconds=one.training_seconds,
        errors=tuple(errors),
        terms=tuple((threshold, int((sizes >= threshold).sum())) for threshold in thresholds),
        unpredicted=unpredicted,
        seen=seen,
        reason="" if errors else "it predicts none of the test configurations",
    )
