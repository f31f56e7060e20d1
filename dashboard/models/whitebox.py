"""What following options through traced runs of a program found."""

from django.db import models

from dashboard.models.measurements import Batch
from dashboard.models.systems import Revision, System, Workload


class WhiteBoxAnalysis(models.Model):
    """The white-box analysis of one revision on one workload."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="white_box_analyses")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="white_box_analyses")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="white_box_analyses")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    # The configurations that were traced, the decisions and steps seen, partitions, and what could not be followed:
    # what `services.tracing_records` wrote.
    result = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch"], name="white_box_analysis_batch_unique")]

    def __str__(self) -> str:
        return f"white-box analysis {self.pk}"
