"""An import whose process is killed shows nothing, and is swept away by the next one."""

import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

from dashboard.access import Principal
from dashboard.models import Batch, Run, System
from dashboard.services.imports.importing import import_file, sweep_abandoned
from tests.conftest import ROOT
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.imports.everything import counted

# Imports until everything but the analysis is written, says so, and waits to be killed.
_SCRIPT = """
import sys, time
from pathlib import Path
import django
django.setup()
from dashboard.access import Principal
from dashboard.services.imports import importing, rows

def wait(*_):
    print("written", flush=True)
    time.sleep(600)

rows._create_whole = wait
importing.import_file(
    principal=Principal.operator(), format_name="comprex", path=Path(sys.argv[1]), system_name=sys.argv[2]
)
"""


def _database_url() -> str:
    """The test's own database, as another process names it."""
    values = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    account = quote(str(values["USER"]), safe="")
    if values["PASSWORD"]:
        account += f":{quote(str(values['PASSWORD']), safe='')}"
    return f"postgres://{account}@{values['HOST']}:{values['PORT'] or 5432}/{values['NAME']}"


def _killed_in_the_middle(folder: Path, name: str) -> None:
    environment = {
        **os.environ,
        "DATABASE_URL": _database_url(),
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
    }
    with subprocess.Popen(
        [sys.executable, "-c", _SCRIPT, str(folder), name],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        process.kill()
    assert said == "written\n"


@pytest.mark.django_db(transaction=True)
def test_a_killed_import_of_a_new_system_is_swept(tmp_path: Path) -> None:
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    before = counted()
    _killed_in_the_middle(folder, "Toy")
    assert Run.objects.count() == 20
    assert not System.objects.filter(visible=True).exists()
    assert not Batch.objects.filter(state="visible").exists()
    assert sweep_abandoned() == 1
    assert counted() == before


@pytest.mark.django_db(transaction=True)
def test_the_next_import_sweeps_a_killed_one_and_succeeds(tmp_path: Path, operator: Principal) -> None:
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy")
    other = sample.as_folder(tmp_path / "other", sample.with_manifest(subject_version="2.0"))
    _killed_in_the_middle(other, "Toy")
    assert Run.objects.count() == 40
    outcome = import_file(principal=operator, format_name="comprex", path=other, system_name="Toy")
    assert outcome.is_new
    assert Run.objects.count() == 40
    assert not Batch.objects.filter(state="writing").exists()


@pytest.mark.django_db(transaction=True)
def test_the_try_after_a_killed_import_of_a_new_system_succeeds(tmp_path: Path, operator: Principal) -> None:
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    _killed_in_the_middle(folder, "Toy")
    outcome = import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy")
    assert outcome.is_new
    assert System.objects.get().visible
    assert Run.objects.count() == 20
