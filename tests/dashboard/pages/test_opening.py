"""A small study opens where its data are, not at its newest revision."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.influences import influences
from dashboard.selectors.model_rows import Selection
from dashboard.services.imports.importing import import_file

pytestmark = pytest.mark.django_db

HEAD = "version,compress,cache,time_s\n"
OLD = "1.0,off,off,10\n1.0,on,off,15\n1.0,off,on,8\n1.0,on,on,13\n"
# The default configuration was not run here.
NEW = "2.0,on,off,15\n2.0,on,on,12\n"
ROLES = ("version=revision", "compress=option", "cache=option", "time_s=metric:time:s")


def _import(operator: Principal, folder: Path, rows: str) -> None:
    path = folder / "ten.csv"
    path.write_text(HEAD + rows)
    import_file(principal=operator, format_name="csv", path=path, system_name="Ten", given={"map": ROLES})


def test_influences_open_at_the_newest_revision_whose_default_was_measured(
    operator: Principal, tmp_path: Path
) -> None:
    _import(operator, tmp_path, OLD + NEW)
    found = influences(system=access_to(operator, "ten").system, selection=Selection())
    assert found.model.revision == "1.0"
    assert {term.key for term in found.terms if term.influence.value} == {"compress", "cache"}
    asked = influences(system=access_to(operator, "ten").system, selection=Selection(revision="2.0"))
    assert asked.model.revision == "2.0"


def test_without_the_default_they_open_relative_to_what_is_nearest_to_it(
    operator: Principal, tmp_path: Path
) -> None:
    _import(operator, tmp_path, NEW)
    found = influences(system=access_to(operator, "ten").system, selection=Selection())
    assert (found.base_time.value, {term.key: term.influence.value for term in found.terms}) == (
        15.0,
        {"cache": -3.0},
    )


def test_a_history_opens_with_the_default_configuration(operator: Principal, tmp_path: Path) -> None:
    _import(operator, tmp_path, OLD + OLD.replace("1.0", "1.1") + NEW)
    assert find_series(system=access_to(operator, "ten").system).label == "default"
