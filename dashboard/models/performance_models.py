"""An analysis of one revision: partitions of its regions, corrections, and stored models."""

from django.db import models
from django.db.models import Q

from dashboard.models.measurements import Batch, Metric
from dashboard.models.regions import Region
from dashboard.models.rows import Row
from dashboard.models.systems import Configuration, Environment, Revision, System, Workload


class PerformanceModel(Row):
    """What is known of one revision's regions, and how their times are aggregated to a model."""

    class Kind(models.TextChoices):
        # Partitions came with a bundle, or are derived from all combinations of the measured options; or there are
        # none, and a model is learned: from end-to-end measurements, or, a hybrid, from these and counts.
        PARTITIONED = "partitioned"
        FULL_FACTORIAL = "full_factorial"
        LEARNED = "learned"
        HYBRID = "hybrid"

    # Those whose model is stored, and can be learned again from what was measured.
    LEARNED_KINDS = (Kind.LEARNED, Kind.HYBRID)

    class Aggregator(models.TextChoices):
        MEDIAN = "median"
        MEAN = "mean"

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="performance_models")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="performance_models")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="performance_models")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    region_metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    total_metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    aggregate_repetitions = models.CharField(max_length=8, choices=Aggregator.choices)
    aggregate_configurations = models.CharField(max_length=8, choices=Aggregator.choices)
    program_region_offset = models.FloatField(default=0.0)
    # Whether a region takes no time in a subspace that was not measured: so traces say of features not selected.
    uncovered_is_zero = models.BooleanField(default=False)
    # Options that vary in an exhaustive analysis; empty where partitions are stored.
    options = models.JSONField(default=list)
    # How a learned analysis came to its terms, and the terms: what `services.learned_models` wrote.
    settings = models.JSONField(default=dict)
    # The correction with which a bundle's published predictions were made; "" where there are none.
    published_correction = models.CharField(max_length=80, blank=True, default="")
    data_version = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "workload", "environment", "kind", "batch", "total_metric"],
                name="performance_model_unique",
            ),
            # One learned model of one metric and kind, whichever imports its runs came with.
            models.UniqueConstraint(
                fields=["revision", "workload", "environment", "total_metric", "kind"],
                condition=Q(kind__in=["learned", "hybrid"]),
                name="performance_model_learned_once",
            ),
        ]


class RegionPartition(Row):
    """The subspaces of one region: each configuration satisfies exactly one formula."""

    model = models.ForeignKey(PerformanceModel, on_delete=models.CASCADE, related_name="partitions")
    region = models.ForeignKey(Region, on_delete=models.CASCADE, related_name="partitions")
    formulas = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "region"], name="partition_unique")]


class ModelCorrection(Row):
    """A published fit: profiled = intercept + slope * unprofiled."""

    model = models.ForeignKey(PerformanceModel, on_delete=models.CASCADE, related_name="corrections")
    name = models.CharField(max_length=80)
    intercept = models.FloatField()
    slope = models.FloatField()
    r_squared = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "name"], name="correction_unique")]


class PublishedPrediction(Row):
    """What a bundle's authors predicted for one configuration."""

    model = models.ForeignKey(PerformanceModel, on_delete=models.CASCADE, related_name="predictions")
    configuration = models.ForeignKey(Configuration, on_delete=models.CASCADE, related_name="+")
    value = models.FloatField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["model", "configuration"], name="prediction_unique")]


class PublishedCoefficient(Row):
    """A coefficient of the model that a source's authors published for one revision."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="published_coefficients")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="published_coefficients")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="published_coefficients")
    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    # As published, "a * b_2"; the terms of a metric are the same in all revisions.
    term = models.CharField(max_length=400)
    # {option: label of the level that the term selects}; {} is the base, null a term that our options do not tell.
    levels = models.JSONField(null=True, blank=True)
    value = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "revision", "metric", "term"], name="published_coefficient_unique"
            )
        ]


class ModelFit(Row):
    """A stored influence model: one immutable row with packed arrays."""

    model = models.ForeignKey(PerformanceModel, on_delete=models.CASCADE, related_name="fits")
    data_version = models.PositiveBigIntegerField()
    settings_digest = models.CharField(max_length=64)
    method_version = models.CharField(max_length=40)
    payload = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["model", "data_version", "settings_digest", "method_version"],
                name="model_fit_unique",
            )
        ]


class ModelEvaluation(Row):
    """Approaches held side by side on what was measured of one revision: settings and rows, as of one data version."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="evaluations")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="evaluations")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="+")
    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    settings = models.JSONField()
    settings_digest = models.CharField(max_length=64)
    # The system's, when the measurements were read.
    data_version = models.PositiveBigIntegerField()
    payload = models.JSONField()
    created_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "workload", "environment", "metric", "settings_digest"],
                name="evaluation_unique",
            )
        ]
