"""Which configurations an evaluation measures, and its raw runs as arrays."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.times import FloatArray
from analytics.whitebox.dependencies import candidate_options
from dashboard.models import WhiteBoxAnalysis
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from dashboard.services.performance_models.full_factorial import MOST_COMBINATIONS
from runner.selections import configurations as select_configurations
from studies.evaluation.measured import MeasuredProgram
from studies.evaluation.program_runs import EvaluationRun, EvaluationRunFile, Kind
from studies.evaluation.requests import EvaluationRequest

DESIGNS = ("feature-wise", "pair-wise")
# A counted place: its region, and "line:column:kind".
Site = tuple[str, str]


# In a sample beside the designs: what was drawn at random, and what was traced.
RANDOM, COVER = "random", "cover"


def choose_sample(
    request: EvaluationRequest, configurations: SubjectConfigurations, analysis: WhiteBoxAnalysis
) -> dict[str, IntArray]:
    """The configurations (n, n_options) to measure: random ones, designs and the cover, by name.

    The same for the same request and analysis. Random ones are drawn until enough of them are in no design and not in the
    cover: these can be tested on.
    """
    designs = {name: selected_rows(configurations, name) for name in DESIGNS}
    cover = configurations.space.encode(run.levels for run in analysis.result.traced)
    asked = {row.tobytes() for rows in (*designs.values(), cover) for row in rows}
    drawn = configurations.valid.sample(request.random + len(asked), np.random.default_rng(0))
    free = np.cumsum([row.tobytes() not in asked for row in drawn.astype(np.int8)])
    enough = int(np.searchsorted(free, request.test)) + 1
    return {RANDOM: drawn[: max(request.random, enough)], **designs, COVER: cover}


def distinct_rows(sample: Mapping[str, IntArray]) -> IntArray:
    """All configurations of a sample, each once, the random ones first."""
    kept = {row.tobytes(): row for row in np.concatenate(list(sample.values())).astype(np.int8)}
    return np.array(list(kept.values()), dtype=np.int8)


def selected_rows(configurations: SubjectConfigurations, word: str) -> IntArray:
    """The configurations that a word of a selection means, shape (n, n_options)."""
    chosen = select_configurations(configurations.subject, [word])
    return configurations.space.encode(one.texts for one in chosen)


def measured_program(
    sample: Mapping[str, IntArray],
    file: EvaluationRunFile,
    analysis: WhiteBoxAnalysis,
    configurations: SubjectConfigurations,
    repetitions: int,
) -> tuple[MeasuredProgram, tuple[str, ...]]:
    """What was measured of the sample, and the configurations that are left out: a run of theirs did not end well.

    Raises `InfluenceError`.
    """
    space = configurations.space

    def runs(row: IntArray, kind: Kind) -> list[EvaluationRun]:
        return file.sound_runs(configurations.word(row), kind, 1 if kind == "counted" else repetitions)

    wanted = distinct_rows(sample)
    good = [row for row in wanted if len(runs(row, "plain")) == repetitions and runs(row, "counted")]
    places = {row.tobytes(): place for place, row in enumerate(good)}
    cover = [
        row for row in sample[COVER] if row.tobytes() in places and len(runs(row, "profiled")) == repetitions
    ]
    plain, counted = [runs(row, "plain") for row in good], [runs(row, "counted") for row in good]
    profiles = [runs(row, "profiled") for row in cover]
    sites, counts = count_table([own[0] for own in counted])
    regions, profiled = _self_times(profiles)

    def rows_of(some: Iterable[IntArray]) -> IntArray:
        return np.array([places[row.tobytes()] for row in some if row.tobytes() in places], dtype=np.intp)

    measured = MeasuredProgram(
        space=space,
        configurations=np.array(good, dtype=np.int8).reshape(len(good), len(space.options)),
        counts=counts,
        regions=tuple(region for region, _ in sites),
        plain=np.array([[run.seconds for run in own] for own in plain]).reshape(len(good), repetitions),
        counted=np.array([own[0].seconds for own in counted]),
        random=rows_of(sample[RANDOM]),
        designs={name: rows_of(sample[name]) for name in DESIGNS},
        cover=rows_of(cover),
        profiled_regions=regions,
        profiled=profiled,
        plain_costs=_mean_costs(plain),
        counted_costs=_mean_costs(counted),
        profiled_costs=_mean_costs(profiles),
        analysis_cost=analysis.result.seconds,
        candidates=candidate_options(analysis.result, space),
        partitions=region_partitions(analysis, space),
    )
    return measured, tuple(configurations.word(row) for row in wanted if row.tobytes() not in places)


def _mean_costs(runs: Sequence[Sequence[EvaluationRun]]) -> FloatArray:
    """Machine seconds of one run of each configuration, the mean over its `runs`; 0 where there is none."""
    return np.array([float(np.mean([run.cost for run in own])) if own else 0.0 for own in runs])


def count_table(runs: Sequence[EvaluationRun]) -> tuple[tuple[Site, ...], IntArray]:
    """Every place that was counted in any run, and its count in each; shape (n_runs, n_sites)."""
    sites = sorted({(region, place) for one in runs for region, own in one.counts.items() for place in own})
    columns = {site: column for column, site in enumerate(sites)}
    counts = np.zeros((len(runs), len(sites)), dtype=np.int64)
    for row, run in enumerate(runs):
        for region, own in run.counts.items():
            for place, count in own.items():
                counts[row, columns[region, place]] = count
    return tuple(sites), counts


def region_partitions(analysis: WhiteBoxAnalysis, space: OptionSpace) -> dict[str, Partition]:
    """One partition for each region: of one that was split pair by pair, all combinations of its options."""
    found: dict[str, Partition] = {}
    for region, parts in analysis.result.partitions_over(space).items():
        if len(parts) == 1:
            found[region] = parts[0]
            continue
        positions = {position for part in parts for position in part.options}
        if prod(space.sizes[position] for position in positions) <= MOST_COMBINATIONS:
            found[region] = Partition.exhaustive(space, [space.names[position] for position in positions])
    return found


def _self_times(profiles: Sequence[Sequence[EvaluationRun]]) -> tuple[tuple[str, ...], FloatArray]:
    """Regions and their self times (n_regions, n_cover, n_repetitions); one that a run does not name took none."""
    regions = sorted({region for own in profiles for run in own for region in run.regions})
    repetitions = len(profiles[0]) if profiles else 0
    values = np.zeros((len(regions), len(profiles), repetitions))
    for column, own in enumerate(profiles):
        for layer, run in enumerate(own):
            values[:, column, layer] = [run.regions.get(region, 0.0) for region in regions]
    return tuple(regions), values
