"""Everything that is known of one system, as the records that a bundle holds.

Two systems with the same content give equal records, whatever ids their rows have.
"""

from collections.abc import Collection

from dashboard.importers.records import SystemRecords
from dashboard.models import (
    Measurement,
    PerformanceModel,
    PublishedCoefficient,
    RegionMeasurement,
    Run,
    System,
)
from dashboard.selectors.export import reference, whitebox
from dashboard.selectors.export import runs as system_runs
from dashboard.selectors.export.feature_models import feature_models
from dashboard.selectors.export.hybrid_models import hybrids
from dashboard.selectors.export.series import ImportedPoints, imported_points, series_and_points


def load_system_records(system: System) -> SystemRecords:
    """The content of a system with everything that is visible of it; a constant number of queries.

    Histories that runs make are left out: they come again from the runs.
    """
    batches = system_runs.batches(system)
    revisions = reference.revisions(system)
    configurations = reference.configurations(system)
    workloads = reference.workloads(system)
    regions = reference.regions(system)
    points = imported_points(system)
    environments = reference.environments(_environments(batches.place, points))
    metrics = reference.metrics(_metrics(batches.place, points))
    places = system_runs.Places(
        batches.place, configurations.place, environments.place, metrics.place, regions.place
    )
    runs = system_runs.runs(places)
    versions, sources = reference.region_versions(system, regions.place)
    series, table = series_and_points(system, points, places, dict(revisions.place))
    return SystemRecords(
        description=system.description,
        batches=batches.records,
        revisions=revisions.records,
        orders=reference.orders(system),
        options=reference.options(system),
        configurations=configurations.records,
        workloads=workloads.records,
        environments=environments.records,
        metrics=metrics.records,
        regions=regions.records,
        region_versions=versions,
        sources=sources,
        runs=runs.records,
        measurements=system_runs.measurements(places, runs.place),
        region_measurements=system_runs.region_measurements(places, runs.place),
        analyses=system_runs.analyses(places),
        coefficients=system_runs.coefficients(places),
        series=series,
        points=table,
        feature_models=feature_models(places),
        tracings=whitebox.tracings(places),
        counts=whitebox.counts(places),
        hybrids=hybrids(system, places),
    )


def _environments(batches: Collection[int], points: ImportedPoints) -> set[int]:
    """The environments that anything of a system was measured in."""
    return {
        *Run.objects.filter(batch_id__in=batches).values_list("environment_id", flat=True).distinct(),
        *PerformanceModel.objects.filter(batch_id__in=batches).values_list("environment_id", flat=True),
        *whitebox.environments(batches),
        *(one.environment_id for one in points.series.values()),
    }


def _metrics(batches: Collection[int], points: ImportedPoints) -> set[int]:
    """The metrics that anything of a system was measured by."""
    of_runs = Measurement.objects.filter(run__batch_id__in=batches)
    of_regions = RegionMeasurement.objects.filter(run__batch_id__in=batches)
    analyses = PerformanceModel.objects.filter(batch_id__in=batches)
    published = PublishedCoefficient.objects.filter(batch_id__in=batches)
    return {
        *published.values_list("metric_id", flat=True).distinct(),
        *of_runs.values_list("metric_id", flat=True).distinct(),
        *of_regions.values_list("metric_id", flat=True).distinct(),
        *analyses.values_list("region_metric_id", flat=True),
        *analyses.values_list("total_metric_id", flat=True),
        *(one.metric_id for one in points.series.values()),
    }
