"""A function that only checks the options is left out of an analysis, which says so; `subject.toml` can keep it."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import WhiteBoxAnalysis
from tests.dashboard.whitebox.figure_2 import TOML, write_figure_2

# Once: what is left out is found in traces; it is stored as all that an analysis finds is.
pytestmark = [pytest.mark.usefixtures("machine", "sent", "transactional_db"), pytest.mark.once]

CHECKING = """
def main(options, second):
    check(options)
    total = 0
    for _ in range(1000):
        total += 1
    if options["A"]:
        total += 1
    return total

def check(options):
    for name in ("A", "B", "C", "D"):
        if options[name] not in (False, True):
            raise ValueError(name)
"""


def analyzed(folder: Path, *arguments: str) -> tuple[WhiteBoxResult, str]:
    out = StringIO()
    call_command("analyze", str(folder), *arguments, stdout=out, stderr=StringIO())
    return WhiteBoxAnalysis.objects.latest("pk").result, out.getvalue()


def test_checking_all_options_asks_for_no_configurations_unless_it_is_kept(tmp_path: Path) -> None:
    found, said = analyzed(write_figure_2(tmp_path / "figure", program=CHECKING))
    assert list(found.excluded) == ["tiny:check"]
    assert set(found.partitions) == {"tiny:main"}
    assert "left out as option-parsing code: tiny:check (tests 4 of 4 options one by one and does" in said
    toml = (
        TOML.replace('"Figure 2"', '"Kept"')
        + '[analysis]\ninclude = ["tiny:check"]\nexclude = ["tiny:main"]\n'
    )
    kept, _ = analyzed(write_figure_2(tmp_path / "kept", toml=toml, program=CHECKING), "--budget", "2")
    assert kept.excluded == {"tiny:main": "named in subject.toml"}
    assert "tiny:check" in kept.partitions
