"""What an analysis missed where all configurations over some options were run: counts have no noise, they are the truth.

An option truly matters to a statement if two configurations that differ in this option alone differ in a count of the
statement. The analysis claims the options of the taints of the statement's decisions, data and control together.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict

import numpy as np

from analytics.configurations.options import IntArray
from analytics.whitebox.dependencies import reached_decisions
from analytics.whitebox.evidence import CheckedPairs
from dashboard.selectors.whitebox.rows import RegionAnalysis, WhiteBoxDetail
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from studies.evaluation.program_runs import EvaluationRun, EvaluationRunFile
from studies.evaluation.results import BruteForceResult, Soundness, UnsoundStatement
from studies.evaluation.tables import count_table

# Entering a function is no decision; the statements inside of it tell what depends on an option.
_NO_DECISIONS = frozenset({"call", "function"})


def soundness(
    configurations: IntArray,
    counts: Mapping[Hashable, IntArray],
    claimed: Mapping[Hashable, frozenset[int]],
    options: frozenset[int],
) -> tuple[Soundness, dict[Hashable, frozenset[int]]]:
    """Judge what is claimed of each statement against all configurations (n, n_options) over `options` (positions).

    `counts` has for each statement an array (n, n_outcomes). Claims of options that did not vary are not judged. Beside the
    summary: the unsound statements with the options that were missed, the most missed first.
    """
    true = {
        statement: frozenset(option for option in options if _matters(configurations, table, option))
        for statement, table in counts.items()
    }
    own = {statement: claimed.get(statement, frozenset()) & options for statement in counts}
    unsound = {
        statement: true[statement] - own[statement]
        for statement in counts
        if true[statement] - own[statement]
    }
    pairs, missed = (sum(map(len, some.values())) for some in (true, unsound))
    summary = Soundness(
        statements=len(true),
        true=pairs,
        missed=missed,
        spurious=sum(len(own[statement] - true[statement]) for statement in counts),
        recall=1 - missed / pairs if pairs else 1.0,
        unsound_share=len(unsound) / len(true) if true else 0.0,
    )
    return summary, dict(sorted(unsound.items(), key=lambda one: (-len(one[1]), str(one[0]))))


def _matters(configurations: IntArray, table: IntArray, option: int) -> bool:
    """Whether counts differ between configurations that differ in this option alone."""
    others = np.delete(configurations, option, axis=1)
    groups = np.unique(others, axis=0, return_inverse=True)[1].reshape(-1)
    cells = np.column_stack([groups, table])
    return len(np.unique(cells, axis=0)) > len(np.unique(groups))


def brute_force(
    rows: IntArray,
    file: EvaluationRunFile,
    analysis: WhiteBoxDetail,
    configurations: SubjectConfigurations,
    options: Sequence[str],
) -> BruteForceResult:
    """What was missed and what was spurious, before and after counts have refined the taints.

    Configurations that failed are left out.
    """
    space = configurations.space
    runs = [(row, file.sound_runs(configurations.word(row), "counted", 1)) for row in rows]
    sound = [(row, own[0]) for row, own in runs if own]
    measured = np.array([row for row, _ in sound], dtype=np.int8).reshape(len(sound), len(space.options))
    counts = _by_statement([run for _, run in sound])
    varied = frozenset(space.position(name) for name in options)
    # The options that taint each statement's value or what led there; then with those that counts have added.
    tainted: dict[Hashable, frozenset[int]] = {}
    for decision in reached_decisions(analysis.result, space):
        statement = decision.region, ":".join(decision.place.split(":")[-2:])
        tainted[statement] = tainted.get(statement, frozenset()) | frozenset(decision.options)
    refined = dict(tainted)
    for region, place, names in analysis.result.statements:
        added = frozenset(space.position(name) for name in names)
        refined[region, place] = refined.get((region, place), frozenset()) | added
    judged, unsound = soundness(measured, counts, refined, varied)
    # What the runs prove that the analysis counted: the same question as of all, asked of these alone.
    known = {configurations.row(run.levels) for run in analysis.result.counted if run.succeeded}
    own = np.array([tuple(row) in known for row in measured.tolist()], dtype=bool)
    proved = {
        statement: frozenset(one for one in varied if _matters(measured[own], table[own], one))
        for statement, table in counts.items()
    }
    return BruteForceResult(
        **asdict(judged),
        options=tuple(options),
        workload=analysis.workload,
        configurations=len(sound),
        failures=len(runs) - len(sound),
        tainted=soundness(measured, counts, tainted, varied)[0],
        proved=soundness(measured, counts, proved, varied)[0],
        functions=checked_pairs([run for _, run in sound], measured, analysis, options),
        unsound=tuple(
            UnsoundStatement(statement[0], statement[1], tuple(sorted(space.names[one] for one in missed)))
            for statement, missed in unsound.items()
            if isinstance(statement, tuple)
        ),
    )


def checked_pairs(
    runs: Sequence[EvaluationRun], configurations: IntArray, analysis: WhiteBoxDetail, options: Sequence[str]
) -> CheckedPairs:
    """Hold the pairs of a function and an option that an analysis tells against the counts of all configurations (n, n_options).

    Counters that were not the same twice are left out.
    """
    sites, counts = count_table(runs)
    vary = {
        (region, f"{line}:{column}:{kind}") for region, line, column, kind in analysis.result.nondeterministic
    }
    columns: dict[str, list[int]] = {}
    for column, (region, place) in enumerate(sites):
        if (region, place) not in vary:
            columns.setdefault(region, []).append(column)
    positions = {name: analysis.space.position(name) for name in options}
    true = {
        (region, name)
        for region, own in columns.items()
        for name, option in positions.items()
        if _matters(configurations, counts[:, own], option)
    }
    regions = [RegionAnalysis(analysis, region) for region in columns]
    proved = {
        (one.key, effect.option) for one in regions for effect in one.effects if effect.option in positions
    }
    # What only parses options is told as such: of it counts alone speak.
    told = [one for one in regions if one.partitions]
    tainted = {(one.key, name) for one in told for name in one.tainted if name in positions}
    claimed = proved | {(one.key, name) for one in told for name in one.options if name in positions}
    return CheckedPairs(
        options=tuple(options),
        configurations=len(configurations),
        functions=len(columns),
        true=len(true),
        claimed=len(claimed),
        right=len(claimed & true),
        proved=len(proved),
        proved_right=len(proved & true),
        tainted=len(tainted),
        tainted_right=len(tainted & true),
    )


def _by_statement(runs: Sequence[EvaluationRun]) -> Mapping[Hashable, IntArray]:
    """The counts of each statement's outcomes, by region and "line:column"."""
    sites, counts = count_table(runs)
    columns: dict[Hashable, list[int]] = {}
    for column, (region, place) in enumerate(sites):
        line, at, kind, *_ = place.split(":")
        if kind not in _NO_DECISIONS:
            columns.setdefault((region, f"{line}:{at}"), []).append(column)
    return {statement: counts[:, own] for statement, own in columns.items()}
