"""How much an import brings, in words."""

from typing import Literal

from dashboard.importers.records import BatchRecord, RunRecord, SystemRecords
from dashboard.services.imports.amounts import ImportOutcome, amounts_of


def run(batch: int, kind: Literal["plain", "profiled"]) -> RunRecord:
    """One run of that batch."""
    return RunRecord(
        batch=batch,
        revision="1",
        configuration=0,
        workload="regular",
        environment=0,
        kind=kind,
        repetition=1,
    )


def test_runs_are_counted_as_the_pages_count_them() -> None:
    """The plain and the profiled run of one execution are one run; those of other formats stand alone."""
    records = SystemRecords(
        batches=tuple(BatchRecord(format=form, digest="0" * 64) for form in ("measure", "comprex")),
        runs=(run(0, "plain"), run(0, "profiled"), run(1, "profiled")),
    )
    assert amounts_of(records) == "2 runs"
    assert ImportOutcome("toy", "Toy", is_new=True, records=records).as_json()["runs"] == 2
