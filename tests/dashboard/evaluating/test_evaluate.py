"""`manage.py evaluate` on the paper's example: 32 configurations, three options that matter."""

import json
import re
import shutil
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from analytics.whitebox.evidence import CheckedPairs
from dashboard.access import Principal
from dashboard.figures.counts_words import uncounted_sentence
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Run, WhiteBoxAnalysis
from dashboard.selectors.whitebox.analyses import checked_in_words
from dashboard.services.jobs.queueing import request_cancel
from dashboard.services.jobs.running import JobOutcome, run_job
from studies.evaluation.methods import HYBRIDS, METHODS
from tests.dashboard.whitebox.figure_2 import write_figure_2
from tests.studies.evaluation.test_evaluation import five_of_each

__all__ = ["five_of_each"]

# Once: an evaluation reads the rows of an analysis, which tests on both databases read too, and then works on files.
pytestmark = [pytest.mark.usefixtures("machine", "sent", "transactional_db"), pytest.mark.once]

NAME = "Figure 2"
SMALL = ("--workload", "small", "--budgets", "5", "--seeds", "2", "--test", "5")
BY_COUNTS = ("--no-times", "--brute", "A,B,C,D")


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO())
    return out.getvalue()


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as caught:
        said(*arguments)
    told = str(caught.value)
    # Of a call from Python, Django turns the parser's own exit, which is 2, into 1.
    assert caught.value.returncode == 2 or told.startswith("Error: argument")
    return told


@pytest.fixture(autouse=True)
def _without_earlier_runs(machine: object) -> None:
    """The machine is shared by all tests; what one of them ran is nothing to the next."""
    shutil.rmtree(settings.VAR / "evaluations", ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What the command said, the page that it wrote, its file of runs, and what the analysis kept of it."""

    text: str
    page: str
    name: str
    lines: str
    checked: CheckedPairs | None


@pytest.fixture(scope="session")
def kept_evaluation() -> list[Evaluated]:
    """The evaluation that all tests begin with; empty until somebody asks for it."""
    return []


@pytest.fixture
def evaluated(analyzed: str, kept_evaluation: list[Evaluated], tmp_path: Path) -> Evaluated:
    """The paper's example was analyzed, and evaluated by counts: its runs are in the file."""
    if not kept_evaluation:
        text = said("evaluate", NAME, *SMALL, *BY_COUNTS, "--docs", str(tmp_path / "docs"))
        page = (tmp_path / "docs" / "evaluation-figure-2.md").read_text(encoding="utf-8")
        lines = the_file().read_text(encoding="utf-8")
        # Whoever begins with it later has the analysis alone in its database.
        checked = WhiteBoxAnalysis.objects.get().result.checked
        kept_evaluation.append(Evaluated(text, page, the_file().name, lines, checked))
    (found,) = kept_evaluation
    (settings.VAR / "evaluations").mkdir(exist_ok=True)
    (settings.VAR / "evaluations" / found.name).write_text(found.lines, encoding="utf-8")
    return found


@pytest.fixture
def black_boxes_left_out(evaluated: Evaluated, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would learn the same from the same runs as in the evaluation that a test begins with, which takes seconds."""
    others = tuple(method for method in METHODS if method.sampling != "random" or method in HYBRIDS)
    monkeypatch.setattr("studies.evaluation.budgets.METHODS", others)
    monkeypatch.setattr("studies.evaluation.budgets.DESIGNED", ())


def the_file() -> Path:
    """The one file of runs."""
    (file,) = (settings.VAR / "evaluations").glob("*.jsonl")
    return file


def records() -> list[dict[str, Any]]:
    return [json.loads(line) for line in the_file().read_text(encoding="utf-8").splitlines()]


@pytest.mark.usefixtures("black_boxes_left_out")
def test_counts_are_compared_and_runs_are_used_again(evaluated: Evaluated) -> None:
    """Composed and hybrid are exact; nothing was missed by the analysis; a second evaluation makes no run."""
    assert "all 16 configurations over A, B, C, D" in evaluated.text.lower().replace(
        "a, b, c, d", "A, B, C, D"
    )
    assert "Recall 1.000; 0 pairs missed" in evaluated.text
    assert "Precision " in evaluated.text
    assert re.search(r"Counts alone prove \d+ pairs with precision 1\.000 and recall", evaluated.text)
    assert "Before counts added to it: recall 1.000; 0 pairs missed" in evaluated.text
    # Of functions, too; the analysis keeps that for its page.
    checked = evaluated.checked
    assert checked is not None
    assert (checked.configurations, checked.options, checked.recall) == (16, ("A", "B", "C", "D"), 1.0)
    assert checked.proved == checked.proved_right > 0
    assert 0 < checked.base_rate <= checked.precision <= 1
    said_of_functions = checked_in_words(checked)
    assert said_of_functions in evaluated.text
    assert said_of_functions in evaluated.page
    made = records()
    assert {record["kind"] for record in made} == {"counted"}
    assert not Run.objects.exists()
    assert evaluated.page.startswith("# Evaluation: Figure 2\n")
    assert "--no-times --brute A,B,C,D --docs" in evaluated.page
    again = json.loads(said("evaluate", NAME, *SMALL, "--no-times", "--json"))["result"]
    assert records() == made
    rows = {(row["equal"], row["method"], row["sampling"]): row for row in again["rows"]}
    assert max(rows["configurations", "composed", "cover"]["errors"]) < 1e-9
    assert rows["configurations", "composed", "cover"]["configurations"] == 4
    assert again["failures"] == 0
    assert {row["target"] for row in again["rows"]} == {"counts"}
    # Whoever uses the analysis pays for all that it ran.
    found = WhiteBoxAnalysis.objects.get().result
    beyond = uncounted_sentence(found, "regular")
    assert beyond.endswith(".")
    assert beyond in evaluated.text
    assert f"{beyond} [What that means](" in evaluated.page
    ran = [run.seconds for run in (*found.runs, *found.counted)]
    assert again["tracing_seconds"] == pytest.approx(sum(ran))
    assert len(ran) > again["traced"]


def test_times_are_compared_too(evaluated: Evaluated) -> None:
    """Runs that are in the file already are not made again; every method has a row of times."""
    counted = records()
    lines = []
    for record in counted:
        # A hundredth of a second per count, whatever the clock said.
        total = sum(count for own in record["counts"].values() for count in own.values()) / 100
        lines.append(record | {"seconds": total})
        for repetition in (1, 2):
            made = record | {"repetition": repetition, "seconds": total, "counts": {}}
            lines += [made | {"kind": "plain"}, made | {"kind": "profiled", "regions": {"program": total}}]
    the_file().write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = json.loads(said("evaluate", NAME, *SMALL, "--json"))["result"]
    assert len(records()) == 5 * len(counted)
    rows = [row for row in found["rows"] if (row["target"], row["equal"]) == ("time", "configurations")]
    assert {row["method"] for row in rows} >= {"composed", "hybrid", "hybrid, all options", "linear", "tree"}
    assert all(row["errors"] or row["reason"] for row in rows)
    assert any(one["target"] == "time" for one in found["paired_comparisons"])


def test_a_cancelled_evaluation_keeps_its_runs(analyzed: str) -> None:
    """It ends before its first run; started again, it makes what is missing."""
    said("evaluate", NAME, *SMALL, "--no-times", "--queue")
    job = Job.objects.get(kind="evaluate")
    request_cancel(principal=Principal.operator(), job_id=job.pk)
    assert run_job(job_id=job.pk, kinds=KINDS) is not JobOutcome.DONE
    assert not list((settings.VAR / "evaluations").glob("*.jsonl"))


@pytest.mark.usefixtures("black_boxes_left_out")
def test_a_torn_last_line_is_made_again(evaluated: Evaluated) -> None:
    """As after a crash in the middle of writing."""
    file = the_file()
    whole = records()
    file.write_text(evaluated.lines[:-40] + "\n", encoding="utf-8")
    said("evaluate", NAME, *SMALL, *BY_COUNTS)
    kept = [line for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}")]
    assert len({json.dumps(json.loads(line)["levels"]) for line in kept}) == len(whole)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--budgets", "twenty"), "no list of numbers"),
        (("--budgets", "2"), "write numbers from 5 on"),
        (("--seeds", "1"), "write 2 or more"),
        (("--test", "1"), "write 5 or more"),
        (("--repetitions", "1"), "one of them is a counting run"),
        (("--brute", "A,Z"), "no option 'Z'"),
        (("--workload", "huge"), "no workload 'huge'"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(tmp_path: Path, arguments: tuple[str, ...], words: str) -> None:
    """With exit code 2, and no job."""
    assert words in refused("evaluate", str(write_figure_2(tmp_path / "figure")), *arguments)
    assert not Job.objects.filter(kind="evaluate").exists()


def test_a_revision_that_was_not_analyzed_is_refused(tmp_path: Path) -> None:
    """The message names the command that is needed first."""
    assert "manage.py analyze" in refused("evaluate", str(write_figure_2(tmp_path / "figure")))
