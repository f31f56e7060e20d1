"""Fully measured histories from one table: revision, variant, seconds."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from analytics.histories.measurements import Measurements
from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.source import open_source
from dashboard.importers.tables import read_table

COLUMNS = ("revision", "variant", "seconds")
LONGEST_NAME = 200


def read_measured_histories(path: Path) -> Mapping[str, Measurements]:
    """One history per variant, in order of the file, from a CSV file that may be packed by gzip.

    `revision` is a whole number, the revision's place; `seconds` is positive. Revisions that could not be measured
    are absent; rows of the same revision are runs whose mean counts. Raises `InvalidBundle` with every fault and its line.
    """
    faults = Faults()
    table = None
    try:
        with open_source(path, lone=True) as source:
            if path.name in source.names:
                table = read_table(source, path.name, COLUMNS, faults)
            else:
                faults.add(path.name, "is no single table", "Give one CSV file, plain or packed by gzip")
    except SourceError as error:
        faults.add_fault(error.fault)
    if table is None:
        faults.stop()
    revisions = table.whole_numbers("revision")
    seconds = table.numbers("seconds", minimum=0.0)
    variants = np.array(table.texts("variant", longest=LONGEST_NAME, blank=False), dtype=object)
    for row in np.flatnonzero(seconds == 0).tolist():
        table.note(row, "seconds", "is not positive", "Leave out revisions that were not measured")
    if not len(table):
        faults.add(path.name, "holds no measurement", "Add a row for each measured revision", line=1)
    faults.stop_if_any()
    histories = {}
    for variant in dict.fromkeys(table["variant"]):
        rows = variants == variant
        histories[variant] = Measurements.of(revisions[rows], seconds[rows])
        if len(histories[variant]) < 3:
            table.note(
                int(np.flatnonzero(rows)[0]),
                "variant",
                "has fewer than 3 measured revisions",
                "Measure more, or leave this variant out",
            )
    faults.stop_if_any()
    return histories
