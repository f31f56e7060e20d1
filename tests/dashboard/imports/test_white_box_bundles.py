"""Bundles carry analyses and counts: byte for byte there and back, and refused where they contradict the rest."""

import copy
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analytics.whitebox.result import WhiteBoxResult
from dashboard.access import Principal, access_to
from dashboard.importers.bundle import read
from dashboard.importers.bundle.checks import check
from dashboard.importers.bundle.files import FILE_OF
from dashboard.importers.bundle.writing import bundle_files, write_bundle
from dashboard.importers.errors import Faults, InvalidBundle
from dashboard.importers.records import (
    BatchRecord,
    ConfigurationRecord,
    EnvironmentRecord,
    LevelRecord,
    OptionRecord,
    RevisionRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.source import open_source
from dashboard.importers.whitebox_records import CountedRunRecord, CountsRecord, WhiteBoxRecord
from dashboard.models import CountedRun, System, WhiteBoxAnalysis
from dashboard.selectors.counts import counted_runs
from dashboard.selectors.export.records import load_system_records
from dashboard.selectors.whitebox.analyses import evidence_in_words, white_box_detail
from dashboard.services.imports.importing import import_file

ON, OFF = {"A": "on"}, {"A": "off"}
RUN = {"status": "ok", "message": "", "place": "", "seconds": 0.25}
DIFFERENCE = {
    "region": "tiny:f",
    "line": 2,
    "column": 4,
    "kind": "turn",
    "options": ["A"],
    "known": ["A"],
    "counts": [12, 14],
    "levels": [OFF, ON],
}
FOUND: dict[str, Any] = {
    "runs": [{"levels": OFF, **RUN}, {"levels": ON, **RUN}],
    "decisions": [["tiny:f", "tiny.py:2:4", ["A"], {}]],
    "entries": [["tiny:g", ON]],
    "sites": [
        {
            "region": "tiny:f",
            "file": "tiny.py",
            "line": 2,
            "column": 4,
            "kind": "while",
            "text": "while n:",
            "writes": "",
            "reads": ["n"],
            "data": ["A"],
            "control": [],
        }
    ],
    "unfollowed": {"call: len": 3},
    "cut": False,
    "partitions": {"tiny:f": [["!A", "A"]]},
    "options": ["A"],
    "counted": [{"levels": ON, **RUN}],
    "nondeterministic": [["tiny:f", 9, 0, "call"]],
    "excluded": {"tiny:parse": "it only parses options"},
    "missed_dependencies": [DIFFERENCE],
    "statements": [["tiny:f", "2:4", ["A"]]],
    "residual_variation": [],
}
RESULT = WhiteBoxResult.model_validate_json(json.dumps(FOUND))
RECORDS = SystemRecords(
    batches=(BatchRecord("analyze", "b" * 64),),
    revisions=(RevisionRecord("1.0"),),
    options=(OptionRecord("A", (LevelRecord(False, "off"), LevelRecord(True, "on"))),),
    configurations=(ConfigurationRecord("", {}), ConfigurationRecord("", ON)),
    workloads=(WorkloadRecord("small"),),
    environments=(EnvironmentRecord("e" * 64, "a machine"),),
    white_box_analyses=(WhiteBoxRecord(0, "1.0", "small", RESULT),),
    counts=(
        CountsRecord(
            0,
            "1.0",
            (("tiny:f", 1, 0, "call"), ("tiny:f", 2, 4, "turn")),
            (
                CountedRunRecord(0, "small", 0, ((0, 1), (1, 2**40)), 0.25),
                CountedRunRecord(1, "small", 0, ((0, 1),)),
            ),
        ),
    ),
)


@pytest.mark.django_db
def test_analyses_and_counts_survive_byte_for_byte(tmp_path: Path, operator: Principal) -> None:
    write_bundle(RECORDS, tmp_path / "first.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "first.zip", system_name="Copy")
    copied = load_system_records(System.objects.get(slug="copy"))
    assert bundle_files(copied) == bundle_files(RECORDS)
    assert (WhiteBoxAnalysis.objects.count(), CountedRun.objects.count()) == (1, 2)
    found = counted_runs(system=access_to(operator, "copy").system, revision="1.0", workload="small")
    assert found.counts.tolist() == [[1, 2**40], [1, 0]]
    np.testing.assert_equal(found.cpu_seconds, [0.25, np.nan])
    detail = white_box_detail(system=access_to(operator, "copy").system)
    assert detail is not None
    assert (len(detail.result.traced), detail.coverage.subspaces, detail.coverage.seen) == (2, 2, 2)
    (missed,) = detail.result.missed_dependencies
    assert evidence_in_words(missed, detail.space).startswith("line 2: 12 turns with ")


def faults_of(**changes: Any) -> str:
    faults = Faults()
    check(replace(RECORDS, **changes), faults)
    try:
        faults.stop_if_any()
    except InvalidBundle as error:
        return str(error)
    return ""


def traced(**changes: Any) -> tuple[WhiteBoxRecord, ...]:
    text = json.dumps({**copy.deepcopy(FOUND), **changes})
    return (replace(RECORDS.white_box_analyses[0], found=WhiteBoxResult.model_validate_json(text)),)


def counted(**changes: Any) -> tuple[CountsRecord, ...]:
    return (replace(RECORDS.counts[0], **changes),)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"white_box_analyses": traced(options=["Z"])}, "the option is unknown"),
        ({"white_box_analyses": traced(runs=[{"levels": {"A": "high"}, **RUN}])}, "A has no such level"),
        ({"white_box_analyses": traced(entries=[["tiny:g", {"A": "high"}]])}, "A has no such level"),
        ({"white_box_analyses": traced(statements=[["tiny:f", "2:4", ["Z"]]])}, "the option is unknown"),
        (
            {"white_box_analyses": traced(missed_dependencies=[DIFFERENCE | {"options": ["Z"]}])},
            "the option is unknown",
        ),
        (
            {"white_box_analyses": traced(residual_variation=[DIFFERENCE | {"known": ["Z"]}])},
            "the option is unknown",
        ),
        (
            {"white_box_analyses": traced(sites=[FOUND["sites"][0] | {"control": ["Z"]}])},
            "the option is unknown",
        ),
        ({"white_box_analyses": traced(partitions={"tiny:f": [["A"]]})}, "formulas of tiny:f"),
        ({"white_box_analyses": RECORDS.white_box_analyses * 2}, "repeats the batch of entry 0"),
        (
            {"white_box_analyses": (replace(RECORDS.white_box_analyses[0], revision="2.0"),)},
            "the revision is unknown",
        ),
        ({"counts": counted(batch=1)}, "there are only 1 for batch"),
        ({"counts": counted(sites=RECORDS.counts[0].sites[::-1])}, "sites are not in order"),
        ({"counts": counted(sites=RECORDS.counts[0].sites[:1])}, "no ascending positions"),
        ({"counts": counted(runs=RECORDS.counts[0].runs[:1] * 2)}, "two runs are of one configuration"),
        ({"counts": RECORDS.counts * 2}, "repeats the batch and revision of entry 0"),
        ({"workloads": ()}, "the workload is unknown"),
        ({"environments": ()}, "there are only 0 for environment"),
    ],
)
def test_what_contradicts_the_rest_is_told(changes: dict[str, Any], told: str) -> None:
    assert faults_of() == ""
    assert told in faults_of(**changes)


def read_faults(tmp_path: Path, records: SystemRecords) -> str:
    """What is said of a bundle whose files have a wrong shape."""
    write_bundle(records, tmp_path / "odd")
    with open_source(tmp_path / "odd") as source, pytest.raises(InvalidBundle) as caught:
        read(source)
    return str(caught.value)


@pytest.mark.parametrize(
    "changes",
    [
        {"excluded": ["tiny:parse"]},
        {"statements": {"tiny:f": ["A"]}},
        {"statements": [["tiny:f", "2:4", "A"]]},
        {"entries": [["tiny:g"]]},
    ],
)
def test_what_pages_and_models_read_has_its_shape(tmp_path: Path, changes: dict[str, Any]) -> None:
    write_bundle(RECORDS, tmp_path / "odd")
    file = tmp_path / "odd" / FILE_OF["white_box_analyses"]
    (record,) = json.loads(gzip.decompress(file.read_bytes()))
    file.write_bytes(gzip.compress(json.dumps([record | {"found": FOUND | changes}]).encode()))
    with open_source(tmp_path / "odd") as source, pytest.raises(InvalidBundle) as caught:
        read(source)
    assert f"found/{next(iter(changes))}" in str(caught.value)


def test_what_earlier_releases_called_otherwise_is_read_and_written_with_the_words_of_today() -> None:
    earlier = {
        "nondeterministic": "unsteady",
        "missed_dependencies": "missed",
        "residual_variation": "unexplained",
        "output_digest": "said",
    }
    words = {**FOUND, "runs": [{**FOUND["runs"][0], "output_digest": "d" * 64}]}
    old = {earlier.get(name, name): value for name, value in words.items()}
    old["runs"] = [{earlier.get(name, name): value for name, value in words["runs"][0].items()}]
    assert WhiteBoxResult.model_validate_json(json.dumps(old)).as_json() == words


def test_no_run_takes_longer_than_numbers_may_be(tmp_path: Path) -> None:
    run = replace(RECORDS.counts[0].runs[0], cpu_seconds=1e200)
    assert "cpu_seconds" in read_faults(tmp_path, replace(RECORDS, counts=counted(runs=(run,))))
