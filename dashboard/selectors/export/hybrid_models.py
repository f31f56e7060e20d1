"""The hybrid models of one system as records. For the selector of whole systems."""

from operator import attrgetter

from analytics.configurations.options import OptionSpace
from analytics.influence.learned import HYBRID_VERSION
from analytics.influence.linear import LeastSquares
from analytics.influence.stored import lower_triangle, unpack_located
from dashboard.importers.hybrid_records import HybridRecord, RegionTermsRecord, TermsRecord
from dashboard.models import ModelFit, PerformanceModel, System
from dashboard.selectors.export.runs import Places
from dashboard.selectors.learned_models import written_terms
from dashboard.selectors.option_spaces import options_of


def hybrids(system: System, places: Places) -> tuple[HybridRecord, ...]:
    """The hybrid models of these batches; those of older rules are left out, for no page shows them. Two queries."""
    fits = ModelFit.objects.filter(
        model__kind=PerformanceModel.Kind.HYBRID,
        model__batch_id__in=list(places.batches),
        method_version=HYBRID_VERSION,
    )
    space = options_of(system)
    records = [
        _record(one, space, places)
        for one in fits.select_related("model", "model__revision", "model__workload")
    ]
    return tuple(sorted(records, key=attrgetter("batch", "revision", "workload", "environment", "metric")))


def _record(fit: ModelFit, space: OptionSpace, places: Places) -> HybridRecord:
    model = fit.model
    found = unpack_located(space, bytes(fit.payload))
    return HybridRecord(
        batch=places.batches[model.batch_id],
        revision=model.revision.name,
        workload=model.workload.name,
        environment=places.environments[model.environment_id],
        metric=places.metrics[model.total_metric_id],
        code=fit.method_version,
        seed=model.settings["seed"],
        tainted=model.settings["tainted"],
        current=model.data_version == fit.data_version,
        options=tuple(model.options),
        configurations=found.configurations,
        checked=found.checked,
        error=found.error,
        whole=_terms(found.model.whole.fitted, space),
        regions=tuple(
            RegionTermsRecord(name, _terms(one.fitted, space))
            for name, one in sorted(found.model.regions.items())
        ),
    )


def _terms(fitted: LeastSquares, space: OptionSpace) -> TermsRecord:
    return TermsRecord(
        terms=tuple(written_terms(fitted.levels, space)),
        coefficients=tuple(fitted.coefficients.tolist()),
        covariance=tuple(lower_triangle(fitted).tolist()),
        degrees_of_freedom=fitted.degrees_of_freedom,
    )
