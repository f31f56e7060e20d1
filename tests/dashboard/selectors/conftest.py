"""The sample bundle, imported: T = 4 - 0.5 A + 2 A*B + 4 B*C seconds as profiled."""

from pathlib import Path

import pytest

from dashboard.access import Principal
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import comprex_sample as sample

SLUG = "toy"


@pytest.fixture
def toy(db: None, tmp_path: Path, operator: Principal) -> str:
    """The slug of the sample's system."""
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    return import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy").system_slug
