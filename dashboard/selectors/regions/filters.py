"""Which of many regions are shown, and in which order."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.selectors.regions.rows import RegionRow

HOTSPOTS = "hotspots"
OPTION_HOTSPOTS = "options"


@dataclass(frozen=True, slots=True)
class RegionFilter:
    """What a region must be to be shown: by `kind`, by an option that changes its time or reaches it, by its name.

    Hotspots take time at the base, the longest first. Option hotspots are those whose time the options change,
    the most changed first; repetitions must tell the change from zero.
    """

    kind: str = HOTSPOTS
    option: str = ""
    text: str = ""
    reached: str = ""

    def shown(self, regions: Sequence[RegionRow]) -> tuple[RegionRow, ...]:
        """Those of `regions` that pass, in the order of their kind."""
        words = self.text.lower().split()
        found = [
            region
            for region in regions
            if (not self.option or self.option in region.options)
            and (not self.reached or self.reached in region.reached)
            and all(word in f"{region.package} {region.name} {region.file}".lower() for word in words)
        ]
        if self.kind == OPTION_HOTSPOTS:
            return tuple(sorted((one for one in found if change(one) > 0), key=change, reverse=True))
        return tuple(sorted(found, key=lambda one: one.time, reverse=True))


def change(region: RegionRow) -> float:
    """The size of the region's largest term; 0 where it may be zero or there is none."""
    largest = region.largest
    return 0.0 if largest is None or largest.influence.may_be_zero else abs(largest.influence.value)
