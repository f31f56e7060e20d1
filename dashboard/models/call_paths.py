"""Call paths of profiled runs."""

import zlib
from typing import TYPE_CHECKING, Any

from django.db import models

from analytics.call_paths import CallPaths
from dashboard.models.measurements import Run
from dashboard.models.rows import Row

if TYPE_CHECKING:
    _Bytes = models.BinaryField[CallPaths, CallPaths]
else:
    _Bytes = models.BinaryField


class CallPathsField(_Bytes):
    """A column whose values are `CallPaths`: compressed JSON, which nobody else reads or writes."""

    if TYPE_CHECKING:
        _pyi_private_set_type: CallPaths
        _pyi_private_get_type: CallPaths  # type: ignore[assignment]  # bytes are what the database has

    def from_db_value(self, value: bytes | memoryview | None, *_: Any) -> CallPaths | None:
        """The stored bytes as call paths."""
        return None if value is None else CallPaths.model_validate_json(zlib.decompress(value))

    def get_prep_value(self, value: Any) -> Any:
        """The call paths as bytes."""
        return zlib.compress(value.model_dump_json().encode()) if isinstance(value, CallPaths) else value

    def deconstruct(self) -> Any:
        """In the database it is a column of bytes as any other."""
        name, _, arguments, keywords = super().deconstruct()
        return name, "django.db.models.BinaryField", arguments, keywords


class RunCallPaths(Row):
    """The call paths of one profiled run; runs of other sources, or of earlier releases, have none."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="call_paths")
    paths = CallPathsField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run"], name="run_call_paths_unique")]
