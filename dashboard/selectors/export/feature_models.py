"""The feature models of one system as records. For the selector of whole systems."""

from operator import attrgetter

from dashboard.importers.feature_payload import model_of
from dashboard.importers.feature_records import FeatureLocationRecord, FeatureModelRecord
from dashboard.models import StoredFeatureModel
from dashboard.selectors.export.runs import Places

# In the order of `FeatureLocationRecord`.
_FIELDS = (
    "feature",
    "file",
    "first_line",
    "first_column",
    "last_line",
    "last_column",
    "first_revision",
    "removed_in",
    "category",
    "member",
)


def feature_models(places: Places) -> tuple[FeatureModelRecord, ...]:
    """The feature models of these batches, by batch; their locations in the order in which they were written."""
    found = StoredFeatureModel.objects.filter(batch_id__in=list(places.batches)).prefetch_related("locations")
    return tuple(sorted((_record(one, places) for one in found), key=attrgetter("batch")))


def _record(one: StoredFeatureModel, places: Places) -> FeatureModelRecord:
    model = model_of(one.payload)
    rows = sorted(one.locations.all(), key=attrgetter("pk"))
    return FeatureModelRecord(
        batch=places.batches[one.batch_id],
        name=model.name,
        features=model.features,
        constraints=model.constraints,
        path=one.path,
        commit=one.commit,
        locations=tuple(FeatureLocationRecord(*(getattr(row, field) for field in _FIELDS)) for row in rows),
    )
