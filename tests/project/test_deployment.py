"""Django's own system checks, as on a server that others reach."""

import os
import re
import subprocess
import sys

from tests.project.tracked import ROOT


def test_behind_tls_only_what_the_proxy_does_is_left_to_say() -> None:
    """W004 (HSTS) and W008 (redirect to TLS) are the proxy's; Django has nothing else to remark."""
    environment = {**os.environ, "PERFATLAS_TLS": "true"}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(re.findall(r"\((\w+\.\w\d+)\)", done.stderr)) <= {"security.W004", "security.W008"}, (
        done.stderr
    )


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
