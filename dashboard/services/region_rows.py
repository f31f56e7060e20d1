"""Storing what a run says of regions: their times by line, and where they stand in the revision."""

import hashlib
from collections.abc import Iterable, Mapping

from analytics.influence.times import PROGRAM_REGION, PROGRAM_REGION_NAME
from dashboard.models import (
    Metric,
    Region,
    RegionMeasurement,
    RegionVersion,
    Run,
    RunCallPaths,
    SourceText,
    System,
)
from probe.functions import SourceRegion
from runner.results import Profile


def program_region(system: System) -> Region:
    """The region that stands for what no other region of a system holds, made if need be."""
    region, _ = Region.objects.get_or_create(
        system=system, key=PROGRAM_REGION, defaults={"name": PROGRAM_REGION_NAME, "is_program": True}
    )
    return region


class RegionRows:
    """Finds or makes the rows of regions of one system; each is looked up once."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._regions = {region.key: region for region in Region.objects.filter(system=system)}
        self._versions: set[tuple[int, int]] | None = None

    def store(self, run: Run, profile: Profile, metric: Metric) -> None:
        """Store the self time of every region of one run, zeros left out, of the program region, and by call path."""
        if PROGRAM_REGION not in self._regions:
            self._regions[PROGRAM_REGION] = program_region(self._system)
        self._add_regions(profile.regions, profile.functions)
        self._add_versions(run.revision_id, profile.functions)
        spent = [(key, one.seconds, one.lines) for key, one in profile.regions.items() if one.seconds > 0]
        RegionMeasurement.objects.bulk_create(
            RegionMeasurement(
                run=run, region=self._regions[key], metric=metric, value=seconds, lines=dict(lines) or None
            )
            for key, seconds, lines in [(PROGRAM_REGION, profile.program_seconds, {}), *spent]
        )
        if profile.paths is not None:
            RunCallPaths.objects.create(run=run, paths=profile.paths)

    def add(self, revision_id: int, functions: Mapping[str, SourceRegion]) -> None:
        """Store these functions of a revision, of which no time is known."""
        self._add_regions(functions, functions)
        self._add_versions(revision_id, functions)

    def _add_regions(self, keys: Iterable[str], functions: Mapping[str, SourceRegion]) -> None:
        missing = [
            Region(
                system=self._system,
                key=key,
                package=functions[key].module if key in functions else "",
                name=functions[key].qualified_name if key in functions else key,
            )
            for key in keys
            if key not in self._regions
        ]
        for region in Region.objects.bulk_create(missing):
            self._regions[region.key] = region

    def _add_versions(self, revision_id: int, functions: Mapping[str, SourceRegion]) -> None:
        if self._versions is None:
            stored = RegionVersion.objects.filter(region__system=self._system)
            self._versions = set(stored.values_list("region_id", "revision_id"))
        new = {
            key: function
            for key, function in functions.items()
            if key in self._regions and (self._regions[key].pk, revision_id) not in self._versions
        }
        if not new:
            return
        texts = {_digest(function.source): function.source for function in new.values()}
        SourceText.objects.bulk_create(
            [SourceText(digest=digest, text=text) for digest, text in texts.items() if text],
            ignore_conflicts=True,
        )
        sources = {row.digest: row for row in SourceText.objects.filter(digest__in=texts)}
        RegionVersion.objects.bulk_create(
            RegionVersion(
                region=self._regions[key],
                revision_id=revision_id,
                file=function.file,
                first_line=function.first_line,
                last_line=function.last_line,
                body_digest=function.body_hash,
                source=sources.get(_digest(function.source)),
            )
            for key, function in new.items()
        )
        self._versions |= {(self._regions[key].pk, revision_id) for key in new}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
