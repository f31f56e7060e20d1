"""What the runs of one analysis counted: by configuration and counter, read from the batch and added to."""

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.dependencies import Site
from dashboard.models import Batch, CountedRun, Revision
from dashboard.selectors.counts import counts_by_site, site_tables
from dashboard.services.measuring.subject_configurations import SubjectConfigurations
from runner.results import Counts

Row = tuple[int, ...]


class CountTable:
    """The counts of a batch's runs by configuration, those of regions in `packages`."""

    def __init__(
        self,
        batch: Batch,
        revision: Revision,
        configurations: SubjectConfigurations,
        packages: Collection[str],
    ) -> None:
        self._space = configurations.space
        self._packages = packages
        self._counts: dict[Row, dict[Site, int]] = {}
        tables = site_tables([batch.pk])
        for one in CountedRun.objects.filter(batch=batch, revision=revision).select_related("configuration"):
            row = row_of(configurations.row(one.configuration.assignments))
            self._counts[row] = counts_by_site(one, tables)

    def put(self, row: Row, counts: Counts) -> set[Site]:
        """Take over what a run counted; returns the counters that an earlier run of this configuration left elsewhere."""
        new = {site: count for site, count in counts.by_site.items() if in_packages(site[0], self._packages)}
        old = self._counts.get(row, new)
        self._counts[row] = new
        return {site for site in old.keys() | new.keys() if old.get(site) != new.get(site)}

    def of(self, row: Row) -> Mapping[Site, int]:
        """What the last run of a configuration counted; nothing where none did."""
        return self._counts.get(row, {})

    def counts_of(self, rows: Iterable[Row], without: Collection[Site]) -> ConfigurationCounts:
        """What these configurations counted, at all counters but those of `without`."""
        chosen = [row for row in rows if row in self._counts]
        sites = sorted({site for row in chosen for site in self._counts[row]} - set(without))
        counts = [[self._counts[row].get(site, 0) for site in sites] for row in chosen]
        return ConfigurationCounts(
            self._space,
            np.array(chosen, dtype=np.int8).reshape(len(chosen), len(self._space.options)),
            np.array(counts, dtype=np.int64).reshape(len(chosen), len(sites)),
            sites,
        )


def in_packages(region: str, packages: Iterable[str]) -> bool:
    """Whether a region, "module:function", lies in one of these packages."""
    module = region.partition(":")[0]
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def row_of(levels: Iterable[int]) -> Row:
    """A configuration as a tuple of level indices."""
    return tuple(int(level) for level in levels)
