"""Writing the hybrid models of a bundle: when it is shown, for their terms are over the system's own options."""

from dataclasses import replace

import numpy as np

from analytics.configurations.options import OptionSpace
from analytics.influence.accuracy import PredictionQuality
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.linear import LinearModel
from analytics.influence.located import LocatedModel
from analytics.influence.stored import LearnedModel, model_of_terms, pack
from dashboard.importers.model_records import TermsRecord
from dashboard.importers.records import Imported, SystemRecords
from dashboard.models import Batch, CountedRun, PerformanceModel, Run, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.learned_models import read_terms
from dashboard.selectors.performance_models import HybridSettings
from dashboard.selectors.record_columns import RowIds
from dashboard.services.performance_models.storing import model_of, save_next_version, store_fit


def without_older_rules(imported: Imported) -> Imported:
    """The same without hybrid models of other rules than today's, which no page shows; a remark tells how many."""
    kept = tuple(one for one in imported.records.hybrid_models if one.code == HYBRID_VERSION)
    left_out = len(imported.records.hybrid_models) - len(kept)
    if not left_out:
        return imported
    told = "1 hybrid model is" if left_out == 1 else f"{left_out} hybrid models are"
    remark = f"{told} of other rules than this version's: left out, to be learned again"
    return replace(
        imported, records=replace(imported.records, hybrid_models=kept), remarks=(*imported.remarks, remark)
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
        metric_id = ids.of("metrics")[one.metric]
        model = model_of(system, context, PerformanceModel.Kind.HYBRID, metric_id)
        if model.pk is not None and model.fits.filter(method_version=HYBRID_VERSION).exists():
            continue
        settings = HybridSettings(seed=one.seed, tainted=one.tainted, configurations=one.configurations)
        model.batch_id, model.options, model.settings = row["batch_id"], list(one.options), settings.as_json()
        # Moves always: who learns the same meanwhile goes by it.
        save_next_version(model)
        # Other batches that are shown may have measured or counted there.
        shown = {"batch__state": Batch.State.VISIBLE, **context.as_filter()}
        is_current = one.current and not any(
            rows.filter(**shown).exclude(batch_id__in=ids.of("batches")).exists()
            for rows in (Run.objects, CountedRun.objects)
        )
        regions = {row.region: _model(row.model, space) for row in one.regions}
        located = LocatedModel(_model(one.whole, space), regions)
        quality = PredictionQuality(one.error, one.rank_correlation, one.regret, one.checked)
        learned = LearnedModel(located, one.configurations, quality, one.margin)
        store_fit(model, pack(learned), one.code, is_current=is_current)


def _model(one: TermsRecord, space: OptionSpace) -> LinearModel:
    return model_of_terms(
        space,
        read_terms(one.terms, space)[0],
        np.array(one.coefficients),
        np.array(one.covariance),
        one.degrees_of_freedom,
    )
