"""Which options each region depends on, by the result of a white-box analysis: its decisions, steps and counts."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from analytics.configurations.options import OptionSpace
from analytics.whitebox.decisions import Decision
from analytics.whitebox.result import ENTRY, TaintedSite, WhiteBoxResult


@dataclass(frozen=True, slots=True)
class RegionDependencies:
    """A region whose partition mentions options: those, its partitions as formulas, and its number of decisions.

    `counted` are those of the options that only counts show. `file` is empty where no option was seen in a decision.
    """

    key: str
    options: tuple[str, ...]
    counted: tuple[str, ...]
    decisions: int
    partitions: tuple[tuple[str, ...], ...]
    file: str

    @property
    def subspaces(self) -> int:
        """How many subspaces it has, of all its partitions."""
        return sum(len(formulas) for formulas in self.partitions)


def dependent_regions(result: WhiteBoxResult) -> tuple[RegionDependencies, ...]:
    """The regions that have a partition; those that most options reach come first."""
    deciding: dict[str, list[TaintedSite]] = defaultdict(list)
    for site in result.sites:
        if site.decides and (site.data or site.control):
            deciding[site.region].append(site)
    added = counted_options(result)
    rows = []
    for region, partitions in result.partitions.items():
        sites = deciding[region]
        options = {name for site in sites for name in (*site.data, *site.control)}
        counted = added.get(region, set()) - options
        rows.append(
            RegionDependencies(
                key=region,
                options=in_order(result, options | counted),
                counted=in_order(result, counted),
                decisions=len({(site.line, site.column) for site in sites if site.kind != ENTRY}),
                partitions=partitions,
                file=sites[0].file if sites else "",
            )
        )
    return tuple(sorted(rows, key=lambda row: (-len(row.options), -row.subspaces, row.key)))


def counted_options(result: WhiteBoxResult) -> dict[str, set[str]]:
    """The options that counts have added to each region, or to a statement of it."""
    added: dict[str, set[str]] = defaultdict(set)
    for one in result.missed_dependencies:
        added[one.region].update(one.options)
    for region, _, options in result.statements:
        added[region].update(options)
    return added


def candidate_options(result: WhiteBoxResult, space: OptionSpace) -> dict[str, frozenset[int]]:
    """By region the positions of the options that its time may depend on: those of its decisions and entries, and of what led there, and those that counts have added."""
    reached = counted_options(result)
    for region, _, data, levels in result.decisions:
        reached[region].update(data, levels)
    for region, levels in result.entries:
        reached[region].update(levels)
    return {region: frozenset(map(space.position, names)) for region, names in reached.items()}


def reached_decisions(result: WhiteBoxResult, space: OptionSpace) -> frozenset[Decision]:
    """The decisions and entries that traced runs reached, by positions of options."""
    reached = [(*one, False) for one in result.decisions]
    reached += [(region, "", (), levels, True) for region, levels in result.entries]
    return frozenset(
        Decision.reached(
            region,
            place,
            map(space.position, data),
            map(space.position, levels),
            space.encode([levels])[0],
            entry=entry,
        )
        for region, place, data, levels, entry in reached
    )


def decisions_of(result: WhiteBoxResult, region: str) -> tuple[TaintedSite, ...]:
    """The decisions of a region, by place; `control` without what is in `data`.

    Decisions that begin at one place, such as `a and b or c`, are one with the options of all of them.
    """
    places: dict[tuple[int, int], list[TaintedSite]] = defaultdict(list)
    for site in result.sites:
        if site.region == region and site.decides:
            places[site.line, site.column].append(site)
    return tuple(_joined(places[place]) for place in sorted(places))


def _joined(sites: Iterable[TaintedSite]) -> TaintedSite:
    """One site of those of one place; the longest text holds the others."""
    known = list(sites)
    data = dict.fromkeys(name for site in known for name in site.data)
    control = dict.fromkeys(name for site in known for name in site.control if name not in data)
    whole = max(known, key=lambda site: len(site.text))
    return whole.model_copy(update={"data": tuple(data), "control": tuple(control)})


def steps_of(result: WhiteBoxResult, region: str) -> tuple[TaintedSite, ...]:
    """The sites of a region that options were seen at, one for each line: of several on a line the one that decides."""
    rows: dict[int, TaintedSite] = {}
    sites = [site for site in result.sites if site.region == region and (site.data or site.control)]
    for site in sorted(sites, key=lambda one: (one.line, not one.decides, one.column)):
        rows.setdefault(site.line, site)
    return tuple(rows.values())


def in_order(result: WhiteBoxResult, names: Iterable[str]) -> tuple[str, ...]:
    """Options in the order of the subject's."""
    known = set(names)
    return tuple(name for name in result.options if name in known)
