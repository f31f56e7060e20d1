"""Of thousands of histories the first to look at are listed, and others are found."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.selectors.histories import series as series_picking
from dashboard.selectors.histories.series import find_series, list_series, pick_series
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import spl_sample as sample
from tests.dashboard.importers.comprex_sample import as_folder

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def study(tmp_path: Path, operator: Principal) -> None:
    """The sample study: 18 configurations by two metrics."""
    folder = as_folder(tmp_path / "study", sample.files())
    import_file(principal=operator, format_name="spl-conqueror", path=folder, system_name="Study")


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if few were three, and two of the others were shown."""
    monkeypatch.setattr(series_picking, "_FEW", 3)
    monkeypatch.setattr(series_picking, "_PICKED", 2)


def _labels(operator: Principal, search: str = "") -> set[str]:
    rows = pick_series(system=access_to(operator, "study").system, search=search)[0]
    return {row.label for row in rows if row.kind == "configuration"}


def test_few_are_listed_as_a_whole(operator: Principal) -> None:
    found, left_out = pick_series(system=access_to(operator, "study").system)
    assert left_out == 0
    assert found == list_series(system=access_to(operator, "study").system)


@pytest.mark.usefixtures("many")
def test_the_default_comes_with_those_whose_values_lie_farthest_apart(operator: Principal) -> None:
    # One second more for each release weighs most where it takes least.
    assert _labels(operator) == {"default", "level = 1 + method = fast", "level = 1 + method = fast + verify"}
    found, left_out = pick_series(system=access_to(operator, "study").system)
    assert left_out + len(found) == len(list_series(system=access_to(operator, "study").system))


@pytest.mark.usefixtures("many")
def test_others_are_found_by_their_names(operator: Principal) -> None:
    assert _labels(operator, "METHOD = small") == {"default", "method = small", "method = small + verify"}


@pytest.mark.usefixtures("many")
def test_the_chosen_one_stays_listed(operator: Principal) -> None:
    chosen = max(list_series(system=access_to(operator, "study").system), key=lambda row: len(row.label))
    found, _ = pick_series(system=access_to(operator, "study").system, keep={chosen.series_id})
    assert chosen.series_id in {row.series_id for row in found}


def test_without_a_choice_the_default_is_shown(operator: Principal) -> None:
    assert find_series(system=access_to(operator, "study").system).label == "default"
