"""While an import writes to a system that exists, everybody else sees the system as it was."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from dashboard.access import Principal, access_to
from dashboard.models import System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.export.records import load_system_records
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.overview import overview
from dashboard.selectors.performance_models import list_models
from dashboard.selectors.systems import list_systems, search
from dashboard.services.imports import importing
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import comprex_sample, spl_sample
from tests.dashboard.importers.comprex_sample import as_folder

pytestmark = pytest.mark.django_db(transaction=True)
_SLUG = "toy"


def _seen(principal: Principal) -> dict[str, Any]:
    """What readers see of the system, each by the selector that tells it."""
    return {
        "systems": list_systems(principal=principal),
        "overview": overview(access_to(principal, _SLUG).system),
        "options": options_of(access_to(principal, _SLUG).system),
        "revisions": ordered_revisions(system=access_to(principal, _SLUG).system),
        "found": [
            search(system=access_to(principal, _SLUG).system, text=text) for text in ("1", "v", "a", "R1")
        ],
        "analyses": list_models(access_to(principal, _SLUG).system),
        "export": load_system_records(System.objects.get(slug=_SLUG)),
    }


def _from_another_connection(look: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    def run() -> dict[str, Any]:
        try:
            return look()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


@pytest.mark.parametrize("step", ["write_reference", "write_rows"])
@pytest.mark.parametrize("first", ["comprex", "spl-conqueror"])
def test_nothing_of_an_import_is_seen_before_all_of_it(
    tmp_path: Path, operator: Principal, monkeypatch: pytest.MonkeyPatch, first: str, step: str
) -> None:
    folders = {
        "comprex": as_folder(tmp_path / "toy", comprex_sample.files()),
        "spl-conqueror": as_folder(tmp_path / "study", spl_sample.files()),
    }
    other = next(name for name in folders if name != first)
    whole = getattr(importing, step)
    meanwhile: list[dict[str, Any]] = []

    def watched(*args: object) -> object:
        made = whole(*args)
        meanwhile.append(_from_another_connection(lambda: _seen(operator)))
        return made

    def bring(name: str) -> None:
        import_file(principal=operator, format_name=name, path=folders[name], system_name="Toy")

    bring(first)
    before = _seen(operator)
    monkeypatch.setattr(importing, step, watched)
    bring(other)
    after = _seen(operator)
    (seen,) = meanwhile
    assert {name: seen[name] for name in before if repr(seen[name]) != repr(before[name])} == {}
    for name in ("systems", "options", "found", "export"):
        assert repr(after[name]) != repr(before[name])
