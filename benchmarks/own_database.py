"""A data folder and a database of a bench's own, on SQLite, without any table; gone with the process. Imported first, it sets Django up."""

import os
import tempfile

import django

FOLDER = tempfile.TemporaryDirectory()
os.environ |= {
    "DATABASE_URL": f"sqlite:///{FOLDER.name}/db.sqlite3",
    "PERFATLAS_VAR": FOLDER.name,
    "PERFATLAS_SECRET_KEY": "only-for-this-benchmark-0123456789-0123456789-0123",
    "DJANGO_SETTINGS_MODULE": "dashboard.settings",
}
django.setup()
