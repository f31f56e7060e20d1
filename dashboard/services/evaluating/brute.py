"""Full brute force over some options: what the analysis says of each statement, held against all configurations."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from analytics.configurations.options import IntArray
from analytics.evaluation import soundness
from analytics.whitebox.region_dependencies import reached_decisions
from dashboard.models import WhiteBoxAnalysis
from dashboard.services.evaluating.files import Record, RecordFile
from dashboard.services.evaluating.tables import count_table
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.selections import configurations as select_configurations

# Entering a function is no decision; the statements inside of it tell what depends on an option.
_NO_DECISIONS = frozenset({"call", "function"})


def brute_rows(configurations: SubjectConfigurations, options: Sequence[str]) -> IntArray:
    """All configurations over `options`, the others at their reference; shape (n, n_options)."""
    chosen = select_configurations(configurations.subject, [f"only={','.join(options)}"])
    return np.array([configurations.row(one.texts) for one in chosen], dtype=np.int8)


def brute_force(
    rows: IntArray,
    file: RecordFile,
    analysis: WhiteBoxAnalysis,
    configurations: SubjectConfigurations,
    options: Sequence[str],
) -> dict[str, Any]:
    """What was missed and what was spurious, as JSON; "tainted" is the same before counts have refined it.

    Configurations that failed are left out.
    """
    found = [(row, file.records.get((configurations.word(row), "counted", 1))) for row in rows]
    good = [(row, record) for row, record in found if record is not None and record.status == "ok"]
    space = configurations.space
    tainted = _claimed(analysis, configurations)
    before, judged = (
        soundness(
            np.array([row for row, _ in good], dtype=np.int8).reshape(len(good), len(space.options)),
            _by_statement([record for _, record in good]),
            claimed,
            frozenset(space.position(name) for name in options),
        )
        for claimed in (tainted, _refined(tainted, analysis, configurations))
    )
    return {
        "options": list(options),
        "workload": analysis.workload.name,
        "configurations": len(good),
        "failures": len(found) - len(good),
        "statements": len(judged.statements),
        "true": judged.true,
        "missed": judged.missed,
        "spurious": judged.spurious,
        "recall": judged.recall,
        "unsound_share": judged.unsound_share,
        "tainted": {
            "missed": before.missed,
            "spurious": before.spurious,
            "recall": before.recall,
            "unsound_share": before.unsound_share,
        },
        "unsound": [
            {
                "region": one.statement[0],
                "place": one.statement[1],
                "missed": sorted(space.names[position] for position in one.missed),
            }
            for one in judged.unsound
            if isinstance(one.statement, tuple)
        ],
    }


def _by_statement(records: Sequence[Record]) -> Mapping[Hashable, IntArray]:
    """The counts of each statement's outcomes, by region and "line:column"."""
    sites, counts = count_table(records)
    columns: dict[Hashable, list[int]] = {}
    for column, (region, place) in enumerate(sites):
        line, at, kind, *_ = place.split(":")
        if kind not in _NO_DECISIONS:
            columns.setdefault((region, f"{line}:{at}"), []).append(column)
    return {statement: counts[:, own] for statement, own in columns.items()}


def _claimed(
    analysis: WhiteBoxAnalysis, configurations: SubjectConfigurations
) -> dict[Hashable, frozenset[int]]:
    """The options that taint each statement's value or what led there."""
    found: dict[Hashable, set[int]] = {}
    for decision in reached_decisions(analysis.result, configurations.space):
        place = ":".join(decision.place.split(":")[-2:])
        found.setdefault((decision.region, place), set()).update(decision.options)
    return {statement: frozenset(options) for statement, options in found.items()}


def _refined(
    tainted: Mapping[Hashable, frozenset[int]],
    analysis: WhiteBoxAnalysis,
    configurations: SubjectConfigurations,
) -> dict[Hashable, frozenset[int]]:
    """The same with the options that counts have added to statements."""
    found = dict(tainted)
    for region, place, names in analysis.result.statements:
        more = frozenset(configurations.space.position(name) for name in names)
        found[region, place] = found.get((region, place), frozenset()) | more
    return found
