"""Sessions of several installations on one machine: cookies know no ports."""

import os
import subprocess
import sys
from pathlib import Path


def _cookie(**environment: str) -> str:
    program = "from django.conf import settings; print(settings.SESSION_COOKIE_NAME)"
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "dashboard.settings", **environment}
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return told.stdout.strip()


def test_each_database_has_a_cookie_of_its_own_whoever_serves_it(tmp_path: Path) -> None:
    shared = "postgres://{}@db.example.org/perfatlas"
    here, there, one, other = (
        _cookie(DATABASE_URL=f"sqlite:///{tmp_path}/here"),
        _cookie(DATABASE_URL=f"sqlite:///{tmp_path}/there"),
        _cookie(DATABASE_URL=shared.format("perfatlas:secret"), PERFATLAS_VAR=str(tmp_path)),
        _cookie(DATABASE_URL=shared.format("perfatlas:changed")),
    )
    assert len({here, there, one}) == 3
    assert one == other
