"""Counts that no run can have come from threads that count at once: the run is told to have failed with the way out."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from runner.executions import _counted
from runner.results import Counts


@pytest.mark.parametrize(("tool", "told"), [("gcov", True), ("callgrind", False)])
def test_counts_below_zero_name_the_setting_for_threads(tool: str, *, told: bool, tmp_path: Path) -> None:
    def read(*_: object) -> tuple[Counts, str]:
        return Counts.model_validate({"regions": {"a.c:f": {"3": -1}}}), ""

    counter: Any = SimpleNamespace(tool=tool, read=read)
    prepared: Any = SimpleNamespace(source=None, files=None)
    status, message, _ = _counted(prepared, counter, tmp_path, ("ok", "", SimpleNamespace()))  # type: ignore[arg-type]
    assert status == "failed"
    assert message.startswith("left counts that cannot be")
    assert ("threads = true" in message) == told
