"""The words of a selection that only what is stored can tell: the configurations of an analysis, and random ones."""

from collections.abc import Sequence

import numpy as np

from dashboard.models import Batch, System, Tracing
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.errors import SelectionInvalid
from runner.subjects import Subject

ANALYSIS = "analysis"
RANDOM = "random="


def newest_tracing(system: System, revision: str | None = None) -> Tracing | None:
    """The newest analysis of a system that has traced anything, of any revision or of this one. For services."""
    found = Tracing.objects.filter(
        system=system, batch__state=Batch.State.VISIBLE, found__has_key="partitions"
    )
    if revision is not None:
        found = found.filter(revision__name=revision)
    return found.order_by("-pk").first()


def spelled_out(system: System, subject: Subject, words: Sequence[str], seed: int) -> tuple[str, ...]:
    """`words` with "analysis" and "random=N" replaced by single configurations, all others as they are.

    "analysis" means the configurations that the newest analysis traced to their end; "random=N" up to N different
    valid ones, uniformly at random by `seed`. Raises `SelectionInvalid`.
    """
    found: list[str] = []
    for word in (one.strip() for one in words):
        if word == ANALYSIS:
            found += _traced(system, subject)
        elif word.startswith(RANDOM):
            found += _random(system, subject, word, seed)
        else:
            found.append(word)
    return tuple(found)


def _traced(system: System, subject: Subject) -> list[str]:
    tracing = newest_tracing(system)
    if tracing is None:
        raise SelectionInvalid(f"{subject.name} was not analyzed yet: run `manage.py analyze` first")
    configurations = SubjectConfigurations.of(system, subject)
    runs = [run["levels"] for run in tracing.found["runs"] if run["status"] == "ok"]
    known = [{name: label for name, label in levels.items() if name in subject.options} for levels in runs]
    return [configurations.word(configurations.row(levels)) for levels in known]


def _random(system: System, subject: Subject, word: str, seed: int) -> list[str]:
    text = word.removeprefix(RANDOM)
    if not text.isdecimal() or int(text) < 1:
        raise SelectionInvalid(f"'{word}': write {RANDOM}N with N from 1, such as {RANDOM}20")
    configurations = SubjectConfigurations.of(system, subject)
    rows = configurations.valid.sample(int(text), np.random.default_rng(seed))
    return [configurations.word(row) for row in rows]
