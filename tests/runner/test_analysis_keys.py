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
