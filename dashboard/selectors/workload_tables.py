"""What was measured of each configuration in each workload of a context, as one table."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from statistics import median

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from analytics.workloads.sample import WorkloadSample, complete_sample
from dashboard.models import Configuration, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import end_to_end_measurements
from dashboard.selectors.workload_rows import WorkloadContext


@dataclass(frozen=True, slots=True)
class DataVersion:
    """What a kept result belongs to: another system or a later write makes another one."""

    system_id: int
    created_at: datetime
    data_version: int

    @classmethod
    def of(cls, system: System) -> "DataVersion":
        """The system as it is now."""
        return cls(system.pk, system.created_at, system.data_version)

    @property
    def system(self) -> System:
        """Its row. One query."""
        return System.objects.get(pk=self.system_id)


@dataclass(frozen=True, slots=True, eq=False)
class WorkloadTable:
    """Median `values` (n, n_workloads) of `configurations` (n, n_options) in the workloads `names`; NaN: not measured.

    `sample` is the part that can be compared; `runs` are how many each workload took.
    """

    space: OptionSpace
    configurations: IntArray
    values: FloatArray
    names: tuple[str, ...]
    runs: Mapping[str, int]
    sample: WorkloadSample


@lru_cache(maxsize=8)
def workload_table(version: DataVersion, context: WorkloadContext) -> WorkloadTable:
    """Everything that was measured in a context. Four queries; none where it is kept in this process."""
    system = version.system
    space = options_of(system)
    measured = (
        end_to_end_measurements(system)
        .filter(
            run__revision_id=context.revision_id,
            run__environment_id=context.environment_id,
            metric_id=context.metric_id,
        )
        .order_by()
        .values_list("run__configuration_id", "run__workload__name", "value", "n")
    )
    values: dict[tuple[int, str], list[float]] = defaultdict(list)
    runs: dict[str, int] = defaultdict(int)
    for configuration, workload, value, n in measured.iterator(chunk_size=10_000):
        values[configuration, workload].append(value)
        runs[workload] += n
    names = sorted(runs)
    configurations, ids = encoded_configurations(
        system, space, {configuration for configuration, _ in values}
    )
    table = np.full((len(ids), len(names)), np.nan)
    places, columns = ({one: at for at, one in enumerate(some)} for some in (ids, names))
    for (configuration, workload), own in values.items():
        table[places[configuration], columns[workload]] = median(own)
    return WorkloadTable(
        space, configurations, table, tuple(names), runs, complete_sample(configurations, table, names)
    )


def encoded_configurations(
    system: System, space: OptionSpace, wanted: set[int]
) -> tuple[IntArray, tuple[int, ...]]:
    """The configurations as level indices (n, n_options), by what they assign, and their ids in the same order."""
    assigned = Configuration.objects.filter(system=system).values_list("pk", "assignments")
    # By content, not by id: a system and its imported copy give the same sums to the last digit.
    kept = sorted((sorted(own.items()), pk) for pk, own in assigned.iterator() if pk in wanted)
    return space.encode(dict(own) for own, _ in kept), tuple(pk for _, pk in kept)
