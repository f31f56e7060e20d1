"""Our own profiled runs as traces: they open in viewers and come back with the same times."""

import csv
import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dashboard.access import Principal, Refused, access_to
from dashboard.importers import tef
from dashboard.importers.records import Imported
from dashboard.importers.source import open_source
from dashboard.importers.tef.configurations import features_of
from dashboard.models import System
from dashboard.selectors.export.records import load_system_records
from dashboard.services.exporting import export_traces
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import comprex_sample as sample

pytestmark = pytest.mark.django_db


@pytest.fixture
def exported(tmp_path: Path, operator: Principal) -> Path:
    """The traces of the sample."""
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy")
    path = tmp_path / "traces.zip"
    export_traces(access=access_to(operator, "toy"), path=path)
    return path


def _events(path: Path) -> dict[str, list[dict[str, Any]]]:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".json")]
        return {name: json.loads(archive.read(name))["traceEvents"] for name in names}


def _again(path: Path) -> Imported:
    with open_source(path) as source:
        return tef.read(source, {})


def test_every_event_has_what_the_format_asks_for(exported: Path) -> None:
    """Complete events with name, category, time and duration in microseconds, process and thread; metadata."""
    for events in _events(exported).values():
        for event in events:
            assert event["ph"] in {"X", "M"}
            assert isinstance(event["pid"], int)
            assert isinstance(event["tid"], int)
            if event["ph"] == "M":
                assert (event["name"], list(event["args"])) in [
                    ("process_name", ["name"]),
                    ("thread_name", ["name"]),
                ]
            else:
                assert min(event["ts"], event["dur"]) >= 0
                assert event["cat"] in {"Feature", "region"}
                assert event["name"]
        whole = [event for event in events if event.get("cat") == "Feature"]
        ends = [event["ts"] + event["dur"] for event in whole]
        assert [event["ts"] for event in whole[1:]] == pytest.approx(ends[:-1])


def test_times_of_features_come_back_as_they_were_measured(exported: Path, operator: Principal) -> None:
    records = load_system_records(System.objects.get(slug="toy"))
    expected: Counter[str] = Counter()
    table = records.region_measurements
    for value in table.value.tolist():
        expected["all"] += value
    back = _again(exported).records
    assert sum(back.region_measurements.value.tolist()) == pytest.approx(expected["all"])
    assert len(back.runs) == sum(run.kind == "profiled" for run in records.runs)


def test_each_run_has_the_time_of_each_set_of_options(exported: Path) -> None:
    back = _again(exported).records
    table = back.region_measurements
    for run, events in enumerate(_events(exported).values()):
        own: Counter[str] = Counter()
        for event in events:
            if event.get("cat") == "Feature":
                own["*".join(sorted(features_of(event["name"]))) or "program"] += event["dur"] / 1e6
        found = {
            back.regions[region].key: value
            for of, region, value in zip(
                table.run.tolist(), table.region.tolist(), table.value.tolist(), strict=True
            )
            if of == run
        }
        assert found == pytest.approx(dict(own))


def test_configurations_come_back(exported: Path, operator: Principal, tmp_path: Path) -> None:
    before = load_system_records(System.objects.get(slug="toy"))
    import_file(principal=operator, format_name="tef", path=exported, system_name="Again")
    after = load_system_records(System.objects.get(slug="again"))
    assert {one.name for one in after.options} == {one.name for one in before.options}
    profiled = {run.configuration for run in before.runs if run.kind == "profiled"}
    assert len(after.configurations) == len(profiled)
    with zipfile.ZipFile(exported) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("configurations.csv").decode())))
    assert len(rows) == len(after.runs)


def test_a_system_without_profiled_runs_has_no_traces(operator: Principal, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("t\n1\n")
    given = {"map": ("t=metric:time:s",)}
    import_file(principal=operator, format_name="csv", path=table, system_name="Plain", given=given)
    path = tmp_path / "traces.zip"
    with pytest.raises(Refused, match="no run was profiled"):
        export_traces(access=access_to(operator, "plain"), path=path)
    assert not path.exists()


def test_nothing_is_written_over(exported: Path, operator: Principal) -> None:
    with pytest.raises(Refused, match="something already"):
        export_traces(access=access_to(operator, "toy"), path=exported)
    with pytest.raises(Refused, match=r"ends in \.zip"):
        export_traces(access=access_to(operator, "toy"), path=exported.with_suffix(".json"))
