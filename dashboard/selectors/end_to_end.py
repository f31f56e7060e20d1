"""What was measured end to end, configuration by configuration. For selectors and services, behind their check."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median

import numpy as np
from django.db.models import QuerySet

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from dashboard.models import Batch, Measurement, Run, System


@dataclass(frozen=True, eq=False)
class EndToEnd:
    """Configurations, level indices (n, n_options), by what they assign; `values` (n,) are their medians.

    `executions` (n,) counts those behind each value; `names` are what people call the configurations.
    """

    configurations: IntArray
    values: FloatArray
    executions: IntArray
    names: tuple[str, ...]

    @cached_property
    def by_levels(self) -> Mapping[bytes, float]:
        """The values by a configuration's level indices as bytes."""
        return {
            row.tobytes(): value for row, value in zip(self.configurations, self.values.tolist(), strict=True)
        }


def end_to_end_runs(system: System) -> QuerySet[Run]:
    """The end-to-end runs of a system that count."""
    return Run.objects.filter(
        batch__system=system,
        batch__state=Batch.State.VISIBLE,
        kind=Run.Kind.PLAIN,
        status=Run.Status.OK,
        invalid_reason="",
    )


def end_to_end(
    runs: QuerySet[Run],
    metric_id: int,
    space: OptionSpace,
    keep: Callable[[Mapping[str, str]], bool] | None = None,
) -> EndToEnd:
    """The median over `runs` of each configuration; with `keep`, only of those whose assignments it accepts."""
    rows = Measurement.objects.filter(run__in=runs, metric_id=metric_id).values_list(
        "run__configuration_id", "run__configuration__name", "run__configuration__assignments", "value", "n"
    )
    known: dict[int, tuple[str, dict[str, str]]] = {}
    values: dict[int, list[float]] = {}
    executions: dict[int, int] = {}
    for configuration, name, assigned, value, n in rows:
        if keep is not None and not keep(assigned):
            continue
        known[configuration] = (name, assigned)
        values.setdefault(configuration, []).append(value)
        executions[configuration] = executions.get(configuration, 0) + n
    # By content, not by id: a system and its imported copy give the same sums to the last digit.
    kept = sorted(known, key=lambda configuration: sorted(known[configuration][1].items()))
    return EndToEnd(
        configurations=space.encode(known[configuration][1] for configuration in kept),
        values=np.array([median(values[configuration]) for configuration in kept], dtype=float),
        executions=np.array([executions[configuration] for configuration in kept], dtype=int),
        names=tuple(known[configuration][0] for configuration in kept),
    )
