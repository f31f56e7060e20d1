"""Which of many regions are shown, and in which order."""

from collections.abc import Sequence

from dashboard.selectors.regions.rows import RegionRow

HOTSPOTS = "hotspots"
OPTION_HOTSPOTS = "options"


def filtered(
    regions: Sequence[RegionRow], *, kind: str = HOTSPOTS, option: str = "", text: str = "", reached: str = ""
) -> tuple[RegionRow, ...]:
    """Those of `regions` whose time `option` changes, that the option `reached` reaches, and with the words of `text`.

    Hotspots take time at the base, the longest first. Option hotspots are those whose time the options change,
    the most changed first; repetitions must tell the change from zero.
    """
    words = text.lower().split()
    passing = [
        region
        for region in regions
        if (not option or option in region.options)
        and (not reached or reached in region.reached)
        and all(word in f"{region.package} {region.name} {region.file}".lower() for word in words)
    ]
    if kind == OPTION_HOTSPOTS:
        return tuple(sorted((one for one in passing if change(one) > 0), key=change, reverse=True))
    return tuple(sorted(passing, key=lambda one: one.time, reverse=True))


def change(region: RegionRow) -> float:
    """The size of the region's largest term; 0 where it may be zero or there is none."""
    largest = region.largest
    return 0.0 if largest is None or largest.influence.may_be_zero else abs(largest.influence.value)
