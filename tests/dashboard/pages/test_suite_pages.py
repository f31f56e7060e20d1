"""The pages of a benchmark suite: its overview, the list of its histories, one history with its siblings."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dash.development.base_component import Component

from dashboard.access import Principal, access_to, acting, current_principal
from dashboard.models import HistoryFit, Series
from dashboard.pages import home
from dashboard.pages.histories import page as histories
from dashboard.pages.history_list import list as suite_list
from dashboard.pages.history_list.parts import change_text, history_address
from dashboard.pages.lens import Lens
from dashboard.pages.measure import page as measure
from dashboard.pages.overview import page as overview
from dashboard.selectors.history_list.rows import ListedChange
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import asv_sample as sample


@pytest.fixture
def sorting(db: None, operator: Principal, tmp_path: Path) -> Iterator[str]:
    """The slug of a suite whose times double at the ninth revision; the operator looks at it."""
    path = sample.write(sample.stepped(), tmp_path)
    import_file(principal=operator, format_name="asv", path=path, system_name="Sorting")
    token = current_principal.set(operator)
    yield "sorting"
    current_principal.reset(token)


def shown(slug: str, settings: dict[str, str]) -> tuple[Any, Any, int, int]:
    """The list as the address asks for it."""
    return suite_list.show(access_to(acting(), slug), Lens(settings=settings))


def words(content: object) -> str:
    """All texts of a component, in order."""
    if isinstance(content, list | tuple):
        return " ".join(words(one) for one in content)
    if isinstance(content, Component):
        return words(getattr(content, "tree", None) or getattr(content, "children", None))
    if isinstance(content, dict):
        return words(content["props"].get("children"))
    return "" if content is None else str(content).replace("\N{NO-BREAK SPACE}", " ")


def test_the_overview_says_what_changed_last_and_lists_findings(sorting: str) -> None:
    told = words(overview.layout(access_to(acting(), sorting), "", Lens()))
    revision = sample.COMMITS[9][:10]
    assert f"2 histories of Sorting became slower at {revision}; 2 of 10 last changed for the worse" in told
    assert "3 benchmarks with 16 histories" in told
    assert "bench_sort.Sort.time_sort(kind=int, size=1000)" in told
    assert "100 ± " in told
    assert "and 1 history more" in told


def test_the_list_of_systems_tells_histories_that_hold_no_runs(sorting: str) -> None:
    """It said "0 configurations, 0 revisions, 0 runs, never"."""
    told = words(home.layout(acting()))
    assert "16 histories, 16 revisions values, no single runs just now" in told
    assert "0 options" not in told
    (row,) = home.show_model({"slug": sorting})[:1]
    assert "bench_sort" in words(row)


def test_a_suite_is_not_told_as_never_imported_where_measurements_begin(sorting: str) -> None:
    """*Measure* said that nothing was measured or imported, above the list of imports."""
    access = access_to(acting(), sorting)
    assert "What was imported of Sorting holds no single runs" in words(measure.layout(access, "", Lens()))
    assert measure.watch(access, None, None, None)[3] == "Sorting was imported, without single runs"


def test_the_list_shows_one_row_for_a_change_of_several_histories(sorting: str) -> None:
    def found(settings: dict[str, str]) -> tuple[str, int, int]:
        content, pages, page, *_ = suite_list.show_findings(
            access_to(acting(), sorting), Lens(settings=settings)
        )
        return words(content), pages, page

    told, pages, page = found({"findings_page": "7"})
    assert told.count(f"{sample.COMMITS[8][:10]} → {sample.COMMITS[9][:10]}") == 1
    assert (pages, page) == (1, 1)
    assert "Nothing changed" in found({"find": "peakmem"})[0]
    HistoryFit.objects.all().delete()
    assert "10 histories wait to be fitted and are not searched yet." in found({})[0]


def test_the_overview_of_a_suite_without_fits_says_how_they_come(sorting: str) -> None:
    HistoryFit.objects.all().delete()
    told = words(overview.layout(access_to(acting(), sorting), "", Lens()))
    assert "their histories are not fitted yet" in told
    assert f".venv/bin/python manage.py fit {sorting}" in told


def test_the_list_shows_what_the_address_asks_for(sorting: str) -> None:
    rows, amount, pages, page = shown(sorting, {"find": "peakmem", "sort": "name"})
    assert words(rows).count("bench_sort.peakmem_load") == 3
    assert (words(amount), pages, page) == ("3 histories", 1, 1)
    rows, amount, _, _ = shown(sorting, {"find": "nothing of that name"})
    assert (rows, amount) == (None, "No history has all these words.")


def test_a_list_that_is_empty_says_what_left_nothing(sorting: str) -> None:
    elsewhere = {"environment_id": "999999999"}
    assert shown(sorting, elsewhere)[1] == "No history fits what is chosen."
    assert shown(sorting, {"find": "sort", **elsewhere})[1] == "No history fits what is chosen."
    Series.objects.all().delete()
    assert shown(sorting, {})[1] == "There is no history yet."


def test_a_page_beyond_the_end_shows_the_last_one(sorting: str) -> None:
    rows, amount, pages, page = shown(sorting, {"page": "9", "find": "peakmem"})
    assert (words(amount), pages, page) == ("3 histories", 1, 1)
    assert words(rows).count("bench_sort.peakmem_load") == 3


@pytest.mark.parametrize(
    "settings", [{"page": "x"}, {"page": "-1", "environment_id": "9" * 40}, {"sort": "odd"}]
)
def test_what_makes_no_sense_in_an_address_is_passed_over(sorting: str, settings: dict[str, str]) -> None:
    assert shown(sorting, settings)[3] == 1


def test_one_history_leads_back_to_the_list_and_to_the_same_benchmark_elsewhere(sorting: str) -> None:
    one = Series.objects.get(
        label="bench_sort.peakmem_load", benchmark_version="c" * 64, environment__name__startswith="oak"
    )
    lens = Lens(settings={"series": str(one.pk)})
    told = words(histories.layout(access_to(acting(), sorting), str(one.pk), lens))
    assert "All histories" in told
    assert "elm, virtualenv-py3.11, version cccccccc (1 revision)" in told
    assert history_address(sorting, one.pk) == f"/app/s/sorting/histories/{one.pk}?series={one.pk}"


def test_sizes_of_changes_are_told_in_words() -> None:
    def told(relative: float, *, worse: bool, quantity: str = "time") -> str:
        return change_text(
            ListedChange("a", "b", None, relative, worse, 0.9, is_candidate=False), quantity
        ).replace("\N{NO-BREAK SPACE}", " ")

    assert told(0.45, worse=True) == "45 % slower"
    assert told(-0.2, worse=False) == "20 % faster"
    assert told(52.0, worse=True) == "53 times as slow"
    assert told(52.0, worse=True, quantity="memory") == "53 times as much"
    assert told(0.3, worse=True, quantity="memory") == "30 % more"
    # An influence that fell from 188 to 158 ms where the default takes 100 ms did not fall by 30 % of itself.
    assert told(-0.3, worse=False, quantity="influence") == "less by 30 % of the default"
