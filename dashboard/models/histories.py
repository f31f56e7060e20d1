"""Series, the points that charts read, and stored fits."""

from django.db import models

from dashboard.models.measurements import Batch, Metric
from dashboard.models.systems import Environment, Revision, System, Workload


class Series(models.Model):
    """Everything that identifies one curve over revisions."""

    class SubjectKind(models.TextChoices):
        CONFIGURATION = "configuration"
        BENCHMARK = "benchmark"
        TERM = "term"
        REGION = "region"

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="series")
    subject_kind = models.CharField(max_length=16, choices=SubjectKind.choices)
    # A configuration's identity, a benchmark's name, a term's formula or a region's key.
    subject = models.CharField(max_length=400)
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="+")
    benchmark_version = models.CharField(max_length=80, blank=True, default="")
    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    # Hash over all of the above: no nullable column stands in a unique key.
    identity = models.CharField(max_length=64, unique=True)
    data_version = models.PositiveBigIntegerField(default=0)

    class Meta:
        indexes = [models.Index(fields=["system", "subject_kind"])]

    def __str__(self) -> str:
        return self.subject


class Point(models.Model):
    """The median of `n` measurements of one series at one revision, with their spread."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="points")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="points")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="points")
    n = models.PositiveIntegerField()
    median = models.FloatField()
    # Sample standard deviation of the n measurements, in the metric's unit; null where unknown.
    spread = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "revision"], name="point_unique")]

    def __str__(self) -> str:
        return f"{self.median}"


class HistoryFit(models.Model):
    """A fitted history with its change points: one immutable row with packed arrays."""

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="fits")
    data_version = models.PositiveBigIntegerField()
    settings_digest = models.CharField(max_length=64)
    code_version = models.CharField(max_length=40)
    payload = models.BinaryField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["series", "data_version", "settings_digest", "code_version"],
                name="history_fit_unique",
            )
        ]

    def __str__(self) -> str:
        return f"fit {self.pk}"
