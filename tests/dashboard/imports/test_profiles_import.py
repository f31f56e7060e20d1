"""Profiles in the database: profiled runs, self values of regions, call paths where times are told."""

from pathlib import Path

import pytest

from dashboard.access import Principal
from dashboard.models import RegionMeasurement, Run, RunCallPaths
from dashboard.services.imports.importing import import_file

FOLDER = Path(__file__).parent.parent / "importers" / "profile_samples"


@pytest.mark.django_db
def test_profiles_become_profiled_runs_and_times_keep_call_paths(operator: Principal) -> None:
    for file in ("cpu.pprof", "callgrind.out"):
        import_file(principal=operator, format_name="profile", path=FOLDER / file, system_name=file)
    assert list(Run.objects.values_list("kind", flat=True)) == ["profiled", "profiled"]
    assert RegionMeasurement.objects.count() == 4
    assert RunCallPaths.objects.get().run.batch.system.name == "cpu.pprof"
