"""Result folders of airspeed velocity (asv), formats 1 and 2, as `asv run` writes them.

The format is described in asv's own documentation for developers; what of it is read, and how, in
docs/how-to/import-asv-results.md. Machines, environments, benchmark versions and units are kept apart.
"""

from dashboard.importers.asv.folders import open_folder
from dashboard.importers.asv.gathering import Gathering
from dashboard.importers.errors import Faults, InvalidSetting, SourceError
from dashboard.importers.records import Imported
from dashboard.importers.settings import NO_SETTINGS, ImportSetting, ImportSettings, identity, single
from dashboard.importers.source import ImportSource
from dashboard.importers.spool import PointSpool

# More faults than anybody reads: the rest of a folder that is no folder of results is not looked at.
_ENOUGH = 1_000
REPLACE = "replace"
SETTINGS = (
    ImportSetting(
        "reruns",
        REPLACE.upper(),
        f"write {REPLACE} to take results that were measured anew in place of earlier ones",
    ),
)


def read(source: ImportSource, given: ImportSettings = NO_SETTINGS) -> Imported:
    """The records of a folder of results, one point per value. Raises `InvalidBundle` and `InvalidSetting`.

    One result file at a time is held; points go to a temporary file.
    """
    reruns = single(given, "reruns")
    if reruns not in {None, REPLACE}:
        raise InvalidSetting(
            "reruns", "is nothing that can be done", f"Write {REPLACE}, or leave it away", reruns
        )
    faults = Faults()
    folder = open_folder(source, faults)
    if not folder.results and not faults.count:
        remedy = "Give the folder that asv.conf.json names as results_dir"
        faults.add(folder.title, "holds no result of any revision", remedy)
    with PointSpool() as spool:
        gathering = Gathering(folder.benchmarks, spool, faults)
        for file, machine in folder.results:
            try:
                gathering.take(source, file, machine)
            except SourceError as error:
                faults.add_fault(error.fault)
            if faults.count > _ENOUGH:
                break
        faults.stop_if_any()
        digest = identity(source, None, given)
        records = gathering.records(digest, source.title)
    remarks = (*folder.remarks, *gathering.remarks())
    return Imported(records, digest, remarks, replaces=reruns == REPLACE)
