"""`manage.py analyze`, `chain`, and the model that follows from measuring what was analyzed."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analytics.influence.models import fit
from dashboard.access import Principal
from dashboard.models import PerformanceModel, Run, WhiteBoxAnalysis
from dashboard.selectors.model_loading import load_model
from dashboard.selectors.performance_models import get_model
from tests.dashboard.measuring.tiny import write_subject
from tests.dashboard.whitebox.figure_2 import TOML, write_figure_2

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("machine", "sent", "transactional_db")]

MAIN, FOO, BAR = "tiny:main", "tiny:foo", "tiny:bar"
PAPER = {
    MAIN: {"!A", "A"},
    FOO: {"!A", "A & !B", "A & B"},
    BAR: {"!A & !C", "!A & C", "A & !C", "A & C"},
}


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def ended(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said(*arguments, "--json"))
    return found


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as caught:
        said(*arguments)
    assert caught.value.returncode == 2
    return str(caught.value)


def test_the_papers_example_has_the_papers_partitions_and_chains(analyzed: str) -> None:
    """4 of 32 configurations; D decides nothing, and nothing reads E; no traced run counts as a measured one."""
    assert "4 configurations traced, 3 regions decide on options, 9 of 9 subspaces seen" in analyzed
    assert "nothing reads the option E" in analyzed
    assert "no decision depends on the option D" in analyzed
    found = WhiteBoxAnalysis.objects.get().result.partitions
    assert {region: set(formulas) for region, (formulas,) in found.items()} == PAPER
    assert not Run.objects.exists()
    chain = json.loads(said("chain", "Figure 2", "C", "bar", "--json"))["chains"][0]
    assert [(step["kind"], step["line"], step["text"]) for step in chain] == [
        ("assignment", 5, 'c = options["C"]'),
        ("call", 17, "bar(c, second)"),
        ("if", 27, "if x:"),
    ]
    assert "D was not seen in any decision of tiny:foo, in 4 traced configurations" in said(
        "chain", "Figure 2", "D", "foo"
    )


def test_measuring_what_was_analyzed_makes_the_papers_model(tmp_path: Path, operator: Principal) -> None:
    """Terms as in the paper, relative to the time of one of its seconds."""
    said("analyze", str(write_figure_2(tmp_path / "figure")), "--published")
    result = ended("measure", "Figure 2", "--configurations", "analysis", "random=2", "--repetitions", "2")[
        "result"
    ]
    assert 8 <= result["runs"]["ok"] <= 12
    analysis = PerformanceModel.objects.get(kind=PerformanceModel.Kind.PARTITIONED)
    loaded = load_model(get_model(analysis.pk))
    partitions = dict(zip(loaded.times.regions, loaded.times.partitions, strict=True))
    assert {region: set(partitions[region].formulas) for region in PAPER} == PAPER
    table = fit(loaded.times).local_model(BAR)
    bar = {
        frozenset(loaded.space.names[at] for at in np.flatnonzero(levels == 1)): value
        for levels, value in zip(table.levels, table.coefficients, strict=True)
    }
    assert set(bar) == {frozenset(), frozenset("A"), frozenset("C"), frozenset("AC")}
    assert bar[frozenset("AC")] > bar[frozenset("A")] > bar[frozenset()] > 0


def test_configurations_that_raise_or_hang_are_told_with_their_place_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    program = """
import time

def main(options, second):
    if options["A"]:
        raise ValueError("A is broken")
    if options["C"]:
        time.sleep(60)
"""
    toml = TOML.replace("timeout_seconds = 30", "timeout_seconds = 2")
    folder = write_figure_2(tmp_path / "figure", toml=toml, program=program)
    result = ended("analyze", str(folder), "--published")["result"]
    places = {run["message"].partition(":")[0]: run["place"] for run in result["failed"]}
    assert places["ValueError"] == "tiny.py:6"
    assert {run["place"] for run in result["failed"] if run["status"] == "timeout"} == {"tiny.py:8"}
    assert result["configurations"] > len(result["failed"])
    (formulas,) = WhiteBoxAnalysis.objects.get().result.partitions[MAIN]
    assert {"!A & !C", "!A & C"} <= set(formulas)


# Programs and what they return; whole analyses are asked of both databases above.
def test_a_configuration_that_fails_only_where_it_is_counted_is_told_and_so_is_a_run_that_tracing_changed(
    tmp_path: Path,
) -> None:
    program = """
def main(options, second):
    traced = "_perfatlas_probe.taint" in __import__("sys").modules
    if options["A"] and not traced:
        raise ValueError("A is broken")
    return traced
"""
    told = said("analyze", str(write_figure_2(tmp_path / "figure", program=program)))
    assert "failed: A=on,B=off,C=off,D=off,E=off: ValueError: A is broken at tiny.py:5" in told
    assert "printed or returned something else when traced, or never the same twice: 1 of 1" in told


# Likewise.
def test_a_subject_in_four_lines_is_its_own_folder_and_its_one_workload_is_traced(tmp_path: Path) -> None:
    """Who asks for the small workload gets the regular one where there is no other, and is told."""
    text = (
        'name = "Own"\nregions = ["entry", "enrty"]\noptions = { A = [false, true], B = [1, 2] }\n'
        'entry.callable = "entry:run"\n'
    )
    entry = "def run(options, workload):\n    if options['A']:\n        return 1\n"
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "subject.toml").write_text(text)
    (folder / "entry.py").write_text(entry)
    for asked in ((), ("--workload", "small")):
        told = said("analyze", str(folder), *asked)
        assert ": regular: done: 2 configurations traced, 1 regions decide on options" in told
        assert "nothing reads the option B" in told
        assert "printed and returned the same, traced or not: 2 of 2 configurations" in told
        assert "no function of enrty ran" in told
    assert WhiteBoxAnalysis.objects.latest("pk").result.partitions == {"entry:run": (("!A", "A"),)}


# Likewise.
def test_where_what_was_returned_has_no_digest_only_what_was_printed_is_told(tmp_path: Path) -> None:
    program = "def main(options, second):\n    return object()\n"
    told = said("analyze", str(write_figure_2(tmp_path / "figure", program=program)))
    assert "\nprinted the same, traced or not: 1 of 1 configurations" in told


def test_constraints_of_the_subject_hold_in_every_traced_configuration(tmp_path: Path) -> None:
    toml = TOML + "[[constraints]]\nif = { B = true }\nrequires = { C = true }\n"
    said("analyze", str(write_figure_2(tmp_path / "figure", toml=toml)), "--published")
    levels = [run.levels for run in WhiteBoxAnalysis.objects.get().result.runs]
    assert {"B": "on", "C": "on"} in [{name: one[name] for name in "BC"} for one in levels]
    assert all(one["C"] == "on" for one in levels if one["B"] == "on")


def test_a_budget_ends_the_analysis_and_says_what_was_not_seen(tmp_path: Path) -> None:
    folder = write_figure_2(tmp_path / "figure")
    result = ended("analyze", str(folder), "--budget", "1", "--published")["result"]
    assert result["configurations"] == 1
    assert result["unseen"] > 0
    result = ended("analyze", str(folder), "--minutes", "0.00001")["result"]
    assert (result["configurations"], result["counted"], result["ended"]) == (0, 1, "minutes")


def test_what_cannot_be_asked_is_refused_in_words(tmp_path: Path) -> None:
    folder = str(write_figure_2(tmp_path / "figure"))
    text = 'name = "No regions"\noptions.A = [false, true]\nentry.callable = "entry:run"\n'
    without_regions = write_figure_2(tmp_path / "without", toml=text)
    assert "0 configurations cannot be traced" in refused("analyze", folder, "--budget", "0")
    assert "0 minutes are too few" in refused("analyze", folder, "--minutes", "0")
    assert "no workload 'large'" in refused("analyze", folder, "--workload", "large")
    assert "no regions" in refused("analyze", str(without_regions))
    assert "at most 1 subspaces" in refused("analyze", folder, "--cap", "1")
    assert "is no revision of this subject" in refused("analyze", folder, "--revision", "nowhere")
    assert "not analyzed yet" in refused("chain", "Figure 2", "A", "foo")
    assert "not analyzed yet" in refused("measure", folder, "--configurations", "analysis")
    assert "random=N" in refused("measure", folder, "--configurations", "random=many")
    assert "no registered subject" in refused("chain", "Unknown", "A", "foo")
    said("analyze", folder, "--published")
    assert "no option 'Z'" in refused("chain", "Figure 2", "Z", "foo")
    assert "nothing was seen in a region 'nowhere'" in refused("chain", "Figure 2", "A", "nowhere")


def test_a_program_of_which_no_configuration_runs_fails_with_the_first_reason(tmp_path: Path) -> None:
    entry = "import missing_module\n\n\ndef run(options, workload):\n    return missing_module\n"
    with pytest.raises(CommandError, match="ended as failed") as caught:
        said("analyze", str(write_subject(tmp_path / "broken", entry=entry)))
    assert caught.value.returncode == 1
    run = WhiteBoxAnalysis.objects.get().result.counted[0]
    assert "missing_module" in run.message
    assert run.place == "entry.py:1"
