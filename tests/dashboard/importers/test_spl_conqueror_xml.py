"""Measurements in XML: what comes out, what is refused, and that nothing else happens."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.importers import spl_conqueror
from dashboard.importers.errors import ImporterError, InvalidBundle
from dashboard.importers.records import Imported
from tests.dashboard.importers import spl_sample as sample
from tests.dashboard.importers.comprex_sample import as_source


def _read(text: str) -> Imported:
    return spl_conqueror.read(as_source({"study.xml": text.encode(errors="surrogatepass")}), {})


def _as_xml() -> str:
    """The sample's first release as XML, without deviations; the level is a numeric option."""
    rows = [
        f'<row>\n<data columname="Configuration">root,{"verify," if verify else ""}</data>\n'
        f'<data columname="Variable Features">level;{level}</data>\n'
        f'<data columname="Speed">{sample.seconds(level, verify, "", 0)}</data>\n</row>'
        for level in sample.LEVELS
        for verify in (0, 1)
    ]
    return "<results>\n" + "\n".join(rows) + "\n</results>\n"


def test_measurements_in_xml_name_their_options_and_metrics() -> None:
    records = _read(_as_xml()).records
    assert sample.levels(records) == {"verify": ["off", "on"], "level": ["1", "2", "9"]}
    assert [one.quantity for one in records.metrics] == ["Speed"]
    assert sorted(records.measurements.value) == [10, 13, 15, 18, 25, 28]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("level;1<", "level<", "line 4: is no numeric option with its value (value 'level')"),
        (">10.0<", ">fast<", "line 2, column 'Speed': is no number (value 'fast')"),
        ('"Speed">10.0', '"level">10.0', "line 5, column 'level': is said twice"),
        ("</results>", "", "is not well-formed"),
        ("<results>", '<!DOCTYPE x [<!ENTITY a "b">]><results>', "declares a document type of its own"),
        ("<row>", "<row><data>1</data>", "does not say of which column it is"),
    ],
)
def test_every_fault_in_xml_is_told_with_its_place(old: str, new: str, words: str) -> None:
    with pytest.raises(InvalidBundle) as refused:
        _read(_as_xml().replace(old, new, 1))
    assert words in "\n".join(refused.value.lines())


_SEVERAL = """<results decimalDelimiter="." separator="@">
<row multipleMeasurements="true"><data columname="Configuration">a,b,</data><data columname="Memory">10@20@30</data></row>
<row multipleMeasurements="true"><data columname="Configuration">a,</data><data columname="Memory">1234,5@11</data></row>
<row><data columname="Configuration">b,</data><data columname="Memory">7</data></row>
</results>
"""


def test_a_cell_of_several_measurements_is_their_mean() -> None:
    """As the tool that writes them reads them; a comma that can only be a decimal one is one."""
    found = _read(_SEVERAL)
    assert sorted(found.records.measurements.value) == [7, 20, (1234.5 + 11) / 2]
    assert any("2 cells hold several measurements" in remark for remark in found.remarks)


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("10@20@30", "10@fast@30", "10@fast@30"),
        ("10@20@30", "10@@30", "10@@30"),
        ("1234,5@11", "1,234@11", "1,234@11"),  # may be a thousand
        (">7<", ">7@8<", "7@8"),  # its row does not say that there are several
    ],
)
def test_a_cell_of_several_measurements_that_is_none_is_refused(old: str, new: str, value: str) -> None:
    with pytest.raises(InvalidBundle) as refused:
        _read(_SEVERAL.replace(old, new))
    assert f"column 'Memory': is no number (value {value!r})" in "\n".join(refused.value.lines())


def test_a_numeric_option_may_stand_before_its_value_with_a_blank() -> None:
    records = _read(_as_xml().replace("level;", "level ")).records
    assert sample.levels(records)["level"] == ["1", "2", "9"]


@settings(max_examples=60, deadline=None)
@given(start=st.integers(0, 800), length=st.integers(0, 30), new=st.text(max_size=20) | st.just("&a;"))
def test_damaged_xml_is_read_or_refused_and_nothing_else(start: int, length: int, new: str) -> None:
    text = _as_xml()
    damaged = text[:start] + new + text[start + length :]
    try:
        records = _read(damaged).records
    except ImporterError:
        return
    assert all(math.isfinite(value) for value in records.measurements.value)


def test_indentation_between_rows_does_not_count() -> None:
    padded = _as_xml().replace("<row>", " " * 60_000 + "<row>")
    assert len(_read(padded).records.runs) == 6
