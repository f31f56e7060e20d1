"""Which configurations an evaluation measures."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from dashboard.models import WhiteBoxAnalysis
from dashboard.services.evaluating.request import EvaluatingRequest
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.selections import configurations as select_configurations

DESIGNS = ("feature-wise", "pair-wise")


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The configurations (n, n_options) of an evaluation: random ones, designs by name, and those that were traced."""

    random: IntArray
    designs: dict[str, IntArray]
    cover: IntArray

    @property
    def rows(self) -> IntArray:
        """All of them, each once, the random ones first."""
        joined = np.concatenate([self.random, *self.designs.values(), self.cover])
        kept = {row.tobytes(): row for row in joined.astype(np.int8)}
        return np.array(list(kept.values()), dtype=np.int8)


def choose(
    request: EvaluatingRequest, configurations: SubjectConfigurations, analysis: WhiteBoxAnalysis
) -> Chosen:
    """What is measured, the same for the same request and analysis.

    Random ones are drawn until enough of them are in no design and not in the cover: these can be tested on.
    """
    designs = {name: _design(configurations, name) for name in DESIGNS}
    traced = [configurations.row(run.levels) for run in analysis.result.traced]
    cover = np.array(traced, dtype=np.int8).reshape(len(traced), len(configurations.space.options))
    asked = {row.tobytes() for rows in (*designs.values(), cover) for row in rows}
    drawn = configurations.valid.sample(request.random + len(asked), np.random.default_rng(0))
    free = np.cumsum([row.tobytes() not in asked for row in drawn.astype(np.int8)])
    enough = int(np.searchsorted(free, request.test)) + 1
    return Chosen(drawn[: max(request.random, enough)], designs, cover)


def _design(configurations: SubjectConfigurations, name: str) -> IntArray:
    return np.array(
        [configurations.row(one.texts) for one in select_configurations(configurations.subject, [name])],
        dtype=np.int8,
    )
