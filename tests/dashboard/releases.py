"""A system that was measured end to end over several releases, configuration by configuration."""

from collections.abc import Mapping, Sequence

import numpy as np

from analytics.configurations.identities import configuration_identity
from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.times import FloatArray
from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Level,
    Measurement,
    Metric,
    Order,
    OrderPosition,
    PublishedCoefficient,
    Revision,
    Run,
    System,
    SystemOption,
    Workload,
)

SPACE = OptionSpace(
    (
        Option("cache", (False, True)),
        Option("log", (False, True)),
        Option("method", ("plain", "fast", "small")),
        Option("level", (1, 2, 3, 4)),
    )
)
# intercept, cache, method=fast, method=small, cache x method=fast, level=4
TRUE = np.array(
    [[-1, -1, -1, -1], [1, -1, -1, -1], [-1, -1, 1, -1], [-1, -1, 2, -1], [-1, -1, -1, 3], [1, -1, 1, -1]],
    dtype=np.int8,
)
INFLUENCES = np.array(
    [[100.0, 100.0, 120.0], [-20, -20, -30], [-40, -10, -10], [15, 15, 15], [30, 30, 31], [8, 8, 8]]
)


def valid_configurations() -> IntArray:
    """All but those that a constraint leaves out: no log with the smallest method."""
    grid = np.indices(SPACE.sizes).reshape(len(SPACE.sizes), -1).T.astype(np.int8)
    kept: IntArray = grid[~((grid[:, 1] == 1) & (grid[:, 2] == 2))]
    return kept


def values_of(configurations: IntArray, noise: float = 0.3) -> FloatArray:
    """What each release took, shape (n_configurations, n_releases)."""
    truth: FloatArray = design_matrix(TRUE, configurations) @ INFLUENCES
    return truth + noise * np.random.default_rng(5).normal(size=truth.shape)


def create_releases(
    *,
    slug: str = "releases",
    space: OptionSpace = SPACE,
    configurations: IntArray | None = None,
    values: FloatArray | None = None,
    releases: Sequence[str] = ("1.0", "1.1", "2.0"),
    metric: Metric | None = None,
) -> System:
    """The system with one measurement of each configuration at each release; NaN was not measured."""
    configurations = valid_configurations() if configurations is None else configurations
    values = values_of(configurations) if values is None else values
    metric = metric or Metric.objects.create(quantity="performance", unit="")
    system = System.objects.filter(slug=slug).first() or _system(slug, space, releases)
    batch = Batch.objects.create(
        system=system, format="spl-conqueror", digest=f"{slug} {metric.pk}", state=Batch.State.VISIBLE
    )
    workload, _ = Workload.objects.get_or_create(system=system, name="regular")
    environment, _ = Environment.objects.get_or_create(digest="1" * 64, defaults={"name": "cluster"})
    rows = _configurations(system, space, configurations)
    for column, revision in enumerate(Revision.objects.filter(system=system).order_by("pk")):
        known = np.flatnonzero(np.isfinite(values[:, column]))
        runs = Run.objects.bulk_create(
            Run(
                batch=batch,
                revision=revision,
                configuration=rows[row],
                workload=workload,
                environment=environment,
                repetition=0,
                kind=Run.Kind.PLAIN,
            )
            for row in known.tolist()
        )
        Measurement.objects.bulk_create(
            Measurement(run=run, metric=metric, value=values[row, column], n=5)
            for run, row in zip(runs, known.tolist(), strict=True)
        )
    return system


def publish(
    system: System, terms: Sequence[tuple[str, Mapping[str, object] | None]], values: FloatArray
) -> None:
    """Coefficients (n_terms, n_releases) that somebody published of the system's first metric."""
    batch = Batch.objects.filter(system=system).earliest("pk")
    metric = Measurement.objects.filter(run__batch=batch).select_related("metric")[0].metric
    PublishedCoefficient.objects.bulk_create(
        PublishedCoefficient(
            system=system,
            batch=batch,
            revision=revision,
            metric=metric,
            term=term,
            levels=levels,
            value=values[row, column],
        )
        for column, revision in enumerate(Revision.objects.filter(system=system).order_by("pk"))
        for row, (term, levels) in enumerate(terms)
    )


def _system(slug: str, space: OptionSpace, releases: Sequence[str]) -> System:
    system = System.objects.create(slug=slug, name=slug.capitalize(), visible=True)
    for position, option in enumerate(space.options):
        row = SystemOption.objects.create(system=system, name=option.name, position=position)
        Level.objects.bulk_create(
            Level(option=row, position=level, value=value, label=option.text(level))
            for level, value in enumerate(option.levels)
        )
    order = Order.objects.create(system=system, name="releases")
    for position, name in enumerate(releases):
        revision = Revision.objects.create(system=system, name=name)
        OrderPosition.objects.create(order=order, revision=revision, position=position)
    return system


def _configurations(system: System, space: OptionSpace, configurations: IntArray) -> list[Configuration]:
    assigned = [
        {
            space.names[option]: space.options[option].text(row[option])
            for option in np.flatnonzero(row).tolist()
        }
        for row in configurations
    ]
    known = {one.identity: one for one in Configuration.objects.filter(system=system)}
    rows = [
        known.get(identity) or Configuration(system=system, identity=identity, assignments=one)
        for one in assigned
        for identity in [configuration_identity(one)]
    ]
    Configuration.objects.bulk_create(row for row in rows if row.pk is None)
    return rows
