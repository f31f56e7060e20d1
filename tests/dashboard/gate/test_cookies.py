"""Sessions of several installations on one machine: cookies know no ports."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from django.conf import settings

from tests.dashboard.gate.calls import signed_in
from tests.people import Person


def _cookies(**environment: str) -> set[str]:
    program = (
        "from django.conf import settings; print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME)"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "dashboard.settings", **environment}
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return set(told.stdout.split())


def test_each_database_has_cookies_of_its_own_whoever_serves_it(tmp_path: Path) -> None:
    shared = "postgres://{}@db.example.org/perfatlas"
    here, there, one, other = (
        _cookies(DATABASE_URL=f"sqlite:///{tmp_path}/here"),
        _cookies(DATABASE_URL=f"sqlite:///{tmp_path}/there"),
        _cookies(DATABASE_URL=shared.format("perfatlas:secret"), PERFATLAS_VAR=str(tmp_path)),
        _cookies(DATABASE_URL=shared.format("perfatlas:changed")),
    )
    assert len(here | there | one) == 6
    assert one == other


def test_the_explorer_reads_the_cookie_that_django_sets(alice: Person) -> None:
    """Else signing in at one installation breaks the forms that are open of another one on the same machine."""
    page = signed_in(alice.user).get("/app/")
    assert settings.CSRF_COOKIE_NAME in page.cookies
    (config,) = re.findall(r'id="_dash-config" type="application/json">(.*?)</script>', page.content.decode())
    assert json.loads(config)["csrf_token_name"] == settings.CSRF_COOKIE_NAME
