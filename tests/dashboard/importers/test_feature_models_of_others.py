"""Feature models of others, and the one of the how-to: as many valid configurations as are known."""

from pathlib import Path

import pytest

from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.valid import valid_configurations
from tests.dashboard.importers.feature_model_sample import read_file, write


@pytest.mark.parametrize(
    ("system", "count"),
    [
        ("HSQLDB", 864),
        ("MariaDB", 972),
        ("MySQL", 972),
        ("OpenVPN", 512),
        ("VP8", 2736),
        ("VP9", 3008),
        ("brotli", 180),
        ("lrzip", 1440),
        # Two of its features are an or-group below one that can be missing: without that reading 36 are left.
        ("FastDownward", 347),
    ],
)
def test_published_models_allow_what_was_measured(reference_data: Path, system: str, count: int) -> None:
    path = reference_data / "performance-evolution" / system / "FeatureModel.xml"
    (found,) = read_file(path).records.feature_models
    assert valid_configurations(fold(found.model)).count() == count


def test_the_file_of_the_how_to_can_be_imported(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs" / "how-to" / "import-a-feature-model.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    start = next(at for at, line in enumerate(lines) if "<vm " in line)
    end = next(at for at, line in enumerate(lines) if "</vm>" in line)
    (found,) = read_file(write(tmp_path, "\n".join(lines[start : end + 1]))).records.feature_models
    # Without fast 2 x 3, with it neither safe nor one thread.
    assert valid_configurations(fold(found.model)).count() == 2 * 3 + 2
