"""Settings for tests: a folder of their own, a known key, cheap passwords; a developer's `.env` changes nothing.

Commands that a test starts as processes inherit the folder and the key, and read `dashboard.settings`.
"""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

_VAR = Path(tempfile.mkdtemp(prefix="perfatlas-tests-")).resolve()
_OWNER = os.getpid()


def _remove() -> None:
    if os.getpid() == _OWNER:  # not in a forked child, which ends while the tests go on
        shutil.rmtree(_VAR, ignore_errors=True)


atexit.register(_remove)

# `make test` names the servers of a group by the two PERFATLAS_TEST_ variables.
_VALUES = {
    "PERFATLAS_VAR": str(_VAR),
    "PERFATLAS_SECRET_KEY": "a-key-for-tests-only-0123456789-0123456789-0123456789",
    "DATABASE_URL": os.environ.get("PERFATLAS_TEST_DATABASE_URL")
    or f"sqlite:///{_VAR / 'perfatlas.sqlite3'}",
    "PERFATLAS_BROKER_URL": os.environ.get("PERFATLAS_TEST_REDIS_URL") or "filesystem://",
    "PERFATLAS_ALLOWED_HOSTS": "127.0.0.1,localhost,testserver",
    "PERFATLAS_DEBUG": "false",
    "PERFATLAS_PUBLIC_URL": "",
    "PERFATLAS_EMAIL_URL": "",
    "PERFATLAS_ALERT_INNER_HOSTS": "",
    "PERFATLAS_OPENID_ISSUER": "",
    # Each process of the suite has a machine of its own, as far as it knows: else it would wait while another one measures.
    "PERFATLAS_MEASURING_LOCK": str(_VAR / "measuring.lock"),
    "PERFATLAS_TLS": "false",
    "PERFATLAS_LOG_LEVEL": "WARNING",
}
for _name, _value in _VALUES.items():
    os.environ[_name] = _value
    os.environ.pop(f"{_name}_FILE", None)
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"

from dashboard.settings import *  # noqa: E402, F403 -- the environment above comes first; all settings are wanted
from dashboard.settings import DATABASES  # noqa: E402 -- likewise

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file: unlike a database in memory it behaves with threads and processes as in earnest.
    DATABASES["default"]["TEST"] = {"NAME": str(_VAR / "tests.sqlite3")}
elif migrated := os.environ.get("PERFATLAS_TEST_MIGRATED_DATABASE"):
    DATABASES["default"]["TEST"] = {"TEMPLATE": migrated}
