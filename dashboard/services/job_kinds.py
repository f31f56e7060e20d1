"""All kinds of jobs, by name: what exists depends on this list, not on what was imported."""

from collections.abc import Mapping

from dashboard.services import deleting, measuring, sweeping
from dashboard.services.job_context import Kind

KINDS: Mapping[str, Kind] = {
    deleting.KIND: deleting.delete,
    measuring.KIND: measuring.measure,
    sweeping.KIND: sweeping.sweep,
}
