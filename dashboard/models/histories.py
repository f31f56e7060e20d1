"""Series, the points that charts read, what people noted at revisions, and stored fits."""

from django.db import models

from dashboard.models.measurements import Batch, Metric
from dashboard.models.rows import Row
from dashboard.models.systems import Environment, Revision, System, Workload


class Series(Row):
    """Everything that identifies one curve over revisions."""

    class SubjectKind(models.TextChoices):
        CONFIGURATION = "configuration"
        BENCHMARK = "benchmark"
        TERM = "term"
        REGION = "region"

    # What is fitted and searched as soon as it was measured. A term's changes are relative to the default configuration: its
    # history is fitted when it is looked at.
    FITTED_KINDS = (SubjectKind.BENCHMARK, SubjectKind.CONFIGURATION, SubjectKind.REGION)

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="series")
    subject_kind = models.CharField(max_length=16, choices=SubjectKind.choices)
    # A configuration's identity, a benchmark's name, a term's formula or a region's key.
    subject = models.CharField(max_length=400)
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="+")
    # How people read the subject, where that differs; it tells no series from another.
    label = models.CharField(max_length=400, blank=True, default="")
    benchmark_version = models.CharField(max_length=80, blank=True, default="")
    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    # Hash over all of the above: no nullable column stands in a unique key.
    identity = models.CharField(max_length=64, unique=True)
    data_version = models.PositiveBigIntegerField(default=0)
    # From the first of these data versions to the second one, points were added and nothing else happened to any: moved by
    # `data_versions.bump` alone. Whoever moves the data version otherwise leaves the second one behind.
    grown_from = models.PositiveBigIntegerField(default=0, db_default=0)
    grown_to = models.PositiveBigIntegerField(default=0, db_default=0)
    # The kernel that a person chose for its history, see `selectors.histories.kernels`; empty: Brownian motion.
    kernel = models.JSONField(default=dict, blank=True)

    class Meta:
        indexes = [models.Index(fields=["system", "subject_kind"])]


class Point(Row):
    """The median of `n` measurements of one series at one revision, with their spread."""

    # The database does not check these three row by row: docs/adr/0008-points-without-foreign-keys.md.
    # The unique constraint below finds the points of a series: a second index would slow down every import. So would one of
    # the revision, most of all: points come in series by series, each at a place of its own in it.
    series = models.ForeignKey(
        Series, on_delete=models.CASCADE, related_name="points", db_index=False, db_constraint=False
    )
    revision = models.ForeignKey(
        Revision, on_delete=models.CASCADE, related_name="points", db_index=False, db_constraint=False
    )
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="points", db_constraint=False)
    n = models.PositiveIntegerField()
    median = models.FloatField()
    # Sample standard deviation of the n measurements, in the metric's unit; null where unknown.
    spread = models.FloatField(null=True, blank=True)
    # By how much the machine's speed was taken out of the median, a share of what was measured; 0 where it was not.
    adjustment = models.FloatField(default=0.0, db_default=0.0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "revision"], name="point_unique")]


class HistoryFit(Row):
    """A fitted history with its change points: one immutable row, with figures for lists and packed arrays.

    Changes are relative to the level before them, signed as the value moves; their certainty is the probability of a step. Revisions tell where, not positions:
    a revision found later shifts nothing.
    """

    series = models.ForeignKey(Series, on_delete=models.CASCADE, related_name="fits")
    data_version = models.PositiveBigIntegerField()
    settings_digest = models.CharField(max_length=64)
    method_version = models.CharField(max_length=40)
    created_at = models.DateTimeField(auto_now_add=True)
    # Measured revisions, and whether these are enough to claim or deny a change.
    measured = models.PositiveIntegerField(default=0)
    enough_data = models.BooleanField(default=False)
    latest = models.FloatField(default=0.0)
    latest_revision = models.ForeignKey(
        Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    # The widest 95 % band at a revision, measured or not, relative to the estimate there.
    certainty_gap = models.FloatField(null=True)
    changes = models.PositiveIntegerField(default=0)
    largest_change = models.FloatField(null=True)
    largest_certainty = models.FloatField(null=True)
    largest_is_candidate = models.BooleanField(default=False)
    largest_is_worse = models.BooleanField(default=False)
    largest_before = models.ForeignKey(
        Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    largest_after = models.ForeignKey(
        Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    last_change = models.FloatField(null=True)
    last_certainty = models.FloatField(null=True)
    last_is_candidate = models.BooleanField(default=False)
    last_is_worse = models.BooleanField(default=False)
    last_before = models.ForeignKey(
        Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    last_after = models.ForeignKey(
        Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    # All changes, see `selectors.histories.stored_fits`: some hundred bytes, that findings read of every history.
    packed_changes = models.BinaryField(default=b"")
    # The slow drift of the last level, packed as a change is; empty where there is none.
    packed_drift = models.BinaryField(default=b"")
    # Last: what stands behind thousands of bytes is slow to read in some databases.
    packed = models.BinaryField(default=b"")
    # Of a long history, see `selectors.histories.growing_fit`: its points, and what was learned of them, to go on from when it grows.
    packed_points = models.BinaryField(default=b"", db_default=b"")
    packed_growth = models.BinaryField(default=b"", db_default=b"")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["series", "data_version", "settings_digest", "method_version"],
                name="history_fit_unique",
            )
        ]


class Annotation(Row):
    """A note at one revision, or from one to another, of all histories of a system or of one."""

    class Kind(models.TextChoices):
        RELEASE = "release"
        MACHINE = "machine"
        # Histories begin a new level there, see `analytics.changepoints.breaks`.
        BENCHMARK = "benchmark"
        NOTE = "note"

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="annotations")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    first = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+", db_index=False)
    # The last revision of a range; null where it is one revision.
    last = models.ForeignKey(Revision, null=True, on_delete=models.CASCADE, related_name="+", db_index=False)
    # The identity of one series, which outlives its row, "" for all of the system.
    series_identity = models.CharField(max_length=64, blank=True, default="")
    text = models.CharField(max_length=200)
    link = models.CharField(max_length=500, blank=True, default="")
    author = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)
