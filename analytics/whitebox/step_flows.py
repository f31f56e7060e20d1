"""Which steps of an analysis came from which: many links between few places, so each name is kept once.

A link is made of the columns that it is kept in where it is asked for, and then forgotten.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeAlias

from pydantic import Field, GetCoreSchemaHandler, model_validator
from pydantic_core import CoreSchema, core_schema

from analytics.whitebox.evidence import Names, Part, StepFlow, TaintedSite

if TYPE_CHECKING:
    _Numbers: TypeAlias = array[int]
else:
    # Python 3.11 takes no brackets behind it.
    _Numbers = array
# What an array of four bytes each can hold.
_MOST = 2**32 - 1


class _AsList:
    """How an array of whole numbers is read and written: as a list."""

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """A list in JSON; within the program it is an array already."""
        numbers = handler.generate_schema(list[Annotated[int, Field(ge=0, le=_MOST)]])
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(_column, numbers),
            python_schema=core_schema.is_instance_schema(array),
            serialization=core_schema.plain_serializer_function_ser_schema(list),
        )


Column = Annotated[_Numbers, _AsList()]


def _column(numbers: Iterable[int]) -> _Numbers:
    return array("I", numbers)


class StepFlows(Part):
    """The links to each of some sites, in order; those to a site beyond the last one are none.

    `ends` has an entry per site: how many links it and the sites before it have. The other columns have one per link: `called`,
    `places` and `callers` are positions in `names`, `groups` in `options`, `routes` in `calls`, and `decided` is 1 or 0; `StepFlow`
    tells what they are of. Each of `calls` is a list of positions in `names`.
    """

    names: Names
    options: tuple[Names, ...]
    calls: tuple[Column, ...]
    ends: Column
    called: Column
    places: Column
    callers: Column
    groups: Column
    routes: Column
    decided: Column

    @model_validator(mode="after")
    def _points_at_what_there_is(self) -> Self:
        named = (self.called, self.places, self.callers)
        columns = (*named, self.groups, self.routes, self.decided)
        if {len(column) for column in columns} != {self.ends[-1] if self.ends else 0}:
            raise ValueError("a column has not as many entries as `ends` tells")
        if any(before > after for before, after in pairwise(self.ends)):
            raise ValueError("`ends` does not ascend")
        sizes = [(column, len(self.names)) for column in (*named, *self.calls)]
        sizes += [(self.groups, len(self.options)), (self.routes, len(self.calls)), (self.decided, 2)]
        if any(max(column, default=-1) >= size for column, size in sizes):
            raise ValueError("a position points at nothing")
        return self

    @classmethod
    def of(cls, links: Iterable[Sequence[StepFlow]]) -> "StepFlows":
        """Keep the links of sites, which are given site by site."""
        own = list(links)
        names, options, calls = dict[str, int](), dict[Names, int](), dict[tuple[int, ...], int]()
        rows = [
            (
                names.setdefault(one.called, len(names)),
                names.setdefault(one.place, len(names)),
                names.setdefault(one.caller, len(names)),
                options.setdefault(one.options, len(options)),
                calls.setdefault(tuple(names.setdefault(call, len(names)) for call in one.calls), len(calls)),
                int(one.decided),
            )
            for one in chain.from_iterable(own)
        ]
        columns = [_column(column) for column in zip(*rows, strict=True)] or [_column(()) for _ in range(6)]
        named = ("called", "places", "callers", "groups", "routes", "decided")
        return cls(
            names=tuple(names),
            options=tuple(options),
            calls=tuple(map(_column, calls)),
            ends=_column(accumulate(map(len, own))),
            **dict(zip(named, columns, strict=True)),
        )

    def __len__(self) -> int:
        """How many links there are."""
        return len(self.called)

    def rows(self, site: int) -> range:
        """The positions of the links to a site, given by its position."""
        if site >= len(self.ends):
            return range(0)
        return range(self.ends[site - 1] if site else 0, self.ends[site])

    def by_call(self, site: int) -> dict[str, list[int]]:
        """The positions of the links to a site, by the line that called its function."""
        found: dict[int, list[int]] = {}
        for row in self.rows(site):
            found.setdefault(self.called[row], []).append(row)
        return {self.names[called]: rows for called, rows in found.items()}

    def options_of(self, row: int) -> Names:
        """The options that came by a link."""
        return self.options[self.groups[row]]

    def at(self, row: int) -> StepFlow:
        """The link at a position."""
        names = self.names
        return StepFlow(
            names[self.called[row]],
            names[self.places[row]],
            names[self.callers[row]],
            self.options[self.groups[row]],
            tuple([names[call] for call in self.calls[self.routes[row]]]),
            self.decided[row] == 1,
        )

    def to(self, site: int) -> tuple[StepFlow, ...]:
        """The links to a site, given by its position."""
        return tuple(map(self.at, self.rows(site)))


class LinkedSites(Part):
    """Sites, and the links to each of them."""

    sites: tuple[TaintedSite, ...]
    flows: StepFlows = StepFlows.of(())

    @model_validator(mode="after")
    def _takes_over_links(self) -> Self:
        """Read what an earlier release wrote with each site, too."""
        if len(self.flows.ends) > len(self.sites):
            raise ValueError("`flows` has links to sites that are none")
        if not any(site.earlier for site in self.sites):
            return self
        if self.flows:
            raise ValueError("links stand in `flows` and with the sites, too")
        flows = StepFlows.of(site.earlier for site in self.sites)
        sites = tuple(site.model_copy(update={"earlier": ()}) for site in self.sites)
        return self.model_copy(update={"sites": sites, "flows": flows})

    def links(self) -> dict[tuple[Any, ...], tuple[StepFlow, ...]]:
        """The links to each site, by its key."""
        return {site.key: self.flows.to(at) for at, site in enumerate(self.sites)}


def joined_links(first: Iterable[StepFlow], second: Iterable[StepFlow]) -> tuple[StepFlow, ...]:
    """The links to a site in two runs; from the same step each option once, by the calls that were seen first."""
    found: dict[tuple[str, str, str, bool], list[StepFlow]] = {}
    for one in chain(first, second):
        known = found.setdefault((one.called, one.place, one.caller, one.decided), [])
        new = set(one.options).difference(*(other.options for other in known))
        if new:
            known.append(one if len(new) == len(one.options) else replace(one, options=tuple(sorted(new))))
    return tuple(one for key in sorted(found) for one in found[key])
