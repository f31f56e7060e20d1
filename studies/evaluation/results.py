"""The result of an evaluation: as it is stored, as lines for the terminal, and as a page of the documents."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from analytics.whitebox.evidence import CheckedPairs
from dashboard.selectors.whitebox.analyses import checked_in_words
from studies.evaluation.budgets import BudgetRow, PairedComparison

TARGETS = {
    "counts": "Counts (all decisions of a run, noise-free)",
    "time": "Time (CPU seconds of one call)",
}
EQUAL = {
    "configurations": "equal numbers of configurations",
    "minutes": "equal machine time, the analysis charged: what the hybrid costs at that budget",
    "minutes without tracing": "equal machine time: what the hybrid with all options, which needs no tracing, costs",
}
_MOST_LISTED = 20  # unsound statements; the JSON has all of them
_LEGEND = (
    "How to read it: [evaluating models](../explanation/evaluating-models.md). Errors are mean absolute errors in "
    "percent of the truth on configurations that were held back: mean and standard deviation over the seeds.\n"
)
_UNCOUNTED = "[What that means](../explanation/white-box.md#what-is-not-counted)."
_NOTABLE = 0.005  # of the test configurations: less than half a percent unpredicted is not worth a word


@dataclass(frozen=True, slots=True)
class Soundness:
    """How complete claims are: pairs of a statement and an option that are true, missed by the claims, or spurious.

    `unsound_share` of the statements miss an option; `recall` is 1 where no option matters.
    """

    statements: int
    true: int
    missed: int
    spurious: int
    recall: float
    unsound_share: float

    @property
    def precision(self) -> float:
        """The share of the claims that are true; 1 where nothing is claimed."""
        right = self.true - self.missed
        return right / (right + self.spurious) if right + self.spurious else 1.0


@dataclass(frozen=True, slots=True)
class UnsoundStatement:
    """A statement that depends on options which the analysis missed; `place` is "line:column"."""

    region: str
    place: str
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BruteForceResult(Soundness):
    """What all configurations over `options` say of the analysis; `tainted`: before counts had refined it.

    `proved`: what its counted runs among these prove alone, `functions` the pairs of a function and an option; None of earlier
    evaluations.
    """

    options: tuple[str, ...]
    workload: str
    configurations: int
    failures: int
    tainted: Soundness
    unsound: tuple[UnsoundStatement, ...]
    proved: Soundness | None = None
    functions: CheckedPairs | None = None

    @property
    def base_rate(self) -> float:
        """The precision of claiming each option of each statement."""
        pairs = self.statements * len(self.options)
        return self.true / pairs if pairs else 0.0


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """What an evaluation came to, as it is stored with its job.

    `measured` configurations, `random` of them drawn at random; `traced` ones, with the runs that refined, took
    `tracing_seconds`. `failed` names some of the `failures` that are left out. `sites` counts counters. `repetitions` 0: counts alone.
    `uncounted` says which share of the time the analysis does not count; empty of earlier evaluations.
    """

    rows: tuple[BudgetRow, ...]
    paired_comparisons: tuple[PairedComparison, ...]
    subject: str
    revision: str
    workload: str
    measured: int
    random: int
    test: int
    seeds: int
    repetitions: int
    traced: int
    tracing_seconds: float
    options: int
    sites: int
    failed: tuple[str, ...]
    failures: int
    brute: BruteForceResult | None = None
    uncounted: str = ""


_RESULTS = TypeAdapter(EvaluationResult)


def stored_result(result: EvaluationResult) -> dict[str, Any]:
    """The result as JSON, for `Job.result`."""
    stored: dict[str, Any] = _RESULTS.dump_python(result, mode="json")
    return stored


def read_result(stored: Mapping[str, Any]) -> EvaluationResult:
    """A result as `stored_result` wrote it."""
    return _RESULTS.validate_json(json.dumps(stored))


def as_lines(result: EvaluationResult) -> Iterator[str]:
    """Every row in aligned text."""
    yield _summary(result)
    if result.uncounted:
        yield result.uncounted
    for target, equal, rows in _tables(result):
        yield ""
        yield f"{TARGETS[target]}: {EQUAL[equal]}"
        yield from (
            f"{_budget(row):>7}  {row.method:<32} {row.sampling:<17} {row.configurations:>5} "
            f"{row.seconds / 60:>7.2f} min  {_error(row)}"
            for row in rows
        )
    yield ""
    yield from _verdicts(result.paired_comparisons)
    if result.brute:
        yield ""
        yield from _soundness(result.brute)


def as_page(result: EvaluationResult) -> str:
    """The page of the documents, every row in it."""
    parts = [
        f"# Evaluation: {result.subject}\n",
        f"    {_command(result)}\n",
        _summary(result) + "\n",
        *([f"{result.uncounted} {_UNCOUNTED}\n"] if result.uncounted else []),
        _LEGEND,
    ]
    for target, equal, rows in _tables(result):
        parts.append(f"## {TARGETS[target]}: {EQUAL[equal]}\n")
        parts.append(
            "| budget | model | sampling | configurations | machine min | error % |\n|---|---|---|---|---|---|"
        )
        parts += [
            f"| {_budget(row)} | {row.method} | {row.sampling} | {row.configurations} | {row.seconds / 60:.2f} | {_error(row)} |"
            for row in rows
        ]
        parts.append("")
    parts.append("## Wins and losses\n")
    parts += [f"- {line}" for line in _verdicts(result.paired_comparisons)]
    if result.brute:
        parts += ["", "## What the analysis missed\n", *(f"- {line}" for line in _soundness(result.brute))]
    return "\n".join(parts) + "\n"


def _command(result: EvaluationResult) -> str:
    """What makes the same tables again, after `manage.py analyze`."""
    words = [f"manage.py evaluate {result.subject} --revision {result.revision} --workload {result.workload}"]
    budgets = sorted({row.budget for row in result.rows} - {0})
    words.append(f"--budgets {','.join(map(str, budgets))} --seeds {result.seeds} --test {result.test}")
    words.append(f"--repetitions {result.repetitions}" if result.repetitions else "--no-times")
    if result.brute:
        words.append(f"--brute {','.join(result.brute.options)}")
    return " ".join([*words, "--docs"])


def _summary(result: EvaluationResult) -> str:
    text = (
        f"Revision {result.revision}, workload {result.workload}, {result.options} options, {result.sites} "
        f"counters. {result.measured} configurations measured, {result.random} of them random; {result.test} held "
        f"back for each of {result.seeds} seeds; {result.repetitions or 1} runs of each. {result.traced} configurations "
        f"traced in {result.tracing_seconds / 60:.1f} min, runs included that count what taints have missed."
    )
    if result.failures:
        text += f" {result.failures} configurations failed and are left out: {'; '.join(result.failed)}."
    return text


def _tables(result: EvaluationResult) -> Iterator[tuple[str, str, list[BudgetRow]]]:
    rows = result.rows
    for target in TARGETS:
        for equal in EQUAL:
            some = [row for row in rows if (row.target, row.equal) == (target, equal)]
            if some:
                yield target, equal, some


def _budget(row: BudgetRow) -> str:
    return str(row.budget) if row.budget else "own"


def _error(row: BudgetRow) -> str:
    if row.mean is None:
        return row.reason
    text = f"{row.mean:.2f}, sd {row.deviation or 0:.2f}"
    if row.rank_correlation is not None and row.regret is not None:
        text += f", rank {row.rank_correlation:.2f}, regret {row.regret:.1f} %"
    if row.unpredicted > _NOTABLE:
        text += f", {row.unpredicted:.0%} unpredicted".replace("%", " %")
    return text + (", all that were measured" if row.used_up else "")


def _verdicts(found: Sequence[PairedComparison]) -> Iterator[str]:
    """For each hybrid, target and budget: whom it beats, and whom it loses to."""
    keys = dict.fromkeys((one.target, one.equal, one.budget, one.hybrid) for one in found)
    for target, equal, budget, hybrid in keys:
        own = [
            one
            for one in found
            if (one.target, one.equal, one.budget, one.hybrid) == (target, equal, budget, hybrid)
        ]
        lost = [one for one in own if one.difference > 0]
        closest = max(own, key=lambda one: one.difference)
        text = f"{target}, {equal}, {budget}: {hybrid} wins against {len(own) - len(lost)} of {len(own)}"
        if lost:
            text += "; loses to " + ", ".join(_paired(one) for one in lost)
        else:
            text += f"; closest: {_paired(closest)}"
        yield text


def _paired(one: PairedComparison) -> str:
    return f"{one.other} by {abs(one.difference):.2f} points ({one.won} seeds won, {one.lost} lost, p = {one.p_value:.2g})"


def _soundness(brute: BruteForceResult) -> Iterator[str]:
    before = brute.tainted
    yield (
        f"All {brute.configurations} configurations over {', '.join(brute.options)}, workload {brute.workload}: "
        f"{brute.statements} statements, {brute.true} pairs of a statement and an option that moves its counts."
    )
    yield (
        f"Recall {brute.recall:.3f}; {brute.missed} pairs missed, {brute.spurious} spurious; "
        f"{len(brute.unsound)} statements unsound ({brute.unsound_share:.1%})."
    ).replace("%)", " %)")
    yield (
        f"Before counts added to it: recall {before.recall:.3f}; {before.missed} pairs missed, "
        f"{before.spurious} spurious; unsound {before.unsound_share:.1%}."
    ).replace("%.", " %.")
    yield (
        f"Precision {brute.precision:.3f}, by taints alone {before.precision:.3f}; claiming each option of each statement "
        f"has {brute.base_rate:.3f}."
    )
    if brute.proved is not None:
        yield (
            f"Counts alone prove {brute.proved.true - brute.proved.missed} pairs with precision "
            f"{brute.proved.precision:.3f} and recall {brute.proved.recall:.3f}."
        )
    if brute.functions is not None:
        told = brute.functions
        yield checked_in_words(told)
        yield (
            f"Of pairs of a function counts prove {told.proved}, {told.proved_right} of them true; taints alone claim {told.tainted}, "
            f"{told.tainted_right} of them true."
        )
    for one in brute.unsound[:_MOST_LISTED]:
        yield f"unsound: {one.region}, {one.place}: missed {', '.join(one.missed)}"
