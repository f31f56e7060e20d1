"""A machine of the tests' own to measure on: its state, its lock, and nobody listening for jobs."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from dashboard.access import Principal
from dashboard.celery import app
from dashboard.services.jobs import machine_lock
from dashboard.services.subjects import register_subject, store_revisions
from tests.dashboard.measuring.tiny import write_subject


@pytest.fixture(scope="session")
def machine_folder() -> Iterator[Path]:
    """A folder that the subject's user can reach; those of pytest are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-measuring-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def machine(machine_folder: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody else measures on this machine, and environments are kept from test to test."""
    settings.VAR = machine_folder
    monkeypatch.setattr(machine_lock, "lock_path", lambda: machine_folder / "machine.lock")
    return machine_folder


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids of jobs whose messages went out; no broker sees them."""
    ids: list[int] = []

    def note(_name: str, *, kwargs: dict[str, int], queue: str, **_: Any) -> None:
        ids.append(kwargs["job_id"])

    monkeypatch.setattr(app, "send_task", note)
    return ids


@pytest.fixture
def tiny(db: None, machine: Path, sent: list[int], tmp_path: Path, operator: Principal) -> str:
    """The slug of the registered subject Tiny; its folder is `tmp_path / "tiny"`."""
    slug = register_subject(principal=operator, folder=write_subject(tmp_path / "tiny"))
    store_revisions(principal=operator, slug=slug)
    return slug
