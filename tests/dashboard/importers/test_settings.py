"""What a format may be told beside the file."""

from pathlib import Path

import pytest

from dashboard.importers.errors import InvalidSetting
from dashboard.importers.settings import ImportSetting, check, context_names, identity, pairs, single
from dashboard.importers.source import open_source

KNOWN = (
    ImportSetting("unit", "QUANTITY=UNIT", "a unit", repeatable=True),
    ImportSetting("time-unit", "UNIT", "a unit"),
)


def test_settings_that_a_format_has_pass() -> None:
    check({"unit": ("time=s", "energy=J"), "time-unit": ("us",)}, KNOWN, "toy")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"map": ("a=b",)}, "--map: is no setting of the format toy. It takes --unit, --time-unit."),
        ({"time-unit": ("s", "ms")}, "--time-unit: is given more than once"),
    ],
)
def test_other_settings_are_refused_by_name(given: dict[str, tuple[str, ...]], says: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        check(given, KNOWN, "toy")
    assert says in str(error.value)


def test_a_format_without_settings_says_so() -> None:
    with pytest.raises(InvalidSetting, match="takes no settings"):
        check({"unit": ("time=s",)}, (), "bundle")


def test_pairs_split_at_the_first_equals_sign() -> None:
    assert pairs("unit", ("time = s", "a=b=c")) == {"time": "s", "a": "b=c"}
    assert pairs("unit", ()) == {}


@pytest.mark.parametrize("text", ["time", "=s", "time=", ""])
def test_half_a_pair_is_refused_with_its_value(text: str) -> None:
    with pytest.raises(InvalidSetting, match="KEY=VALUE"):
        pairs("unit", (text,))


def test_a_pair_that_is_told_twice_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="'time' twice"):
        pairs("unit", ("time=s", "time=ms"))


@pytest.mark.parametrize("text", ["r" * 201, "one\ntwo"])
@pytest.mark.parametrize("name", ["revision", "workload", "environment"])
def test_a_name_that_no_table_holds_is_refused(name: str, text: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"--{name}: cannot be stored\. Use up to \d+ plain characters"):
        context_names({name: (text,)}, "as measured")


def test_a_setting_that_was_not_given_is_none() -> None:
    assert single({}, "time-unit") is None
    assert single({"time-unit": ("us",)}, "time-unit") == "us"


def test_equal_content_read_in_another_way_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    with open_source(path, lone=True) as source:
        plain = identity(source, None, {})
        assert plain == source.digest(["a.csv"])
        assert identity(source, None, {"unit": ()}) == plain
        assert len({plain, *(identity(source, None, {"unit": (unit,)}) for unit in ("a=s", "a=ms"))}) == 3
