"""Writing the hybrid models of a bundle: when it is shown, for their terms are over the system's own options."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from analytics.influence.linear import LinearModel
from analytics.influence.located import LearnedInRegions, LocatedModel, packed_in_regions, stored_model
from dashboard.importers.hybrid_records import HybridRecord, TermsRecord
from dashboard.importers.records import SystemRecords
from dashboard.models import Analysis, Batch, ModelFit, System
from dashboard.selectors.learned_models import read_terms, settings_digest
from dashboard.selectors.option_spaces import SystemOptions, options_of
from dashboard.services.imports.reference import Places


def write_hybrids(system: System, records: SystemRecords, places: Places, batches: Sequence[int]) -> None:
    """Write them beneath their batches; a model that the system has of the same place stays.

    Call it behind options and data versions. Where other data are there, a model that was current may not be any more.
    """
    if not records.hybrids:
        return
    options = options_of(system)
    others = Batch.objects.filter(system=system, state=Batch.State.VISIBLE).exclude(pk__in=batches)
    alone = not others.exists()
    for one in records.hybrids:
        at: dict[str, Any] = {
            "revision_id": places.revisions[one.revision],
            "workload_id": places.workloads[one.workload],
            "environment_id": places.environments[one.environment],
            "total_metric_id": places.metrics[one.metric],
            "kind": Analysis.Kind.HYBRID,
        }
        if not Analysis.objects.filter(**at).exists():
            analysis = Analysis.objects.create(
                system=system,
                batch_id=batches[one.batch],
                region_metric_id=at["total_metric_id"],
                aggregate_repetitions=Analysis.Aggregator.MEDIAN,
                aggregate_configurations=Analysis.Aggregator.MEDIAN,
                options=list(one.options),
                settings={"seed": one.seed, "tainted": one.tainted, "configurations": one.configurations},
                data_version=1,
                **at,
            )
            ModelFit.objects.create(
                analysis=analysis,
                data_version=1 if one.current and alone else 0,
                settings_digest=settings_digest(analysis.settings),
                code_version=one.code,
                payload=packed_in_regions(_learned(one, options)),
            )


def _learned(one: HybridRecord, options: SystemOptions) -> LearnedInRegions:
    regions = {row.region: _model(row.model, options) for row in one.regions}
    return LearnedInRegions(
        LocatedModel(_model(one.whole, options), regions), one.configurations, one.error, one.checked
    )


def _model(one: TermsRecord, options: SystemOptions) -> LinearModel:
    return stored_model(
        options.space,
        read_terms(one.terms, options).levels,
        np.array(one.coefficients),
        np.array(one.covariance),
        one.degrees_of_freedom,
    )
