"""From traces to a model: the time of an interaction is its term."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.pages.influences.parts import made_of
from dashboard.selectors.configurations import DEFAULT
from dashboard.selectors.influences import influences
from dashboard.selectors.loaded_models import load_selected
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.overview import model_summary
from dashboard.selectors.regions.measured import regions
from dashboard.services.imports.importing import import_file
from tests.analytics.influence.written_terms import written
from tests.dashboard.importers.tef_sample import Event, events, trace

pytestmark = pytest.mark.django_db
FOO_BAR = [(0, "B", "foo", 1), (1, "B", "bar", 2), (3, "E", "bar", 2), (4, "E", "foo", 1)]


def _terms(principal: Principal) -> dict[str, float]:
    selected = load_selected(access_to(principal, "toy").system, Selection(base=DEFAULT))
    table = selected.model.terms
    told = zip(written(table), table.coefficients.tolist(), strict=True)
    return {name: value for name, value in told if value}


def _write(folder: Path, traces: dict[str, list[Event]], table: str) -> Path:
    folder.mkdir()
    for name, of in traces.items():
        (folder / name).write_text(trace(of, "s"))
    (folder / "configurations.csv").write_text(table)
    return folder


def test_one_trace_gives_the_model_of_its_configuration(tmp_path: Path, operator: Principal) -> None:
    path = tmp_path / "trace.json"
    path.write_text(trace(events(FOO_BAR), "s"))
    import_file(principal=operator, format_name="tef", path=path, system_name="Toy")
    assert _terms(operator) == {"foo [off -> on]": 2.0, "bar [off -> on] × foo [off -> on]": 2.0}
    selected = load_selected(access_to(operator, "toy").system, Selection())
    assert "no time assumed where a region was not measured" in made_of(selected.loaded.row)


def test_one_trace_is_shown_from_the_configuration_that_ran(tmp_path: Path, operator: Principal) -> None:
    """Nothing ran by default: 0 s of each region would be the sum of what is only assumed."""
    path = tmp_path / "trace.json"
    path.write_text(trace(events(FOO_BAR), "s"))
    import_file(principal=operator, format_name="tef", path=path, system_name="Toy")
    found = influences(system=access_to(operator, "toy").system, selection=Selection())
    assert (dict(found.base.differences), found.base_time.value) == ({"foo": "on", "bar": "on"}, 4.0)
    summary = model_summary(access_to(operator, "toy").system)
    assert summary is not None
    assert (summary.influences.base, summary.influences.base_time) == (found.base, found.base_time)
    rows = regions(system=access_to(operator, "toy").system, selection=Selection()).regions
    assert {row.key: row.time for row in rows} == {"foo": 2.0, "bar*foo": 2.0}
    default = influences(system=access_to(operator, "toy").system, selection=Selection(base=DEFAULT))
    assert (default.base.differences, default.base_time.value) == ((), 0.0)


def test_several_configurations_give_one_model(tmp_path: Path, operator: Principal) -> None:
    """Where a region was measured without its feature, that counts: foo's other branch takes 0.5."""
    without = [(0, "B", "Base", 0), (1, "B", "foo", 1), (1.5, "E", "foo", 1), (4, "E", "Base", 0)]
    whole = [(-1, "B", "Base", 0), *FOO_BAR, (5, "E", "Base", 0)]
    folder = _write(
        tmp_path / "traces",
        {"a.json": events(whole), "b.json": events(without)},
        "trace,foo,bar\na.json,on,on\nb.json,off,off\n",
    )
    import_file(principal=operator, format_name="tef", path=folder, system_name="Toy")
    assert influences(system=access_to(operator, "toy").system, selection=Selection()).base.key == DEFAULT
    assert _terms(operator) == pytest.approx(
        # The program region is the median of 2 and 3.5.
        {"intercept": 2.75 + 0.5, "foo [off -> on]": 1.5, "bar [off -> on] × foo [off -> on]": 2.0}
    )


def test_the_same_trace_with_another_configuration_is_something_else(
    tmp_path: Path, operator: Principal
) -> None:
    path = tmp_path / "trace.json"
    path.write_text(trace(events(FOO_BAR), "s"))
    outcomes = [
        import_file(
            principal=operator,
            format_name="tef",
            path=path,
            system_name="Toy",
            given={"configuration": (text,)},
        )
        for text in ("foo=on,bar=on", "foo=on,bar=off", "foo=on,bar=on")
    ]
    assert [one.is_new for one in outcomes] == [True, True, False]
