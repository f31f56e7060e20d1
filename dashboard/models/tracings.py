"""What following options through traced runs of a program found."""

from django.db import models

from dashboard.models.measurements import Batch
from dashboard.models.systems import Revision, System, Workload


class Tracing(models.Model):
    """The white-box analysis of one revision on one workload."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="tracings")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="tracings")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="tracings")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    # The configurations that were traced, the decisions and steps seen, partitions, and what could not be followed:
    # what `services.tracing_records` wrote.
    found = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch"], name="tracing_batch_unique")]

    def __str__(self) -> str:
        return f"tracing {self.pk}"
