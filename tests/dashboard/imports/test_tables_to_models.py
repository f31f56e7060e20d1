"""CSV tables of configurations: the full-factorial models that an import makes of them."""

from pathlib import Path

import pytest

from dashboard.access import Principal
from dashboard.models import PerformanceModel, SystemOption
from dashboard.services.imports.importing import import_file
from dashboard.services.performance_models import full_factorial

pytestmark = pytest.mark.django_db
MAPPED = {"map": ("v=revision", "a=option", "b=option", "t=metric:time:s", "m=metric:memory:MB")}
TABLE = "v,a,b,t,m\n1,on,x,1,5\n1,off,x,2,6\n1,on,x,3,7\n2,on,x,3,7\n"


def _models(operator: Principal, folder: Path, table: str = TABLE) -> list[tuple[str, str, list[str], str]]:
    path = folder / "table.csv"
    path.write_text(table)
    import_file(principal=operator, format_name="csv", path=path, system_name="Toy", given=MAPPED)
    return [
        (one.kind, one.revision.name, one.options, one.total_metric.quantity)
        for one in PerformanceModel.objects.order_by("pk")
    ]


def test_options_that_vary_make_a_model_of_each_metric(operator: Principal, tmp_path: Path) -> None:
    """A revision of which one configuration alone was measured has none."""
    assert _models(operator, tmp_path) == [
        ("full_factorial", "1", ["a"], "time"),
        ("full_factorial", "1", ["a"], "memory"),
    ]


def test_another_table_makes_models_of_its_own(operator: Principal, tmp_path: Path) -> None:
    _models(operator, tmp_path)
    assert len(_models(operator, tmp_path, TABLE.replace("off,x", "off,y"))) == 4
    assert PerformanceModel.objects.latest("pk").options == ["a", "b"]


def test_options_stand_by_position(operator: Principal, tmp_path: Path) -> None:
    _models(operator, tmp_path)
    SystemOption.objects.filter(name="a").update(position=9)
    _models(operator, tmp_path, TABLE.replace("off,x", "off,y"))
    assert PerformanceModel.objects.latest("pk").options == ["b", "a"]


def test_too_many_combinations_make_no_model(
    operator: Principal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(full_factorial, "MOST_COMBINATIONS", 1)
    assert _models(operator, tmp_path) == []
