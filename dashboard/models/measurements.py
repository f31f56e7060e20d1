"""Runs and what they measured."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from dashboard.models.regions import Region
from dashboard.models.rows import Row
from dashboard.models.systems import Configuration, Environment, Revision, System, Workload


class Metric(Row):
    """What is measured: quantity, unit, clock, and which direction is better.

    What was counted has no clock and no noise: the same program says the same each time.
    """

    class Clock(models.TextChoices):
        WALL = "wall"
        CPU = "cpu"
        COUNT = "count"
        NONE = "none"

    class Better(models.TextChoices):
        LOWER = "lower"
        HIGHER = "higher"

    quantity = models.CharField(max_length=40)
    unit = models.CharField(max_length=40)
    clock = models.CharField(max_length=8, choices=Clock.choices, default=Clock.NONE)
    better = models.CharField(max_length=8, choices=Better.choices, default=Better.LOWER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["quantity", "unit", "clock", "better"], name="metric_unique")
        ]


class Batch(Row):
    """Rows that came in together, by one import or one measuring job.

    Rows of a batch that is still `writing` are seen by nobody; one flip of `state` shows them all.
    """

    class State(models.TextChoices):
        WRITING = "writing"
        VISIBLE = "visible"

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="batches")
    format = models.CharField(max_length=40)
    digest = models.CharField(max_length=64)
    source = models.CharField(max_length=400, blank=True, default="")
    state = models.CharField(max_length=8, choices=State.choices, default=State.WRITING)
    manifest = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)
    # Moves while rows are written: an old one marks an abandoned batch, to be swept away.
    written_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["system", "digest"], condition=Q(state="visible"), name="batch_imported_once"
            )
        ]


class Run(Row):
    """One execution: revision, configuration, workload, environment, repetition."""

    class Kind(models.TextChoices):
        PLAIN = "plain"
        PROFILED = "profiled"

    class Status(models.TextChoices):
        OK = "ok"
        FAILED = "failed"
        TIMEOUT = "timeout"
        KILLED = "killed"

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="runs")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="runs")
    configuration = models.ForeignKey(Configuration, on_delete=models.CASCADE, related_name="runs")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="runs")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="runs")
    repetition = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.OK)
    message = models.CharField(max_length=400, blank=True, default="")
    output_tail = models.TextField(blank=True, default="")
    started_at = models.DateTimeField(null=True, blank=True)
    # What a reference run took right before and right after, in seconds, null where none was made; and which work it was.
    reference_program = models.CharField(max_length=40, blank=True, default="")
    reference_cpu_before = models.FloatField(null=True, blank=True)
    reference_cpu_after = models.FloatField(null=True, blank=True)
    reference_wall_before = models.FloatField(null=True, blank=True)
    reference_wall_after = models.FloatField(null=True, blank=True)
    # What the machine was busy with meanwhile, as `runner.machine_state.MachineStrain` says; null where nobody looked.
    machine_load = models.FloatField(null=True, blank=True)
    machine_frequency = models.FloatField(null=True, blank=True)
    machine_others = models.FloatField(null=True, blank=True)
    machine_stolen = models.FloatField(null=True, blank=True)
    machine_throttled = models.PositiveIntegerField(null=True, blank=True)
    invalid_reason = models.CharField(max_length=400, blank=True, default="")
    invalidated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "batch",
                    "revision",
                    "configuration",
                    "workload",
                    "environment",
                    "kind",
                    "repetition",
                ],
                name="run_once_in_a_batch",
            )
        ]
        indexes = [models.Index(fields=["revision", "workload", "environment", "kind", "configuration"])]


class Measurement(Row):
    """One metric of one whole run; or, where a source published aggregates only, of `n` executions at once."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="measurements")
    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    value = models.FloatField()
    # Sample standard deviation of the executions behind the value, in the metric's unit; null where unknown.
    deviation = models.FloatField(null=True, blank=True)
    n = models.PositiveIntegerField(default=1, db_default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "metric"], name="measurement_unique"),
            models.CheckConstraint(condition=Q(n__gte=1), name="measurement_stands_for_some"),
        ]


class LineValuesField(models.JSONField):
    """A JSON column of values by line, {line number: value}: JSON has texts for keys, who reads it gets numbers."""

    def from_db_value(self, value: str | None, *rest: Any) -> dict[int, float] | None:
        """The stored values."""
        stored = super().from_db_value(value, *rest)
        return None if stored is None else {int(line): found for line, found in stored.items()}

    def deconstruct(self) -> Any:
        """In the database it is a JSON column as any other."""
        name, _, arguments, keywords = super().deconstruct()
        return name, "django.db.models.JSONField", arguments, keywords


class RegionMeasurement(Row):
    """One metric of one region in one run. Sparse: an absent row of a listed run is zero."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="region_measurements")
    region = models.ForeignKey(Region, on_delete=models.CASCADE, related_name="measurements")
    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="+")
    value = models.FloatField()
    # Where the profiler sampled lines.
    lines = LineValuesField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "region", "metric"], name="region_measurement_unique")
        ]
