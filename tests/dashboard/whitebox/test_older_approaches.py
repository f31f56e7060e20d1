"""Older approaches from command to page: what SPLat runs of a program that reads some options only behind others."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from plotly.utils import PlotlyJSONEncoder

from dashboard.access import Principal, access_to
from dashboard.models import WhiteBoxAnalysis
from dashboard.pages.lens import Lens
from dashboard.pages.whitebox.page import show
from tests.dashboard.measuring.tiny import write_subject
from tests.dashboard.whitebox.figure_2 import ENTRY

# It is about what programs do; other tests ask the same of the database.
pytestmark = [pytest.mark.once, pytest.mark.usefixtures("machine", "sent", "transactional_db")]

TOML = """
name = "Lazy"
regions = ["tiny"]
[revisions]
source = "folder"
path = "program"
[options.A]
levels = [false, true]
[options.B]
levels = [false, true]
[options.C]
levels = [false, true]
[workloads.regular]
second = 20000
[entry]
callable = "entry:run"
[limits]
timeout_seconds = 30
"""
# B is read where A is on; nothing reads C.
PROGRAM = """
def main(options, second):
    sum(range(second))
    if options["A"]:
        sum(range(20 * second))
        if options["B"]:
            more(second)

def more(second):
    sum(range(20 * second))
"""


def said(*arguments: str) -> str:
    """What a command prints."""
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


@pytest.fixture
def lazy(tmp_path: Path) -> Path:
    """The subject's folder."""
    folder = write_subject(tmp_path / "lazy", toml=TOML, entry=ENTRY)
    (folder / "program" / "tiny.py").write_text(PROGRAM, encoding="utf-8")
    return folder


def test_splat_runs_what_differs_in_options_read_and_stands_beside_other_approaches(lazy: Path) -> None:
    told = said("analyze", str(lazy), "--approach", "reads")
    assert "3 of 8 valid configurations run: no others differ in the options that they read" in told
    assert "nothing reads the option C" in told
    analysis = WhiteBoxAnalysis.objects.get()
    shown = show(access_to(Principal.operator(), "lazy"), Lens(), None)
    page = json.dumps(shown, cls=PlotlyJSONEncoder, ensure_ascii=False)
    assert "Lazy was not analyzed yet" in page
    assert "By options read (SPLat): 3\N{NO-BREAK SPACE}configurations run" in page
    assert "Read by none of these runs" in page
    # Pages keep a result under its version, which each write moves.
    assert analysis.data_version > 0
    assert [run.reads for run in analysis.result.counted] == [("A",), ("A", "B"), ("A", "B")]
    said("measure", "Lazy", "--configurations", "all", "--repetitions", "1", "--no-profile", "--no-counts")
    found = json.loads(
        said(
            "approaches",
            "lazy",
            "--sizes",
            "2",
            "--test",
            "5",
            "--seeds",
            "2",
            "--learners",
            "linear",
            "--samplings",
            "",
            "--json",
        )
    )
    (row,) = (one for one in found["comparison"]["rows"] if one["sampling"] == "splat")
    assert (row["configurations"], row["missing"], row["reason"], row["local"]) == (3, 0, "", False)
    # All five others do the same as one of the three: what is left is noise of runs that take 20 times as long or not.
    assert row["median"] < 60


def test_what_was_walked_is_measured_by_its_own_word(lazy: Path) -> None:
    with pytest.raises(CommandError, match="--approach reads"):
        said("measure", str(lazy), "--configurations", "reads")
    said("analyze", "Lazy", "--approach", "reads", "--budget", "2")
    told = said(
        "measure", "Lazy", "--configurations", "reads", "--repetitions", "1", "--no-profile", "--no-counts"
    )
    assert "2 runs" in told


def test_configcrusher_reads_the_source_and_stands_beside_other_approaches(lazy: Path) -> None:
    """C and D reach nothing; what covers the others is measured by its own word, and composed by what the source tells."""
    more = "[options.D]\nlevels = [false, true]\n[workloads.regular]"
    (lazy / "subject.toml").write_text(TOML.replace("[workloads.regular]", more), encoding="utf-8")
    told = said("analyze", str(lazy), "--approach", "static")
    assert (
        "by their source 2 of 3 functions depend on options, 0 on all 4; 4 of 16 valid configurations cover"
        in told
    )
    analysis = WhiteBoxAnalysis.objects.get()
    assert analysis.approach == "static"
    assert {region: len(parts[0]) for region, parts in analysis.result.partitions.items()} == {
        "tiny:main": 4,
        "tiny:more": 4,
    }
    shown = show(access_to(Principal.operator(), "lazy"), Lens(), None)
    page = json.dumps(shown, cls=PlotlyJSONEncoder, ensure_ascii=False)
    assert "By source alone (ConfigCrusher): 2\N{NO-BREAK SPACE}functions" in page
    assert "In the way of no function" in page
    assert all(name in page for name in ("tiny:main", "tiny:more", "A, B"))
    said("measure", "Lazy", "--configurations", "static", "--repetitions", "1", "--no-counts")
    said("measure", "Lazy", "--configurations", "all", "--repetitions", "1", "--no-profile", "--no-counts")
    asked = ("approaches", "lazy", "--sizes", "2", "--test", "6", "--seeds", "2", "--learners", "linear")
    found = json.loads(said(*asked, "--samplings", "", "--json"))
    (row,) = (one for one in found["comparison"]["rows"] if one["sampling"] == "configcrusher")
    assert (row["configurations"], row["missing"], row["reason"], row["local"]) == (4, 0, "", True)
    # The other twelve do the same as one of these.
    assert row["median"] < 60


def test_what_of_a_program_cannot_be_read_is_told(lazy: Path) -> None:
    """What cannot be read is named."""
    (lazy / "program" / "tiny.py").write_text("def main(:\n", encoding="utf-8")
    told = said("analyze", str(lazy), "--approach", "static")
    assert "by their source 0 of 1 functions depend on options" in told
    assert "not read: tiny (SyntaxError)" in told


def test_configurations_that_the_subject_forbids_count_as_none(lazy: Path) -> None:
    constraint = "[[constraints]]\nif = { C = true }\nrequires = { A = true }\n"
    (lazy / "subject.toml").write_text(TOML + constraint, encoding="utf-8")
    assert "3 of 6 valid configurations run" in said("analyze", str(lazy), "--approach", "reads")


def test_an_older_approach_takes_no_other_way_beside_it(lazy: Path) -> None:
    with pytest.raises(CommandError, match="older approach"):
        said("analyze", str(lazy), "--approach", "reads", "--counts-only")
