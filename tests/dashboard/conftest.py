"""A machine of the tests' own to measure on, nobody listening for jobs, and subjects that more than one folder uses.

What stands here once per session is made once for all folders: a conftest that imports it would make its own.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest
from django.conf import LazySettings
from django.core.management import call_command

from dashboard.access import Principal, access_to
from dashboard.celery import app
from dashboard.figures.drawing import Drawing, Trace
from dashboard.services.jobs import heartbeat, machine_lock
from dashboard.services.measuring import machine_watch, run_executor
from dashboard.services.subjects import register_subject, registered_subject, store_revisions
from runner.results import ClockResult
from tests.dashboard.kept import Rows, all_rows, put_back
from tests.dashboard.measuring.tiny import write_subject
from tests.dashboard.whitebox.figure_2 import write_figure_2


@pytest.fixture(scope="session", autouse=True)
def _figures_looked_through() -> Iterator[None]:
    """Plotly looks through each figure that a test draws, and refuses what it does not know; elsewhere that takes too long."""
    draw = Drawing.__init__

    def looked_through(
        drawing: Drawing, data: Sequence[Trace] = (), layout: dict[str, Any] | None = None
    ) -> None:
        go.Figure(list(data), layout)
        draw(drawing, data, layout)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Drawing, "__init__", looked_through)
        yield


@pytest.fixture(scope="session")
def machine_folder() -> Iterator[Path]:
    """A folder that the subject's user can reach; those of pytest are closed to others."""
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-measuring-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def machine(machine_folder: Path, settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody else measures on this machine, it is as fast as ever, and environments are kept from test to test."""
    settings.VAR = machine_folder
    steady = ClockResult(wall_seconds=0.05, cpu_seconds=0.05)
    monkeypatch.setattr(machine_watch, "reference_time", lambda **_: steady)
    monkeypatch.setattr(run_executor, "strain_columns", lambda *_: {})
    monkeypatch.setattr(machine_lock, "lock_path", lambda: machine_folder / "machine.lock")
    return machine_folder


@pytest.fixture(autouse=True)
def _no_heartbeat_beside_a_transaction(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a test that is one transaction a heartbeat, which has a connection of its own, sees no job: it would be lost.

    A job that ends within half a second, as most do here, hears none anyway; on a busy machine one takes longer.
    """
    mark = request.node.get_closest_marker("django_db")
    commits = mark is not None and mark.kwargs.get("transaction")
    if not commits and "transactional_db" not in request.fixturenames:
        monkeypatch.setattr(heartbeat, "_BEAT_SECONDS", 3600.0)


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
    store_revisions(access=access_to(operator, slug), subject=registered_subject(slug=slug))
    return slug


@pytest.fixture(scope="session")
def kept_analysis() -> dict[str, Rows]:
    """The rows of the analyzed example, by what its analysis said; empty until somebody asks for it."""
    return {}


@pytest.fixture
def analyzed(
    transactional_db: None,
    machine: Path,
    sent: list[int],
    tmp_path_factory: pytest.TempPathFactory,
    kept_analysis: dict[str, Rows],
) -> str:
    """The paper's example lies analyzed in the database as Figure 2; what `manage.py analyze` said of it."""
    if not kept_analysis:
        out, folder = StringIO(), write_figure_2(tmp_path_factory.mktemp("figure"))
        call_command("analyze", str(folder), stdout=out, stderr=StringIO())
        kept_analysis[out.getvalue()] = all_rows()
    else:
        (rows,) = kept_analysis.values()
        put_back(rows)
    return next(iter(kept_analysis))
