"""The words of a selection that only what is stored can tell: the configurations of an analysis, and random ones."""

from collections.abc import Sequence

import numpy as np

from dashboard.models import System
from dashboard.selectors.whitebox.stored import newest_tracing
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.errors import SelectionInvalid
from runner.subjects import SubjectDefinition

ANALYSIS = "analysis"
RANDOM = "random="


def spelled_out(
    system: System, subject: SubjectDefinition, words: Sequence[str], seed: int
) -> tuple[str, ...]:
    """`words` with "analysis" and "random=N" replaced by single configurations, all others as they are.

    "analysis" means the configurations that the newest analysis traced to their end, "analysis=REVISION" that of this
    revision; "random=N" up to N different valid ones, uniformly at random by `seed`. Raises `SelectionInvalid`.
    """
    found: list[str] = []
    for word in (one.strip() for one in words):
        name, _, revision = word.partition("=")
        if name == ANALYSIS:
            found += _traced(system, subject, revision)
        elif word.startswith(RANDOM):
            found += _random(system, subject, word, seed)
        else:
            found.append(word)
    return tuple(found)


def _traced(system: System, subject: SubjectDefinition, revision: str) -> list[str]:
    tracing = newest_tracing(system, revision)
    if tracing is None:
        what = f"revision {revision} of {subject.name}" if revision else subject.name
        raise SelectionInvalid(f"{what} was not analyzed yet: run `manage.py analyze` first")
    configurations = SubjectConfigurations.of(system, subject)
    runs = [run["levels"] for run in tracing.result["runs"] if run["status"] == "ok"]
    known = [{name: label for name, label in levels.items() if name in subject.options} for levels in runs]
    return [configurations.word(configurations.row(levels)) for levels in known]


def _random(system: System, subject: SubjectDefinition, word: str, seed: int) -> list[str]:
    text = word.removeprefix(RANDOM)
    if not text.isdecimal() or int(text) < 1:
        raise SelectionInvalid(f"'{word}': write {RANDOM}N with N from 1, such as {RANDOM}20")
    configurations = SubjectConfigurations.of(system, subject)
    rows = configurations.valid.sample(int(text), np.random.default_rng(seed))
    return [configurations.word(row) for row in rows]
