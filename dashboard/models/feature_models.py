"""Feature models: which configurations are valid, and where features lie in the source."""

from django.db import models
from django.db.models import F, Q

from dashboard.models.measurements import Batch
from dashboard.models.rows import Row
from dashboard.models.systems import System


class StoredFeatureModel(Row):
    """A feature model as it was written; that of the newest visible batch holds for the system."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="feature_models")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="feature_models")
    name = models.CharField(max_length=120)
    # Features and constraints, the fields of `analytics.configurations.feature_models.features`.
    payload = models.JSONField()
    # The folder and commit of the source that locations are of; blank where the file does not say.
    path = models.CharField(max_length=400, blank=True, default="")
    commit = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch"], name="feature_model_batch_unique")]


class FeatureLocation(Row):
    """A source range that belongs to a feature; lines and columns count from 1, the last ones belong to it."""

    class Category(models.TextChoices):
        NECESSARY = "necessary"
        INESSENTIAL = "inessential"

    feature_model = models.ForeignKey(StoredFeatureModel, on_delete=models.CASCADE, related_name="locations")
    feature = models.CharField(max_length=120)
    file = models.CharField(max_length=400)
    first_line = models.PositiveIntegerField()
    first_column = models.PositiveIntegerField()
    last_line = models.PositiveIntegerField()
    last_column = models.PositiveIntegerField()
    # Names or commits as the file has them: it may know revisions that the system does not.
    first_revision = models.CharField(max_length=120, blank=True, default="")
    removed_in = models.CharField(max_length=120, blank=True, default="")
    category = models.CharField(max_length=16, choices=Category.choices)
    member = models.CharField(max_length=400, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["feature_model", "file"], name="feature_location_file")]
        constraints = [
            models.CheckConstraint(
                condition=Q(first_line__gte=1) & Q(last_line__gte=F("first_line")),
                name="feature_location_lines_in_order",
            )
        ]
