"""The files of a Perfatlas bundle: what lies in which of them, in which shape, and what tells its entries apart.

Lists in JSON and tables in CSV have the fields of their records (`dashboard.importers.records`): a field that is added
there is read, checked and written without a word here. docs/reference/perfatlas-bundle.md describes the format.
"""

from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter

from analytics.changepoints.changes import FALSE_ALARM_RATE
from dashboard.importers.record_fields import fields_of
from dashboard.importers.records import BatchRecord, SystemRate, SystemRecords
from runner.host_links import HostLink

FORMAT: Literal["perfatlas-bundle"] = "perfatlas-bundle"
VERSION: Literal[2] = 2
MANIFEST = "manifest.json"

# The file of each field of `SystemRecords`.
FILE_OF = {
    "batches": MANIFEST,
    "revisions": "revisions.json",
    "orders": "orders.json",
    "options": "options.json",
    "configurations": "configurations.json",
    "workloads": "workloads.json",
    "environments": "environments.json",
    "metrics": "metrics.json",
    "sources": "sources.json.gz",
    "performance_models": "analyses.json.gz",
    "coefficients": "coefficients.json.gz",
    "feature_models": "feature_models.json.gz",
    "white_box_analyses": "tracings.json.gz",
    "counts": "counts.json.gz",
    "hybrid_models": "hybrid_models.json.gz",
    "call_paths": "call_paths.json.gz",
    "series": "series.json.gz",
    "regions": "regions.csv",
    "region_versions": "region_versions.csv.gz",
    "runs": "runs.csv.gz",
    "measurements": "measurements.csv.gz",
    "region_measurements": "region_measurements.csv.gz",
    "points": "points.csv.gz",
}
FILES = frozenset(FILE_OF.values())
# Bundles of earlier versions do without these files: one that is absent is empty.
OPTIONAL = frozenset(
    {"coefficients", "feature_models", "white_box_analyses", "counts", "hybrid_models", "call_paths"}
)
# What others refer to by position has its rows numbered from 0: the column `number` shows lost rows.
NUMBERED = frozenset({"regions", "runs"})
_CONTEXT = ("revision", "workload", "environment")
# What no two entries have in common: a word for it, and the fields; no fields are all of them.
KEYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "batches": ("digest", ("digest",)),
    "revisions": ("name", ("name",)),
    "orders": ("name", ("name",)),
    "options": ("name", ("name",)),
    "workloads": ("name", ("name",)),
    "environments": ("digest", ("digest",)),
    "metrics": ("metric", ()),
    "regions": ("key", ("key",)),
    "series": ("series", ()),
    "configurations": ("assignments", ("assignments",)),
    "region_versions": ("region and revision", ("region", "revision")),
    "runs": ("run", (*_CONTEXT, "batch", "configuration", "kind", "repetition")),
    "feature_models": ("batch", ("batch",)),
    "coefficients": ("coefficient", ("batch", "revision", "metric", "term")),
    "performance_models": ("analysis", (*_CONTEXT, "batch", "kind")),
    "white_box_analyses": ("batch", ("batch",)),
    "counts": ("batch and revision", ("batch", "revision")),
    "hybrid_models": ("hybrid model", (*_CONTEXT, "metric")),
    "call_paths": ("run", ("run",)),
    "measurements": ("run, metric", ("run", "metric")),
    "region_measurements": ("run, region, metric", ("run", "region", "metric")),
    "points": ("series, revision", ("series", "revision")),
}

_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
_TYPES = get_type_hints(SystemRecords, include_extras=True)


class BundleManifest(BaseModel):
    """What the bundle is, and where its data came from."""

    model_config = ConfigDict(frozen=True, **_STRICT)

    format: Literal["perfatlas-bundle"]
    version: Literal[2]
    description: str = ""
    false_alarm_rate: SystemRate = FALSE_ALARM_RATE
    host_link: HostLink = ""
    batches: tuple[BatchRecord, ...] = ()


MANIFEST_SHAPE = TypeAdapter(BundleManifest)
# The shapes of the lists in JSON, by the field of `SystemRecords`.
LIST_SHAPES: dict[str, TypeAdapter[Any]] = {
    field: TypeAdapter(_TYPES[field], config=_STRICT)
    for field, file in FILE_OF.items()
    if file != MANIFEST and ".json" in file
}
TABLES = tuple(field for field, file in FILE_OF.items() if ".csv" in file)


def record_class(field: str) -> type:
    """The class of the records in a field of `SystemRecords`, or of the table that stands there."""
    held: type = get_args(_TYPES[field])[0] if get_origin(_TYPES[field]) is tuple else _TYPES[field]
    return held


def columns_of(field: str) -> tuple[str, ...]:
    """The header of the table that holds a field of `SystemRecords`."""
    number = ("number",) if field in NUMBERED else ()
    return (*number, *(one.name for one in fields_of(record_class(field))))
