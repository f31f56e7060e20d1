"""How often each place of a program was passed, without noise."""

from django.db import models

from dashboard.models.measurements import Batch
from dashboard.models.rows import Row
from dashboard.models.systems import Configuration, Environment, Revision, Workload


class CountSites(Row):
    """The places that counters of one batch stand at in one revision; a list that only grows."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="count_sites")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="+")
    # What `selectors.counts` packed: [region, line, column, kind] of each.
    sites = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "revision"], name="count_sites_unique")]


class CountedRun(Row):
    """What one call counted; `counts` are packed positions in the batch's `CountSites` of the revision, and numbers.

    `cpu_seconds` are those of the call, which counting slows; none where it was traced, or came from elsewhere.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="counted_runs")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="counted_runs")
    configuration = models.ForeignKey(Configuration, on_delete=models.CASCADE, related_name="+")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT, related_name="+")
    counts = models.BinaryField()
    cpu_seconds = models.FloatField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "revision", "configuration", "workload", "environment"],
                name="counted_run_once_in_a_batch",
            )
        ]
