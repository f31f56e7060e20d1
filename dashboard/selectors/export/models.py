"""What lies on the batches of one system beside runs: models, white-box analyses and counts, as records."""

from collections import defaultdict
from collections.abc import Collection
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet

from analytics.whitebox.dependencies import Site
from dashboard.importers.feature_records import FeatureLocationRecord, FeatureModelRecord, model_of
from dashboard.importers.model_records import (
    CoefficientRecord,
    CorrectionRecord,
    PartitionRecord,
    PerformanceModelRecord,
    PredictionRecord,
)
from dashboard.importers.whitebox_records import CountedRunRecord, CountsRecord, WhiteBoxRecord
from dashboard.models import (
    CountedRun,
    CountSites,
    FeatureLocation,
    ModelCorrection,
    PerformanceModel,
    PublishedCoefficient,
    PublishedPrediction,
    RegionPartition,
    StoredFeatureModel,
    WhiteBoxAnalysis,
)
from dashboard.selectors.packed_counts import unpack_counts, unpack_sites
from dashboard.selectors.record_columns import Positions, load_values

# The fields of a run, and its counts by site.
_Counted = tuple[dict[str, Any], dict[Site, int]]


def performance_models(batches: Collection[int], positions: Positions) -> tuple[PerformanceModelRecord, ...]:
    """The performance models of these batches with what hangs on them, without learned ones.

    Those are learned anew where they arrive; hybrid ones have records of their own.
    """
    rows = PerformanceModel.objects.filter(batch_id__in=batches).exclude(
        kind__in=PerformanceModel.LEARNED_KINDS
    )
    of_these = {"model__in": rows}
    partitions = _children(PartitionRecord, RegionPartition.objects.filter(**of_these), positions)
    predictions = _children(PredictionRecord, PublishedPrediction.objects.filter(**of_these), positions)
    corrections = _children(CorrectionRecord, ModelCorrection.objects.filter(**of_these), positions)
    records = [
        PerformanceModelRecord(
            partitions=tuple(sorted(partitions[pk], key=attrgetter("region"))),
            corrections=tuple(corrections[pk]),
            predictions=tuple(sorted(predictions[pk], key=attrgetter("configuration"))),
            **one,
        )
        for pk, one in load_values(PerformanceModelRecord, rows, positions)
    ]
    return tuple(sorted(records, key=attrgetter("batch", "revision", "workload", "environment", "kind")))


def _children(
    record_class: type, rows: QuerySet[Any], positions: Positions, by: str = "model_id"
) -> dict[int, list[Any]]:
    """The records of the rows that hang on others, by the ids of those, in the order in which they were written."""
    found: dict[int, list[Any]] = defaultdict(list)
    for parent, one in load_values(record_class, rows.order_by("pk"), positions, by=by):
        found[parent].append(record_class(**one))
    return found


def published_coefficients(batches: Collection[int], positions: Positions) -> tuple[CoefficientRecord, ...]:
    """The published coefficients of these batches, by batch, metric, revision and term."""
    rows = PublishedCoefficient.objects.filter(batch_id__in=batches)
    records = [CoefficientRecord(**one) for _, one in load_values(CoefficientRecord, rows, positions)]
    return tuple(sorted(records, key=attrgetter("batch", "metric", "revision", "term")))


def feature_models(batches: Collection[int], positions: Positions) -> tuple[FeatureModelRecord, ...]:
    """The feature models of these batches, by batch; their locations in the order in which they were written."""
    rows = StoredFeatureModel.objects.filter(batch_id__in=batches)
    models = {pk: model_of(payload) for pk, payload in rows.values_list("pk", "payload")}
    of_these = FeatureLocation.objects.filter(feature_model__in=rows)
    locations = _children(FeatureLocationRecord, of_these, positions, by="feature_model_id")
    records = [
        FeatureModelRecord(
            features=models[pk].features,
            constraints=models[pk].constraints,
            locations=tuple(locations[pk]),
            **one,
        )
        for pk, one in load_values(FeatureModelRecord, rows, positions)
    ]
    return tuple(sorted(records, key=attrgetter("batch")))


def white_box_analyses(batches: Collection[int], positions: Positions) -> tuple[WhiteBoxRecord, ...]:
    """The white-box analyses of these batches, by batch."""
    rows = WhiteBoxAnalysis.objects.filter(batch_id__in=batches)
    results = dict(rows.values_list("pk", "result"))
    records = [
        WhiteBoxRecord(found=results[pk], **one) for pk, one in load_values(WhiteBoxRecord, rows, positions)
    ]
    return tuple(sorted(records, key=attrgetter("batch")))


def counts(batches: Collection[int], positions: Positions) -> tuple[CountsRecord, ...]:
    """What these batches counted, by batch and revision; sites and runs in an order of their own content."""
    tables = {
        (one.batch_id, one.revision_id): unpack_sites(one.sites)
        for one in CountSites.objects.filter(batch_id__in=batches)
    }
    rows = CountedRun.objects.filter(batch_id__in=batches)
    values = dict(load_values(CountedRunRecord, rows, positions))
    counted: dict[tuple[int, str], list[_Counted]] = defaultdict(list)
    for one in rows.select_related("revision"):
        sites = tables[one.batch_id, one.revision_id]
        at, numbers = unpack_counts(one.counts)
        by_site = dict(zip((sites[place] for place in at.tolist()), numbers.tolist(), strict=True))
        counted[positions["batches"][one.batch_id], one.revision.name].append((values[one.pk], by_site))
    records = []
    for batch, revision in sorted(counted):
        own = counted[batch, revision]
        ordered = sorted({site for _, by_site in own for site in by_site})
        position = {site: place for place, site in enumerate(ordered)}
        runs = [
            CountedRunRecord(
                counts=tuple(sorted((position[site], count) for site, count in by_site.items())), **run
            )
            for run, by_site in own
        ]
        runs.sort(key=attrgetter("configuration", "workload", "environment"))
        records.append(CountsRecord(batch, revision, tuple(ordered), tuple(runs)))  # type: ignore[arg-type]  # the probe's words
    return tuple(records)
