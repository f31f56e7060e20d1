"""What importers accept fits into the tables."""

import pytest
from django.db.models import CharField

from dashboard.importers.limits import LONGEST
from dashboard.models import (
    Batch,
    Configuration,
    Environment,
    Level,
    Metric,
    ModelCorrection,
    Order,
    PublishedCoefficient,
    Region,
    RegionVersion,
    Revision,
    Run,
    Series,
    SourceText,
    StoredFeatureModel,
    System,
    SystemOption,
    Workload,
)

FIELDS = {
    "system": (System, "name"),
    "option": (SystemOption, "name"),
    "level": (Level, "label"),
    "revision": (Revision, "name"),
    "commit": (Revision, "commit"),
    "author": (Revision, "author"),
    "tag": (Revision, "released_in"),
    "order": (Order, "name"),
    "configuration": (Configuration, "name"),
    "workload": (Workload, "name"),
    "environment": (Environment, "name"),
    "metric": (Metric, "quantity"),
    "region key": (Region, "key"),
    "region package": (Region, "package"),
    "region name": (Region, "name"),
    "file": (RegionVersion, "file"),
    "digest": (SourceText, "digest"),
    "batch format": (Batch, "format"),
    "batch source": (Batch, "source"),
    "message": (Run, "message"),
    "correction": (ModelCorrection, "name"),
    "term": (PublishedCoefficient, "term"),
    "subject": (Series, "subject"),
    "benchmark version": (Series, "benchmark_version"),
    "feature model": (StoredFeatureModel, "name"),
}


@pytest.mark.parametrize("name", sorted(LONGEST))
def test_the_longest_text_is_as_long_as_its_column(name: str) -> None:
    model, column = FIELDS[name]
    field = model._meta.get_field(column)
    assert isinstance(field, CharField)
    assert field.max_length == LONGEST[name]
