"""What the runs of an analysis counted: a table that grows by a row with each run."""

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.dependencies import Site
from analytics.whitebox.evidence import AnalysisRun
from analytics.whitebox.result import WhiteBoxResult
from dashboard.models import Batch, CountedRun, Revision
from dashboard.selectors.counts import counts_by_site, site_tables
from dashboard.services.measuring.subject_configurations import SubjectConfigurations

Row = tuple[int, ...]


class AnalysisCounts:
    """What the first run of each configuration counted; at first what is stored of a batch.

    In some packages; None: in all code, of a command.
    """

    def __init__(
        self,
        configurations: SubjectConfigurations,
        packages: Iterable[str] | None,
        batch: Batch,
        revision: Revision,
    ) -> None:
        self._configurations = configurations
        self._packages = None if packages is None else tuple(packages)
        self._columns: dict[Site, int] = {}
        self._lines: dict[Row, NDArray[np.int64]] = {}
        tables = site_tables([batch.pk])
        stored = CountedRun.objects.filter(batch=batch, revision=revision).select_related("configuration")
        for one in stored:
            row = configurations.row(one.configuration.assignments)
            self._lines[row] = self._line(counts_by_site(one, tables))

    def __contains__(self, row: Row) -> bool:
        """Whether a run of the configuration counted anything."""
        return row in self._lines

    def recovered(self, result: WhiteBoxResult) -> tuple[AnalysisRun, ...]:
        """The runs that counted after `result` was last saved, where a worker was killed: how long is not known."""
        known = {run.key for run in (*result.runs, *result.counted)}
        labels = map(self._configurations.labels, self._lines)
        runs = (AnalysisRun(levels=one, status="ok", message="", place="", seconds=None) for one in labels)
        return tuple(run for run in runs if run.key not in known)

    def take(self, row: Row, counted: Mapping[Site, int]) -> set[Site]:
        """Take over what a run counted, unless its configuration counted before: what counters differ from then."""
        before = self._lines.get(row)
        now = self._line(counted)
        if before is None:
            self._lines[row] = now
            return set()
        names = list(self._columns)
        before = np.pad(before, (0, len(now) - len(before)))
        return {names[at] for at in np.flatnonzero(before != now).tolist()}

    def work(self, row: Row) -> int:
        """All that a configuration counted; 0 where it did not."""
        return int(np.sum(self._lines.get(row, 0)))

    def of(self, row: Row) -> dict[Site, int]:
        """What the first run of a configuration counted; empty where there was none."""
        line = self._lines.get(row, ())
        return {site: int(count) for site, count in zip(self._columns, line, strict=False) if count}

    def table(self, rows: Iterable[Row], without: Iterable[Site]) -> ConfigurationCounts:
        """The counts of those of `rows` that counted anything, but for the counters `without`."""
        own = [row for row in rows if row in self._lines]
        counts = np.zeros((len(own), len(self._columns)), dtype=np.int64)
        for at, row in enumerate(own):
            counts[at, : len(self._lines[row])] = self._lines[row]
        left_out = set(without)
        passed = counts.sum(axis=0)
        sites = sorted(site for site, at in self._columns.items() if passed[at] and site not in left_out)
        space = self._configurations.space
        configurations = np.array(own, dtype=np.int8).reshape(len(own), len(space.options))
        return ConfigurationCounts(
            space, configurations, counts[:, [self._columns[site] for site in sites]], sites
        )

    def _line(self, counted: Mapping[Site, int]) -> NDArray[np.int64]:
        packages = self._packages
        own = {
            site: count
            for site, count in counted.items()
            if packages is None or in_packages(site[0], packages)
        }
        places = [self._columns.setdefault(site, len(self._columns)) for site in own]
        line = np.zeros(len(self._columns), dtype=np.int64)
        line[places] = list(own.values())
        return line


def in_packages(region: str, packages: Iterable[str]) -> bool:
    """Whether a region, "module:function", lies in one of these packages."""
    module = region.partition(":")[0]
    return any(module == package or module.startswith(f"{package}.") for package in packages)
