"""Everything that is known of one system, as the records that a bundle holds.

Two systems with the same content give equal records, whatever ids their rows have: each list has an order of its own
content.
"""

from collections import defaultdict
from collections.abc import Collection
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet

from dashboard.importers.bundle.files import record_class
from dashboard.importers.records import (
    LevelRecord,
    OptionRecord,
    OrderRecord,
    RegionVersionRecord,
    SystemRecords,
)
from dashboard.models import (
    Batch,
    CountedRun,
    Environment,
    Level,
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
    counts,
    feature_models,
    hybrid_models,
    performance_models,
    published_coefficients,
    white_box_analyses,
)
from dashboard.selectors.export.tables import imported_points, load_table, series_records, table_of
from dashboard.selectors.record_columns import Positions, load_values

# The batch that stands for an imported bundle itself: its data hang on the batches that came in it.
ENVELOPE = "bundle"
_RUN_KEY = ("batch", "revision", "configuration", "workload", "environment", "kind", "repetition")
_OWN = {"revisions", "workloads", "regions", "configurations"}


def load_system_records(system: System) -> SystemRecords:
    """The content of a system with everything that is visible of it; a constant number of queries.

    Histories that runs make are left out: they come again from the runs.
    """
    positions: Positions = {}
    visible = Batch.objects.filter(system=system, state=Batch.State.VISIBLE).exclude(format=ENVELOPE)
    lists: dict[str, Any] = {
        "batches": _load("batches", visible, positions, "format", "digest"),
        "revisions": _load("revisions", system.revisions.all(), positions, "name"),
        "workloads": _load("workloads", system.workloads.all(), positions, "name"),
        "regions": _load("regions", system.regions.all(), positions, "key"),
        # By identity where names are equal.
        "configurations": _load(
            "configurations", system.configurations.order_by("identity"), positions, "name"
        ),
    }
    held = list(positions["batches"])
    series, points = imported_points(system)
    environments, metrics = _environments_and_metrics(held, series.values())
    lists["environments"] = _load("environments", environments, positions, "digest")
    lists["metrics"] = _load("metrics", metrics, positions, "quantity", "unit", "clock", "better")
    lists["runs"] = _load("runs", Run.objects.filter(batch_id__in=held), positions, *_RUN_KEY)
    versions, sources = _region_versions(system, positions)
    of_runs = {"run__batch_id__in": held}
    return SystemRecords(
        description=system.description,
        orders=load_orders(system),
        options=load_options(system),
        region_versions=versions,
        sources=sources,
        measurements=load_table("measurements", Measurement.objects.filter(**of_runs), positions),
        region_measurements=load_table(
            "region_measurements", RegionMeasurement.objects.filter(**of_runs), positions
        ),
        performance_models=performance_models(held, positions),
        coefficients=published_coefficients(held, positions),
        series=series_records(system, series, positions),
        points=table_of("points", points, positions),
        feature_models=feature_models(held, positions),
        white_box_analyses=white_box_analyses(held, positions),
        counts=counts(held, positions),
        hybrid_models=hybrid_models(system, positions),
        **lists,
    )


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
    levels = defaultdict(list)
    rows = Level.objects.filter(option__system=system).order_by("position")
    for option, one in load_values(LevelRecord, rows, {}, by="option_id"):
        levels[option].append(LevelRecord(**one))
    found = load_values(OptionRecord, SystemOption.objects.filter(system=system).order_by("position"), {})
    return tuple(OptionRecord(levels=tuple(levels[pk]), **one) for pk, one in found)


def load_orders(system: System) -> tuple[OrderRecord, ...]:
    """Orders by name, each with its revisions by position."""
    places: dict[str, dict[str, int]] = {
        name: {} for name in Order.objects.filter(system=system).values_list("name", flat=True)
    }
    found = OrderPosition.objects.filter(order__system=system).order_by("position")
    for name, revision, position in found.values_list("order__name", "revision__name", "position"):
        places[name][revision] = position
    return tuple(OrderRecord(name, places[name]) for name in sorted(places))


def _region_versions(
    system: System, positions: Positions
) -> tuple[tuple[RegionVersionRecord, ...], dict[str, str]]:
    """Regions as they stand in revisions, by region and revision, and their source excerpts by digest."""
    rows = RegionVersion.objects.filter(region__system=system)
    values = load_values(RegionVersionRecord, rows, positions, left_out=unseen(RegionVersion))
    versions = [RegionVersionRecord(**one) for _, one in values]
    versions.sort(key=attrgetter("region", "revision"))
    used = {version.source for version in versions}
    texts = SourceText.objects.filter(pk__in=rows.values("source_id")).values_list("digest", "text")
    return tuple(versions), {digest: text for digest, text in sorted(texts) if digest in used}


def _environments_and_metrics(
    batches: Collection[int], series: Collection[Series]
) -> tuple[QuerySet[Environment], QuerySet[Metric]]:
    """The environments and the metrics that anything of a system was measured in and by."""
    environments = {one.environment_id for one in series}
    metrics = {one.metric_id for one in series}
    for model in (Run, PerformanceModel, CountedRun):
        rows = QuerySet[Any](model).filter(batch_id__in=batches).order_by()
        environments.update(rows.values_list("environment_id", flat=True).distinct())
    columns: tuple[tuple[QuerySet[Any], str], ...] = (
        (PublishedCoefficient.objects.filter(batch_id__in=batches), "metric_id"),
        (Measurement.objects.filter(run__batch_id__in=batches), "metric_id"),
        (RegionMeasurement.objects.filter(run__batch_id__in=batches), "metric_id"),
        (PerformanceModel.objects.filter(batch_id__in=batches), "region_metric_id"),
        (PerformanceModel.objects.filter(batch_id__in=batches), "total_metric_id"),
    )
    for rows, column in columns:
        metrics.update(rows.values_list(column, flat=True).distinct())
    return Environment.objects.filter(pk__in=environments), Metric.objects.filter(pk__in=metrics)
