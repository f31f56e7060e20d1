"""The hybrid models of one system as records. For the selector of whole systems."""

from operator import attrgetter

from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.linear import LinearModel
from analytics.influence.stored import lower_triangle, unpack_located
from dashboard.importers.model_records import HybridRecord, RegionTermsRecord, TermsRecord
from dashboard.models import ModelFit, PerformanceModel, System
from dashboard.selectors.learned_models import written_terms
from dashboard.selectors.model_settings import hybrid_settings
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.record_columns import Positions, load_values


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
        settings = hybrid_settings(model.settings)
        found = unpack_located(space, bytes(fit.payload))
        records.append(
            HybridRecord(
                metric=positions["metrics"][model.total_metric_id],
                code=fit.method_version,
                seed=settings.seed,
                tainted=settings.tainted,
                current=model.data_version == fit.data_version,
                configurations=found.configurations,
                checked=found.checked,
                error=found.error,
                whole=_terms(found.model.whole),
                regions=tuple(
                    RegionTermsRecord(name, _terms(one)) for name, one in sorted(found.model.regions.items())
                ),
                **values[model.pk],
            )
        )
    return tuple(sorted(records, key=attrgetter("batch", "revision", "workload", "environment", "metric")))


def _terms(model: LinearModel) -> TermsRecord:
    fitted = model.fitted
    return TermsRecord(
        terms=tuple(written_terms(model.levels, model.terms.space)),
        coefficients=tuple(fitted.coefficients.tolist()),
        covariance=tuple(lower_triangle(fitted).tolist()),
        degrees_of_freedom=fitted.degrees_of_freedom,
    )
