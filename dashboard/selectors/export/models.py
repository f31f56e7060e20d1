"""What lies on the batches of one system beside runs, as records: models, white-box analyses and counts."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict
from operator import attrgetter
from typing import Any

from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.multiplicative import LearnedWhole
from analytics.influence.stored import lower_triangle, unpack
from analytics.whitebox.dependencies import Site
from dashboard.importers.feature_records import FeatureModelRecord, model_of
from dashboard.importers.model_records import (
    HybridRecord,
    PerformanceModelRecord,
    RegionTermsRecord,
    TermsRecord,
)
from dashboard.importers.records import CallPathsRecord
from dashboard.importers.whitebox_records import CountedRunRecord, CountsRecord, WhiteBoxRecord
from dashboard.models import (
    CountedRun,
    ModelFit,
    PerformanceModel,
    RunCallPaths,
    StoredFeatureModel,
    System,
    WhiteBoxAnalysis,
)
from dashboard.selectors.configurations import options_of
from dashboard.selectors.counts import counts_by_site, site_tables
from dashboard.selectors.learned_models import written_terms
from dashboard.selectors.performance_models import HybridSettings
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
    records = []
    for _, one in load_values(PerformanceModelRecord, rows, positions):
        one["partitions"] = tuple(sorted(one["partitions"], key=attrgetter("region")))
        one["predictions"] = tuple(sorted(one["predictions"], key=attrgetter("configuration")))
        records.append(PerformanceModelRecord(**one))
    return tuple(sorted(records, key=attrgetter("batch", "revision", "workload", "environment", "kind")))


def feature_models(batches: Collection[int], positions: Positions) -> tuple[FeatureModelRecord, ...]:
    """The feature models of these batches, by batch; their locations in the order in which they were written."""
    rows = StoredFeatureModel.objects.filter(batch_id__in=batches)
    models = {pk: model_of(payload) for pk, payload in rows.values_list("pk", "payload")}
    records = [
        FeatureModelRecord(features=models[pk].features, constraints=models[pk].constraints, **one)
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


def call_paths(batches: Collection[int], positions: Positions) -> tuple[CallPathsRecord, ...]:
    """The call paths of the runs of these batches, by run."""
    rows = RunCallPaths.objects.filter(run__batch_id__in=batches).values_list("run_id", "paths")
    records = [CallPathsRecord(positions["runs"][run], paths) for run, paths in rows]
    return tuple(sorted(records, key=attrgetter("run")))


def counts(batches: Collection[int], positions: Positions) -> tuple[CountsRecord, ...]:
    """What these batches counted, by batch and revision; sites and runs in an order of their own content."""
    tables = site_tables(batches)
    rows = CountedRun.objects.filter(batch_id__in=batches)
    values = dict(load_values(CountedRunRecord, rows, positions))
    counted: dict[tuple[int, str], list[_Counted]] = defaultdict(list)
    for one in rows.select_related("revision"):
        place = positions["batches"][one.batch_id], one.revision.name
        counted[place].append((values[one.pk], counts_by_site(one, tables)))
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


def hybrid_models(system: System, positions: Positions) -> tuple[HybridRecord, ...]:
    """The hybrid models of the batches with a position; those of older rules are left out, for no page shows them."""
    fits = ModelFit.objects.filter(
        model__kind=PerformanceModel.Kind.HYBRID,
        model__batch_id__in=list(positions["batches"]),
        method_version=HYBRID_VERSION,
    ).select_related("model")
    models = PerformanceModel.objects.filter(pk__in=fits.values("model_id"))
    space = options_of(system)
    values = dict(load_values(HybridRecord, models, positions))
    records = []
    for fit in fits:
        model = fit.model
        settings = HybridSettings.of(model)
        found = unpack(space, bytes(fit.payload))
        records.append(
            HybridRecord(
                metric=positions["metrics"][model.total_metric_id],
                code=fit.method_version,
                seed=settings.seed,
                tainted=settings.tainted,
                current=model.data_version == fit.data_version,
                configurations=found.configurations,
                **asdict(found.quality),
                margin=found.margin,
                whole=_terms(found.model.whole),
                regions=tuple(
                    RegionTermsRecord(name, _terms(one)) for name, one in sorted(found.model.regions.items())
                ),
                **values[model.pk],
            )
        )
    return tuple(sorted(records, key=attrgetter("batch", "revision", "workload", "environment", "metric")))


def _terms(model: LearnedWhole) -> TermsRecord:
    fitted = model.fitted
    return TermsRecord(
        terms=tuple(written_terms(model.levels, model.terms.space)),
        coefficients=tuple(fitted.coefficients.tolist()),
        covariance=tuple(lower_triangle(fitted).tolist()),
        degrees_of_freedom=fitted.degrees_of_freedom,
    )
