"""Writing the hybrid models of a bundle: when it is shown, for their terms are over the system's own options."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analytics.configurations.options import OptionSpace
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.linear import LinearModel
from analytics.influence.located import LocatedModel
from analytics.influence.stored import LearnedModel, model_of_terms, pack_located
from dashboard.importers.model_records import HybridRecord, TermsRecord
from dashboard.importers.records import Imported, SystemRecords
from dashboard.models import Batch, CountedRun, ModelFit, PerformanceModel, Run, System
from dashboard.selectors.learned_models import read_terms, settings_digest
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.record_columns import RowIds


def without_older_rules(found: Imported) -> Imported:
    """The same without hybrid models of other rules than today's, which no page shows; a remark tells how many."""
    kept = tuple(one for one in found.records.hybrid_models if one.code == HYBRID_VERSION)
    left_out = len(found.records.hybrid_models) - len(kept)
    if not left_out:
        return found
    told = "1 hybrid model is" if left_out == 1 else f"{left_out} hybrid models are"
    remark = f"{told} of other rules than this version's: left out, to be learned again"
    return replace(
        found, records=replace(found.records, hybrid_models=kept), remarks=(*found.remarks, remark)
    )


def write_hybrids(system: System, records: SystemRecords, ids: RowIds) -> None:
    """Write them beneath their batches; a model of the same rules that the system has of the same place stays.

    Call it behind options and data versions. Where other data of its place are there, a model that was current may not
    be any more.
    """
    if not records.hybrid_models:
        return
    space = options_of(system)
    for one in records.hybrid_models:
        row = ids.row(one, PerformanceModel)
        context = MeasurementContext(row["revision_id"], row["workload_id"], row["environment_id"])
        at: dict[str, Any] = {
            **context.as_filter(),
            "total_metric_id": ids.of("metrics")[one.metric],
            "kind": PerformanceModel.Kind.HYBRID,
        }
        held = PerformanceModel.objects.filter(**at)
        if not held.filter(fits__method_version=HYBRID_VERSION).exists():
            # Moves always: who learns the same meanwhile goes by it.
            version = 1 + (held.values_list("data_version", flat=True).first() or 0)
            held.delete()
            analysis = PerformanceModel.objects.create(
                system=system,
                batch_id=row["batch_id"],
                region_metric_id=at["total_metric_id"],
                aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
                aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
                options=list(one.options),
                settings={"seed": one.seed, "tainted": one.tainted, "configurations": one.configurations},
                data_version=version,
                **at,
            )
            ModelFit.objects.create(
                model=analysis,
                data_version=version
                if one.current and not _others(context, ids.of("batches"))
                else version - 1,
                settings_digest=settings_digest(analysis.settings),
                method_version=one.code,
                payload=pack_located(_learned(one, space)),
            )


def _others(context: MeasurementContext, batches: Sequence[int]) -> bool:
    """Whether other batches that are shown have measured or counted there."""
    of_others = {"batch__state": Batch.State.VISIBLE, **context.as_filter()}
    return any(
        rows.filter(**of_others).exclude(batch_id__in=batches).exists()
        for rows in (Run.objects, CountedRun.objects)
    )


def _learned(one: HybridRecord, space: OptionSpace) -> LearnedModel[LocatedModel]:
    regions = {row.region: _model(row.model, space) for row in one.regions}
    return LearnedModel(
        LocatedModel(_model(one.whole, space), regions), one.configurations, one.error, one.checked
    )


def _model(one: TermsRecord, space: OptionSpace) -> LinearModel:
    return model_of_terms(
        space,
        read_terms(one.terms, space).levels,
        np.array(one.coefficients),
        np.array(one.covariance),
        one.degrees_of_freedom,
    )
