"""Signing in by OpenID Connect: what settings it takes, and that nothing of it is there without them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import URLPattern

from dashboard import apps
from dashboard.services import openid
from dashboard.urls import urlpatterns
from tools.migrated import copy_to

ROOT = Path(__file__).resolve().parent.parent.parent.parent
pytestmark = [pytest.mark.database, pytest.mark.django_db]


def test_without_tls_there_are_providers_on_this_machine_alone(settings: LazySettings) -> None:
    settings.OPENID_ISSUER = "https://id.example.org"
    assert openid.is_safe("https://keys.example.org/jwks")
    assert not openid.is_safe("http://127.0.0.1:8/token")
    settings.OPENID_ISSUER = "http://127.0.0.1:8"
    assert openid.is_safe("http://127.0.0.1:8/token")
    assert not openid.is_safe("http://id.example.org/token")


def test_without_the_setting_there_is_neither_button_nor_address(db: None) -> None:
    assert "openid" not in {one.name for one in urlpatterns if isinstance(one, URLPattern)}
    client = Client()
    assert "Sign in with" not in client.get("/login/").content.decode()
    assert client.get("/login/openid/back/").status_code == 404


def _python(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "dashboard.settings", **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.once  # it is about what is imported
def test_without_the_extra_the_application_starts_and_signs_in(tmp_path: Path) -> None:
    copy_to(tmp_path / "perfatlas.sqlite3")
    program = """
import sys
sys.modules.update(dict.fromkeys(("authlib", "joserfc", "mcp")))
import django
django.setup()
from django.core.management import call_command
from django.contrib.auth.models import User
from django.test import Client
call_command("migrate", verbosity=0)
call_command("check")
User.objects.create_user("ann", password="a-long-password")
client = Client(SERVER_NAME="127.0.0.1")
print(client.post("/login/", {"username": "ann", "password": "a-long-password"})["Location"], client.get("/account/").status_code)
"""
    done = _python(program, DATABASE_URL=f"sqlite:///{tmp_path / 'perfatlas.sqlite3'}")
    assert done.stdout.splitlines()[-1:] == ["/ 200"], done.stderr


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"PERFATLAS_OPENID_ISSUER": "http://id.example.org"}, "it must begin with https://"),
        ({"PERFATLAS_OPENID_ISSUER": "https:///x"}, "it must begin with https://"),
        ({"PERFATLAS_OPENID_ISSUER": "http://127.0.0.1:1@evil.example.org"}, "it must begin with https://"),
        ({"PERFATLAS_OPENID_ISSUER": "https://id.example.org"}, "PERFATLAS_OPENID_CLIENT_ID is not set"),
        ({"PERFATLAS_OPENID_CLAIM": "groups"}, "it must be as groups=performance"),
    ],
)
@pytest.mark.once  # likewise
def test_settings_that_cannot_be_meant_are_refused_at_the_start(
    environment: dict[str, str], said: str
) -> None:
    done = _python("import dashboard.settings", **environment)
    assert said in done.stderr


def test_a_provider_without_the_extra_is_told_by_check(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not apps.has_openid()
    settings.OPENID_ISSUER = "https://id.example.org"
    assert not apps.has_openid()
    monkeypatch.setattr(apps, "find_spec", {}.get)
    (error,) = apps.has_openid()
    assert "make runtime EXTRA=sso" in str(error)
