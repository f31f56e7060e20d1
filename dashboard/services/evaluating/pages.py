"""The result of an evaluation in words: lines for the terminal, a page for the documents."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analytics.evaluation import Duel, Row

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
_NOTABLE = 0.005  # of the test configurations: less than half a percent unpredicted is not worth a word


def rows_of(result: Mapping[str, Any]) -> tuple[Row, ...]:
    """The rows of a job's result."""
    return tuple(Row(**{**row, "errors": tuple(row["errors"])}) for row in result["rows"])


def duels_of(result: Mapping[str, Any]) -> tuple[Duel, ...]:
    """The duels of a job's result."""
    return tuple(Duel(**duel) for duel in result["duels"])


def as_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """Every row in aligned text."""
    yield _summary(result)
    for target, equal, rows in _tables(result):
        yield ""
        yield f"{TARGETS[target]}: {EQUAL[equal]}"
        yield from (
            f"{_budget(row):>7}  {row.method:<32} {row.sampling:<17} {row.configurations:>5} "
            f"{row.seconds / 60:>7.2f} min  {_error(row)}"
            for row in rows
        )
    yield ""
    yield from _verdicts(duels_of(result))
    if result.get("brute"):
        yield ""
        yield from _soundness(result["brute"])


def as_page(result: Mapping[str, Any]) -> str:
    """The page of the documents, every row in it."""
    parts = [
        f"# Evaluation: {result['subject']}\n",
        f"    {_command(result)}\n",
        _summary(result) + "\n",
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
    parts += [f"- {line}" for line in _verdicts(duels_of(result))]
    if result.get("brute"):
        parts += ["", "## What the analysis missed\n", *(f"- {line}" for line in _soundness(result["brute"]))]
    return "\n".join(parts) + "\n"


def _command(result: Mapping[str, Any]) -> str:
    """What makes the same tables again, after `manage.py analyze`."""
    words = [
        f"manage.py evaluate {result['subject']} --revision {result['revision']} --workload {result['workload']}"
    ]
    budgets = sorted({row["budget"] for row in result["rows"]} - {0})
    words.append(f"--budgets {','.join(map(str, budgets))} --seeds {result['seeds']} --test {result['test']}")
    words.append(f"--repetitions {result['repetitions']}" if result["repetitions"] else "--no-times")
    if result["brute"]:
        words.append(f"--brute {','.join(result['brute']['options'])}")
    return " ".join([*words, "--docs"])


def _summary(result: Mapping[str, Any]) -> str:
    text = (
        f"Revision {result['revision']}, workload {result['workload']}, {result['options']} options, {result['sites']} "
        f"counters. {result['measured']} configurations measured, {result['random']} of them random; {result['test']} held "
        f"back for each of {result['seeds']} seeds; {result['repetitions'] or 1} runs of each. {result['traced']} configurations "
        f"traced in {result['tracing_seconds'] / 60:.1f} min, runs included that count what taints have missed."
    )
    if result["failures"]:
        text += (
            f" {result['failures']} configurations failed and are left out: {'; '.join(result['failed'])}."
        )
    return text


def _tables(result: Mapping[str, Any]) -> Iterator[tuple[str, str, list[Row]]]:
    rows = rows_of(result)
    for target in TARGETS:
        for equal in EQUAL:
            some = [row for row in rows if (row.target, row.equal) == (target, equal)]
            if some:
                yield target, equal, some


def _budget(row: Row) -> str:
    return str(row.budget) if row.budget else "own"


def _error(row: Row) -> str:
    if row.mean is None:
        return row.reason
    text = f"{row.mean:.2f} ± {row.deviation or 0:.2f}"
    if row.unpredicted > _NOTABLE:
        text += f", {row.unpredicted:.0%} unpredicted".replace("%", " %")
    return text + (", all that were measured" if row.used_up else "")


def _verdicts(duels: Sequence[Duel]) -> Iterator[str]:
    """For each hybrid, target and budget: whom it beats, and whom it loses to."""
    keys = dict.fromkeys((duel.target, duel.equal, duel.budget, duel.hybrid) for duel in duels)
    for target, equal, budget, hybrid in keys:
        own = [
            duel
            for duel in duels
            if (duel.target, duel.equal, duel.budget, duel.hybrid) == (target, equal, budget, hybrid)
        ]
        lost = [duel for duel in own if duel.difference > 0]
        closest = max(own, key=lambda duel: duel.difference)
        text = f"{target}, {equal}, {budget}: {hybrid} wins against {len(own) - len(lost)} of {len(own)}"
        if lost:
            text += "; loses to " + ", ".join(_duel(duel) for duel in lost)
        else:
            text += f"; closest: {_duel(closest)}"
        yield text


def _duel(duel: Duel) -> str:
    return f"{duel.other} by {abs(duel.difference):.2f} points ({duel.won} seeds won, {duel.lost} lost, p = {duel.p_value:.2g})"


def _soundness(brute: Mapping[str, Any]) -> Iterator[str]:
    before = brute["tainted"]
    yield (
        f"All {brute['configurations']} configurations over {', '.join(brute['options'])}, workload {brute['workload']}: "
        f"{brute['statements']} statements, {brute['true']} pairs of a statement and an option that moves its counts."
    )
    yield (
        f"Recall {brute['recall']:.3f}; {brute['missed']} pairs missed, {brute['spurious']} spurious; "
        f"{len(brute['unsound'])} statements unsound ({brute['unsound_share']:.1%})."
    ).replace("%)", " %)")
    yield (
        f"Before counts added to it: recall {before['recall']:.3f}; {before['missed']} pairs missed, "
        f"{before['spurious']} spurious; unsound {before['unsound_share']:.1%}."
    ).replace("%.", " %.")
    for one in brute["unsound"][:_MOST_LISTED]:
        yield f"unsound: {one['region']}, {one['place']}: missed {', '.join(one['missed'])}"
