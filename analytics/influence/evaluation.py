"""Holding approaches side by side on one system: a sampling with a learner, or a model that came about otherwise.

For each seed one test set is drawn from what was measured, and no approach trains on any of it. A sampling that asks
for configurations which were never measured is reported with their number, and without an error where they are more
than one in ten: no other configuration takes their place. One that leaves too few to test on gets no error either.
Options that never varied in what was measured are held at their level: samplings ask for no other.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.samplings import sampling_title
from analytics.influence.accuracy import mape
from analytics.influence.errors import EvaluationError
from analytics.influence.evaluation_rows import (
    MOST_TEST,
    TRIVIAL,
    ApproachRow,
    Comparison,
    ComparisonSettings,
    GivenModel,
)
from analytics.influence.evaluation_samples import LEAST_TEST, MeasuredSystem, Samples, Training, split
from analytics.influence.learners import LEARNERS, learner_called

__all__ = [
    "ApproachRow",
    "Comparison",
    "ComparisonSettings",
    "GivenModel",
    "MeasuredSystem",
    "Report",
    "run_comparison",
]

Report = Callable[[float, str], None]


@dataclass(frozen=True, slots=True, eq=False)
class _Setting:
    """What all rows share: the test set of each seed, and the thresholds of terms."""

    samples: Samples
    tests: tuple[IntArray, ...]
    thresholds: tuple[float, ...]


def run_comparison(
    system: MeasuredSystem,
    settings: ComparisonSettings,
    given: Sequence[GivenModel] = (),
    report: Report = lambda _share, _words: None,
) -> Comparison:
    """Compare approaches on `system`; `report` is told the share done, and may raise to end it.

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
    samples = split(system, samplings, size)
    seen: list[GivenModel] = []
    for one in given:
        less = samples.without(one.configurations)
        if len(less.testable) >= size:
            samples = less
        else:
            seen.append(one)
    thresholds = settings.thresholds or (TRIVIAL * float(np.median(system.values)),)
    tests = tuple(samples.test(size, seed) for seed in range(settings.seeds))
    setting = _Setting(samples, tests, thresholds)
    refused = {name: samples.training(name, tests[0], 0) for name in samplings}
    rows = [_refused(name, training) for name, training in refused.items() if training.reason]
    taken = [name for name, training in refused.items() if not training.reason]
    pairs = [(sampling, learner) for sampling in taken for learner in settings.learners]
    for number, (sampling, learner) in enumerate(pairs):
        report(number / len(pairs), f"{LEARNERS[learner].title} on {sampling_title(sampling)}")
        rows.append(_learned(setting, sampling, learner))
    rows += [_given(setting, one, seen=one in seen) for one in given]
    report(1.0, f"{len(rows)} approaches")
    return Comparison(
        rows=tuple(rows),
        measured=len(system.values),
        valid=system.valid.count(),
        test=size,
        testable=len(samples.testable),
        seeds=settings.seeds,
        thresholds=thresholds,
        fixed=tuple(_named(system, position, level) for position, level in fixed.items()),
    )


def _named(system: MeasuredSystem, position: int, level: int) -> tuple[str, str]:
    """An option and one of its levels in words."""
    option = system.valid.space.options[position]
    return option.name, option.text(level)


def _test_size(system: MeasuredSystem, settings: ComparisonSettings) -> int:
    """The size of a test set. Raises `EvaluationError`."""
    measured = len(system.values)
    size = min(MOST_TEST, measured // 2) if settings.test is None else settings.test
    if not LEAST_TEST <= size < measured or settings.seeds < 1:
        raise EvaluationError(
            f"{size} test configurations of {measured} measured ones over {settings.seeds} seeds: "
            f"a comparison needs at least {LEAST_TEST} to test on, some more to learn from, and one seed"
        )
    return size


@dataclass(slots=True, eq=False)
class _Seeds:
    """What the seeds gave for one approach."""

    errors: list[float] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    once: list[float] = field(default_factory=list)
    machine: list[float] = field(default_factory=list)
    executions: list[int] = field(default_factory=list)
    terms: list[list[int]] = field(default_factory=list)


def _learned(setting: _Setting, sampling: str, learner: str) -> ApproachRow:
    """A learner on what a sampling chooses."""
    system = setting.samples.system
    entry = LEARNERS[learner]
    seeds = _Seeds()
    for seed, test in enumerate(setting.tests):
        training = setting.samples.training(sampling, test, seed)
        rows = training.rows
        start = time.perf_counter()
        fitted = entry.learner.fit(
            system.configurations[rows],
            system.values[rows],
            system.valid.space,
            np.random.default_rng([seed, 2]),
        )
        seeds.training.append(time.perf_counter() - start)
        seeds.errors.append(mape(fitted.predict(system.configurations[test]), system.values[test]))
        seeds.executions.append(int(system.executions[rows].sum()))
        if system.seconds is not None:
            seeds.once.append(float(system.seconds[rows].sum()))
            seeds.machine.append(float(system.seconds[rows] @ system.executions[rows]))
        counts = [fitted.count_terms(threshold) for threshold in setting.thresholds]
        seeds.terms.append([count for count in counts if count is not None])
    return ApproachRow(
        sampling=sampling,
        learner=learner,
        interpretable=entry.interpretable,
        local=False,
        wanted=training.wanted,
        missing=training.missing,
        configurations=len(training.rows),
        executions=round(median(seeds.executions)),
        seconds_once=median(seeds.once) if seeds.once else None,
        machine_seconds=median(seeds.machine) if seeds.machine else None,
        training_seconds=median(seeds.training),
        errors=tuple(seeds.errors),
        terms=_medians(setting.thresholds, seeds.terms),
    )


def _refused(sampling: str, training: Training) -> ApproachRow:
    """One row for a sampling that no learner gets anything from."""
    return ApproachRow(
        sampling=sampling,
        learner="",
        interpretable=False,
        local=False,
        wanted=training.wanted,
        missing=training.missing,
        reason=training.reason,
    )


def _given(setting: _Setting, one: GivenModel, *, seen: bool) -> ApproachRow:
    """A model that is there already, on the same test sets; `seen`: made from the configurations in them."""
    system = setting.samples.system
    errors: list[float] = []
    unpredicted = 0
    for test in setting.tests:
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
        terms=tuple((threshold, int((sizes >= threshold).sum())) for threshold in setting.thresholds),
        unpredicted=unpredicted,
        seen=seen,
        reason="" if errors else "it predicts none of the test configurations",
    )


def _medians(thresholds: Sequence[float], counts: Sequence[Sequence[int]]) -> tuple[tuple[float, int], ...]:
    """The median count of terms from each threshold on; empty where a model has no terms."""
    if not counts or not counts[0]:
        return ()
    return tuple(
        (threshold, round(median(column)))
        for threshold, column in zip(thresholds, zip(*counts, strict=True), strict=True)
    )
