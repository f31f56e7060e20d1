"""Django's own system checks, as on a server that others reach."""

import os
import re
import subprocess
import sys

import pytest

from tests.project.tracked import ROOT

ASKED = """
import django
django.setup()
from django.test import Client
for path, header in (("/login/", {}), ("/login/", {"HTTP_X_FORWARDED_PROTO": "https"}), ("/healthz", {})):
    answer = Client().get(path, headers={}, SERVER_NAME="127.0.0.1", **header)
    print(answer.status_code, answer.headers.get("Location"), answer.headers.get("Strict-Transport-Security"))
"""


@pytest.mark.parametrize("tls", ["true", "false"])
def test_with_tls_browsers_are_led_to_it_and_keep_to_it(tls: str) -> None:
    """What asks for the health stands on the same machine, and has no TLS."""
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=ROOT,
        env={**os.environ, "PERFATLAS_TLS": tls, "DJANGO_SETTINGS_MODULE": "dashboard.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    plain, proxied, health = done.stdout.splitlines()
    led = ("301 https://127.0.0.1/login/ None", "200 None max-age=2592000", "200 None None")
    assert (plain, proxied, health) == (led if tls == "true" else ("200 None None",) * 3)


def test_behind_tls_nothing_is_left_to_say() -> None:
    """Django has nothing to remark about the settings that `deploy/` gives as an example, with a key of one's own."""
    example = (ROOT / "deploy/perfatlas.env.example").read_text(encoding="utf-8").splitlines()
    given = dict(line.split("=", 1) for line in example if line and not line.startswith("#"))
    environment = {**os.environ, **given, "PERFATLAS_SECRET_KEY": os.environ["PERFATLAS_SECRET_KEY"]}
    assert environment["PERFATLAS_TLS"] == "true"
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not re.findall(r"\((\w+\.\w\d+)\)", done.stderr), done.stderr


def _check(**settings: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_neither_true_nor_false_is_refused() -> None:
    """A switch that somebody meant to turn on is not taken for off; the message names it and what it may be."""
    for setting, value in (("PERFATLAS_TLS", "ja"), ("PERFATLAS_DEBUG", "maybe")):
        done = _check(**{setting: value})
        assert done.returncode != 0
        assert f"{setting} is '{value}': it must be true or false" in done.stderr.strip().splitlines()[-1]
    assert _check(PERFATLAS_TLS="Yes", PERFATLAS_DEBUG="0").returncode == 0


def test_without_a_secret_key_no_server_starts() -> None:
    """One clear line that names the setting, and exit code 2."""
    environment = {**os.environ, "PERFATLAS_SECRET_KEY": ""}
    done = subprocess.run(
        [sys.executable, "manage.py", "serve", "--port", "0"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "PERFATLAS_SECRET_KEY" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
