"""A numeric option with a range too long to be listed: the measured levels count."""

import pytest

from dashboard.importers import spl_conqueror
from dashboard.importers.errors import InvalidBundle
from dashboard.importers.source import ImportSource
from tests.dashboard.importers.comprex_sample import as_source

MODEL = """<vm name="pool"><binaryOptions><configurationOption><name>root</name><parent/>
<optional>False</optional></configurationOption></binaryOptions><numericOptions><configurationOption>
<name>cache</name><parent>root</parent><minValue>{least}</minValue><maxValue>{largest}</maxValue>
<stepFunction>{step}</stepFunction></configurationOption></numericOptions></vm>"""


def _source(least: int, largest: int, step: str, *levels: float) -> ImportSource:
    rows = "".join(f"1;{level};{time}\n" for time, level in enumerate(levels, start=3))
    return as_source(
        {
            "FeatureModel.xml": MODEL.format(least=least, largest=largest, step=step).encode(),
            "measurements.csv": f"root;cache;performance\n{rows}".encode(),
        }
    )


@pytest.mark.parametrize("largest", [1_000_000, 10**12])
def test_measured_levels_of_a_range_are_the_options_levels(largest: int) -> None:
    records = spl_conqueror.read(_source(0, largest, "cache + 1", 0, 250_000, 1_000_000), {}).records
    (cache,) = records.options
    assert [level.value for level in cache.levels] == [0, 250_000, 1_000_000]
    assert len(records.runs) == 3


def test_a_level_beside_the_steps_of_a_range_is_refused() -> None:
    with pytest.raises(InvalidBundle, match="cache"):
        spl_conqueror.read(_source(0, 10_000_000, "cache + 10", 0, 15), {})
