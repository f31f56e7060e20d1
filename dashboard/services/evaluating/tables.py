"""Raw runs and an analysis as the arrays that an evaluation takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.evaluation import Costs, Measured, Profiled
from analytics.whitebox.region_dependencies import candidate_options
from dashboard.models import WhiteBoxAnalysis
from dashboard.services.evaluating.chosen import Chosen
from dashboard.services.evaluating.files import Kind, Record, RecordFile
from dashboard.services.factorial_models import MOST_COMBINATIONS
from dashboard.services.measuring.subject_configurations import SubjectConfigurations

Site = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What was measured; `failed` configurations have a run that did not end well, and are left out."""

    measured: Measured
    sites: tuple[Site, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Runs:
    """The runs of one file by configuration."""

    file: RecordFile
    configurations: SubjectConfigurations
    repetitions: int

    def of(self, row: IntArray, kind: Kind) -> list[Record]:
        """The runs of one kind that ended well, in order."""
        word = self.configurations.word(row)
        count = 1 if kind == "counted" else self.repetitions
        found = (self.file.records.get((word, kind, one)) for one in range(1, count + 1))
        return [record for record in found if record is not None and record.status == "ok"]

    def ended(self, row: IntArray, kinds: Sequence[Kind]) -> bool:
        """Whether all runs of these kinds ended well."""
        return all(
            len(self.of(row, kind)) == (1 if kind == "counted" else self.repetitions) for kind in kinds
        )


def tables(
    chosen: Chosen,
    file: RecordFile,
    analysis: WhiteBoxAnalysis,
    configurations: SubjectConfigurations,
    repetitions: int,
) -> Tables:
    """What was measured of the chosen configurations. Raises `EvaluationImpossibleError`."""
    runs = _Runs(file, configurations, repetitions)
    good = [row for row in chosen.rows if runs.ended(row, ("plain", "counted"))]
    places = {row.tobytes(): place for place, row in enumerate(good)}
    cover = [
        at
        for at, row in enumerate(chosen.cover)
        if row.tobytes() in places and runs.ended(row, ("profiled",))
    ]
    sites, counts = count_table([runs.of(row, "counted")[0] for row in good])
    traced = [run.seconds or 0.0 for run in analysis.result.traced]
    profiles = [runs.of(chosen.cover[at], "profiled") for at in cover]
    plain = [runs.of(row, "plain") for row in good]

    def rows_of(some: IntArray) -> IntArray:
        return np.array([places[row.tobytes()] for row in some if row.tobytes() in places], dtype=np.intp)

    measured = Measured(
        space=configurations.space,
        configurations=np.array(good, dtype=np.int8).reshape(len(good), len(configurations.space.options)),
        counts=counts,
        regions=tuple(region for region, _ in sites),
        plain=np.array([[record.seconds for record in own] for own in plain]).reshape(len(good), repetitions),
        counted=np.array([runs.of(row, "counted")[0].seconds for row in good]),
        random=rows_of(chosen.random),
        designs={name: rows_of(rows) for name, rows in chosen.designs.items()},
        cover=rows_of(chosen.cover[cover]),
        profiled=_profiled(profiles),
        costs=Costs(
            plain=np.array([_mean_cost(own) for own in plain]),
            counted=np.array([runs.of(row, "counted")[0].cost for row in good]),
            profiled=np.array([_mean_cost(own) for own in profiles]),
            traced=np.array([traced[at] for at in cover]),
            besides=analysis.result.seconds - sum(traced[at] for at in cover),
        ),
        candidates=candidate_options(analysis.result, configurations.space),
        partitions=partitions(analysis, configurations.space),
    )
    failed = (configurations.word(row) for row in chosen.rows if row.tobytes() not in places)
    return Tables(measured, sites, tuple(failed))


def count_table(records: Sequence[Record]) -> tuple[tuple[Site, ...], IntArray]:
    """Every place that was counted in any run, and its count in each; shape (n_records, n_sites)."""
    sites = sorted(
        {(region, place) for one in records for region, own in one.counts.items() for place in own}
    )
    columns = {site: column for column, site in enumerate(sites)}
    counts = np.zeros((len(records), len(sites)), dtype=np.int64)
    for row, record in enumerate(records):
        for region, own in record.counts.items():
            for place, count in own.items():
                counts[row, columns[region, place]] = count
    return tuple(sites), counts


def partitions(analysis: WhiteBoxAnalysis, space: OptionSpace) -> dict[str, Partition]:
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


def _profiled(profiles: Sequence[Sequence[Record]]) -> Profiled:
    """Self times by region; one that a run does not name took none."""
    regions = sorted({region for own in profiles for record in own for region in record.regions})
    repetitions = len(profiles[0]) if profiles else 0
    values = np.zeros((len(regions), len(profiles), repetitions))
    for column, own in enumerate(profiles):
        for layer, record in enumerate(own):
            values[:, column, layer] = [record.regions.get(region, 0.0) for region in regions]
    return Profiled(tuple(regions), values)


def _mean_cost(records: Sequence[Record]) -> float:
    return float(np.mean([record.cost for record in records])) if records else 0.0
