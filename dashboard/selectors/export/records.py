"""Everything that is known of one system, as the records that a bundle holds.

Two systems with the same content give equal records, whatever ids their rows have: each list has an order of its own
content.
"""

from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Model, QuerySet

from dashboard.importers.bundle.files import record_class
from dashboard.importers.records import (
    OptionRecord,
    OrderRecord,
    SystemRecords,
)
from dashboard.models import (
    Batch,
    CountedRun,
    Environment,
    Measurement,
    Metric,
    Order,
    OrderPosition,
    PerformanceModel,
    PublishedCoefficient,
    RegionMeasurement,
    RegionVersion,
    Run,
    Series,
    SourceText,
    System,
    SystemOption,
)
from dashboard.selectors.batch_manifests import unseen
from dashboard.selectors.export.models import (
    call_paths,
    counts,
    feature_models,
    hybrid_models,
    performance_models,
    white_box_analyses,
)
from dashboard.selectors.export.tables import imported_points, load_table, series_records, table_of
from dashboard.selectors.record_columns import Positions, load_values

# The batch that stands for an imported bundle itself: its data hang on the batches that came in it.
ENVELOPE = "bundle"
_RUN_KEY = ("batch", "revision", "configuration", "workload", "environment", "kind", "repetition")
_OWN = {"revisions", "workloads", "regions", "configurations", "region_versions"}


def load_system_records(system: System) -> SystemRecords:
    """The content of a system with everything that is visible of it; a constant number of queries.

    Histories that runs make are left out: they come again from the runs.
    """
    positions: Positions = {}
    series, points = imported_points(system)
    lists = _load_lists(system, series.values(), positions)
    held = list(positions["batches"])
    of_runs = {"run__batch_id__in": held}
    excerpts = {one.source for one in lists["region_versions"]}
    sources = RegionVersion.objects.filter(region__system=system).values("source_id")
    texts = SourceText.objects.filter(pk__in=sources).values_list("digest", "text")
    return SystemRecords(
        description=system.description,
        false_alarm_rate=system.false_alarm_rate,
        host_link=system.host_link,
        orders=load_orders(system),
        options=load_options(system),
        sources={digest: text for digest, text in sorted(texts) if digest in excerpts},
        measurements=load_table("measurements", Measurement.objects.filter(**of_runs), positions),
        region_measurements=load_table(
            "region_measurements", RegionMeasurement.objects.filter(**of_runs), positions
        ),
        performance_models=performance_models(held, positions),
        series=series_records(system, series, positions),
        points=table_of("points", points, positions),
        feature_models=feature_models(held, positions),
        white_box_analyses=white_box_analyses(held, positions),
        counts=counts(held, positions),
        call_paths=call_paths(held, positions),
        hybrid_models=hybrid_models(system, positions),
        **lists,
    )


def load_batch_records(batch: Batch) -> SystemRecords:
    """The runs of one batch with what they showed, and nothing else of its system; a constant number of queries."""
    system, positions = batch.system, Positions()
    lists = _load_lists(system, (), positions, only=batch)
    of_runs = {"run__batch": batch}
    excerpts = {one.source for one in lists["region_versions"]}
    texts = SourceText.objects.filter(digest__in=excerpts).values_list("digest", "text")
    varied = {name for one in lists["configurations"] for name in one.assignments}
    return SystemRecords(
        options=tuple(option for option in load_options(system) if option.name in varied),
        sources=dict(sorted(texts)),
        measurements=load_table("measurements", Measurement.objects.filter(**of_runs), positions),
        region_measurements=load_table(
            "region_measurements", RegionMeasurement.objects.filter(**of_runs), positions
        ),
        counts=counts([batch.pk], positions),
        call_paths=call_paths([batch.pk], positions),
        **lists,
    )


def _load_lists(
    system: System, series: Iterable[Series], positions: Positions, only: Batch | None = None
) -> dict[str, Any]:
    """The lists whose rows are records as they stand, with their positions; of the system, or of what `only` one batch ran."""
    lists: dict[str, Any] = {}
    ran = {} if only is None else {"runs__batch": only}

    def load(collection: str, rows: QuerySet[Any], *key: str) -> None:
        lists[collection] = _load(collection, rows, positions, *key)

    visible = Batch.objects.filter(system=system, state=Batch.State.VISIBLE).exclude(format=ENVELOPE)
    load("batches", visible if only is None else visible.filter(pk=only.pk), "format", "digest")
    load("revisions", system.revisions.filter(**ran).distinct(), "name")
    load("workloads", system.workloads.filter(**ran).distinct(), "name")
    load("regions", system.regions.all(), "key")
    # By identity where names are equal.
    load("configurations", system.configurations.filter(**ran).distinct().order_by("identity"), "name")
    # What anything of the system was measured in and by.
    environments, metrics = _used(list(positions["batches"]), series)
    load("environments", Environment.objects.filter(pk__in=environments), "digest")
    load("metrics", Metric.objects.filter(pk__in=metrics), "quantity", "unit", "clock", "better")
    of_batches = {"batch_id__in": list(positions["batches"])}
    load("runs", Run.objects.filter(**of_batches), *_RUN_KEY)
    versions = RegionVersion.objects.filter(region__system=system)
    if only is not None:
        versions = versions.filter(revision__in=list(positions["revisions"]))
    load("region_versions", versions, "region", "revision")
    coefficients = PublishedCoefficient.objects.filter(**of_batches)
    load("coefficients", coefficients, "batch", "metric", "revision", "term")
    return lists


def _used(batches: Collection[int], series: Iterable[Series]) -> tuple[set[int], set[int]]:
    """The ids of the environments and of the metrics that anything of these was measured in and by."""
    pairs = {(one.environment_id, one.metric_id) for one in series}
    environments, metrics = ({pair[place] for pair in pairs} for place in (0, 1))
    columns: tuple[tuple[set[int], type[Model], str, str], ...] = (
        (environments, Run, "batch", "environment_id"),
        (environments, PerformanceModel, "batch", "environment_id"),
        (environments, CountedRun, "batch", "environment_id"),
        (metrics, PublishedCoefficient, "batch", "metric_id"),
        (metrics, Measurement, "run__batch", "metric_id"),
        (metrics, RegionMeasurement, "run__batch", "metric_id"),
        (metrics, PerformanceModel, "batch", "region_metric_id"),
        (metrics, PerformanceModel, "batch", "total_metric_id"),
    )
    for ids, model, way, column in columns:
        rows = QuerySet[Any](model).filter(**{f"{way}_id__in": batches}).order_by()
        ids.update(rows.values_list(column, flat=True).distinct())
    return environments, metrics


def _load(collection: str, rows: QuerySet[Any], positions: Positions, *key: str) -> tuple[Any, ...]:
    """The records of a list, ordered by the fields of `key` and else as `rows` are; keeps their positions."""
    made = record_class(collection)
    # What systems share is seen as soon as anything refers to it.
    hidden = unseen(rows.model) if collection in _OWN else ()
    values = load_values(made, rows, positions, left_out=hidden)
    found = [(pk, made(**one)) for pk, one in values]
    found.sort(key=lambda row: [getattr(row[1], name) for name in key])
    positions[collection] = {pk: position for position, (pk, _) in enumerate(found)}
    return tuple(record for _, record in found)


def load_options(system: System) -> tuple[OptionRecord, ...]:
    """Options in their own order, with their levels."""
    rows = SystemOption.objects.filter(system=system).order_by("position")
    return tuple(OptionRecord(**one) for _, one in load_values(OptionRecord, rows, {}))


def load_orders(system: System) -> tuple[OrderRecord, ...]:
    """Orders by name, each with its revisions by position."""
    places: dict[str, dict[str, int]] = {
        name: {} for name in Order.objects.filter(system=system).values_list("name", flat=True)
    }
    found = OrderPosition.objects.filter(order__system=system).order_by("position")
    for name, revision, position in found.values_list("order__name", "revision__name", "position"):
        places[name][revision] = position
    return tuple(OrderRecord(name, places[name]) for name in sorted(places))
