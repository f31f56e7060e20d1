"""White-box analyses: what following options through traced runs of a program showed."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db import models

from analytics.whitebox.result import WhiteBoxResult
from dashboard.models.measurements import Batch
from dashboard.models.rows import Row
from dashboard.models.systems import Revision, System, Workload


# A result is a value that nobody changes, and takes long to read: the last ones are kept.
@lru_cache(maxsize=4)
def result_of(text: str) -> WhiteBoxResult:
    """The stored text as a result; the last ones are kept, by all that stands in them."""
    return WhiteBoxResult.model_validate_json(text)


class WhiteBoxResultField(models.JSONField):
    """A JSON column whose values are `WhiteBoxResult`: nobody reads or writes its keys."""

    if TYPE_CHECKING:
        _pyi_private_set_type: WhiteBoxResult
        _pyi_private_get_type: WhiteBoxResult

    def from_db_value(self, value: str | None, *_: Any) -> WhiteBoxResult | None:
        """The stored text as a result."""
        return None if value is None else result_of(value)

    def get_prep_value(self, value: Any) -> Any:
        """The result as JSON values."""
        return super().get_prep_value(value.as_json() if isinstance(value, WhiteBoxResult) else value)

    def deconstruct(self) -> Any:
        """In the database it is a JSON column as any other."""
        name, _, arguments, keywords = super().deconstruct()
        return name, "django.db.models.JSONField", arguments, keywords


class WhiteBoxAnalysis(Row):
    """The white-box analysis of one revision on one workload; pages ask for those by taints and counts, which have no `approach`."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="white_box_analyses")
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="white_box_analyses")
    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="white_box_analyses")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="+")
    approach = models.CharField(max_length=12, default="", blank=True)
    result = WhiteBoxResultField()
    # Moves with every write of the result, some megabytes that pages keep under it.
    data_version = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch"], name="white_box_analysis_batch_unique")]
