"""What `subject.toml` says of following the options, and how faults in it are told."""

from pathlib import Path

import pytest

from runner.errors import SubjectFault, SubjectInvalid
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, RunProgram, write_subject

FAULTY = """
[analysis]
exclude = ["tiny.work", "tiny:parse"]
include = ["tiny:parse"]
weak_updates = "yes"
"""
SOURCES = """
[analysis.sources]
fats = "environment:FAST"
fast = "file:settings.ini"
"""


def faults(folder: Path) -> dict[str, SubjectFault]:
    with pytest.raises(SubjectInvalid) as refused:
        load_subject(folder)
    return {fault.key: fault for fault in refused.value.faults}


def test_faults_name_key_value_and_remedy(tmp_path: Path) -> None:
    found = faults(write_subject(tmp_path, toml=SUBJECT + FAULTY))
    assert found["analysis.exclude[0]"].value == '"tiny.work"'
    assert "analysis.weak_updates" in found
    found = faults(write_subject(tmp_path / "sources", toml=SUBJECT + SOURCES))
    assert "write environment:NAME" in found["analysis.sources.fast"].problem


def test_a_source_of_no_option_and_a_region_on_both_lists_are_refused(tmp_path: Path) -> None:
    toml = SUBJECT + FAULTY.replace('"tiny.work", ', "").replace('weak_updates = "yes"', "")
    toml += SOURCES.replace('fast = "file:settings.ini"', "")
    found = faults(write_subject(tmp_path, toml=toml))
    assert found["analysis.sources.fats"].remedy == "known are fast"
    assert found["analysis.include"].problem == "is excluded as well"


def test_a_variable_that_is_a_source_is_followed_to_its_decision(run_program: RunProgram) -> None:
    entry = """
import os
import tiny

def run(options, workload):
    os.environ.update(TINY_FAST="1" if options["fast"] else "")
    tiny.work()
"""
    program = """
import os

def work():
    if os.getenv("TINY_FAST"):
        pass
"""
    toml = SUBJECT + '[analysis.sources]\nfast = "environment:TINY_FAST"\n'
    done = run_program(entry=entry, program=program, toml=toml, mode="taint")
    assert (done.status, done.message) == ("ok", "")
    assert done.result.trace is not None
    assert ("tiny:work", 1) in {
        (done.result.trace.sites[site].region, data) for site, data, _ in done.result.trace.decisions
    }


def test_a_source_that_names_nothing_fails_the_run_and_says_which(run_program: RunProgram) -> None:
    toml = SUBJECT + '[analysis.sources]\nfast = "attribute:tiny:SETTINGS.fast"\n'
    done = run_program(entry="def run(options, workload):\n    pass\n", program="", toml=toml, mode="taint")
    assert done.status == "failed"
    assert "analysis.sources.fast = 'attribute:tiny:SETTINGS.fast' names nothing" in done.message


VARIABLE = SUBJECT.replace("levels = [false, true]", 'levels = [false, true]\nvariable = "TINY_FAST"')
READING = """
import os

FAST = os.environ.get("TINY_FAST")

def work():
    if FAST:
        return "fast"
    return os.environ.get("TINY_FAST", "slow")
"""


def test_an_option_with_a_variable_is_given_in_it_and_followed_from_there_also_while_the_program_is_imported(
    run_program: RunProgram,
) -> None:
    entry = "import tiny\n\ndef run(options, workload):\n    print(tiny.work())\n"
    done = run_program(entry=entry, program=READING, toml=VARIABLE, mode="taint")
    assert (done.status, done.message) == ("ok", "")
    assert "slow" in done.outcome.output
    assert done.result.trace is not None
    assert ("tiny:work", 1) in {
        (done.result.trace.sites[site].region, data) for site, data, _ in done.result.trace.decisions
    }


def test_a_variable_holds_one_for_true_nothing_for_false_and_other_levels_as_they_are(tmp_path: Path) -> None:
    option = load_subject(write_subject(tmp_path, toml=VARIABLE)).options["fast"]
    assert [option.variables(level) for level in (True, False, 8, "deep")] == [
        {"TINY_FAST": "1"},
        {},
        {"TINY_FAST": "8"},
        {"TINY_FAST": "deep"},
    ]


def test_a_variable_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    toml = VARIABLE.replace("[limits]", '[entry.environment]\nTINY_FAST = "1"\n[limits]')
    found = faults(write_subject(tmp_path, toml=toml))
    assert "entry.environment has it" in found["options.fast.variable"].remedy
    toml = VARIABLE.replace(
        "[workloads.regular]", '[options.slow]\nlevels = [1, 2]\nvariable = "TINY_FAST"\n[workloads.regular]'
    )
    found = faults(write_subject(tmp_path, toml=toml))
    assert "options.fast has it" in found["options.slow.variable"].remedy
