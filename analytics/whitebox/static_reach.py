"""Which options reach which function, as far as the text of a program tells (ConfigCrusher: Velez et al., ASE Journal 2020).

A function depends on the options that may come into what it tests, and on those that decide whether it is called. Nothing is run.
Names stand for all that is called so, so it tells more than is true; and it misses what goes by no name, such as operators of a
class. Pure: whoever has the program's files gives their text.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np

from analytics.configurations.covers import greedy_cover
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.decisions import Decision, Extensions, flattened, partitions_from
from analytics.whitebox.source_flow import NOWHERE, Places, SourceCall, SourceFlow, SourceFunction, items_of


def options_reaching(
    found: SourceFlow, names: Mapping[str, frozenset[str]], mappings: Places = NOWHERE
) -> dict[str, frozenset[str]]:
    """The options that reach each region, by region; those that none reaches are left out.

    `names` are the names under which the program reads an option, as of `evidence.names_of`; `mappings` places that hold all options
    by their names: whoever reads one of them by its name has that one.
    """
    options = tuple(names)
    whole = 1 << len(options)
    taints = _taints(found, names, dict.fromkeys(mappings, whole))
    reached = _decided(found, taints)
    for region, tested in found.tests.items():
        reached[region] |= _joined(taints, tested)
    return {
        region: frozenset(option for bit, option in enumerate(options) if taint & (whole | 1 << bit))
        for region, taint in sorted(reached.items())
        if taint
    }


def static_partitions(
    space: OptionSpace, reaching: Mapping[str, frozenset[str]], cap: int | None
) -> dict[str, tuple[Partition, ...]]:
    """The partition of each region: a subspace for each combination of levels of the options that reach it.

    Regions with more than `cap` subspaces are split pair-wise. Raises `TooManyCellsError` where there is no cap and they cannot be listed.
    """
    decisions = (
        Decision(region, "", tuple(sorted(map(space.position, options))), ())
        for region, options in reaching.items()
    )
    return partitions_from(space, decisions, Extensions(cap=cap))


def covering_configurations(
    space: OptionSpace, partitions: Mapping[str, tuple[Partition, ...]], valid: ValidConfigurations
) -> IntArray:
    """Few valid configurations with one in each subspace, (n, n_options): what is measured to compose a model. At least one."""
    chosen = greedy_cover(space, flattened(partitions), valid)
    if len(chosen):
        return chosen
    start = valid.complete({})
    return chosen if start is None else start[np.newaxis]


def _taints(
    found: SourceFlow, names: Mapping[str, frozenset[str]], mappings: Mapping[str, int]
) -> dict[str, int]:
    """The options that may come to each place, as bits; one more for all of them by their names, which no item has."""
    taints: dict[str, int] = defaultdict(int, mappings)
    for bit, own in enumerate(names.values()):
        for name in own:
            # A parameter is "module:function.name".
            function, _, parameter = name.rpartition(".")
            taints[f"{function}:{parameter}" if ":" in function else name] |= 1 << bit
    into, waiting, each = _written_from(found), list(taints), (1 << len(names)) - 1
    while waiting:
        place = waiting.pop()
        given = dict.fromkeys(into.get(place, ()), taints[place])
        if not place.endswith("[]"):
            given[f"{place}[]"] = taints[place] & each
        for written, taint in given.items():
            if taint & ~taints[written]:
                taints[written] |= taint
                waiting.append(written)
    return taints


def _written_from(found: SourceFlow) -> dict[str, set[str]]:
    """The places that are written from each place, parameters and results by calls too."""
    into: dict[str, set[str]] = defaultdict(set)
    for written, read in found.flows.items():
        for place in read:
            into[place].add(written)
    for call in found.calls:
        into[f"{call.name}()"].add(call.result)
        known = found.functions.get(call.name, ())
        moved = [one for function in known for one in _given(call, function)]
        if not known and call.name not in found.methods:
            # What is not of the program gives back something of all that it is given.
            moved = [(call.result, places) for _, places in call.arguments or ()]
        for written, places in moved:
            for place in places:
                into[place].add(written)
    return into


def _given(call: SourceCall, function: SourceFunction) -> Iterator[tuple[str, Places]]:
    """What a call gives to which places: parameters, and items of what takes the rest; what has no name and no position may be any."""
    own = function.parameters
    for at, places in call.arguments or ():
        if isinstance(at, int) and at < len(own):
            yield f"{function.region}:{own[at]}", places
        elif at in own:
            yield f"{function.region}:{at}", places
        elif isinstance(at, str) and at not in ("*", "**"):
            yield f"[{at!r}]", places if function.rest else NOWHERE
        else:
            for name in own:
                given = items_of(places) | {f"[{name!r}]"} if at == "**" else places
                yield f"{function.region}:{name}", given
            if at == "**" and function.rest:
                yield f"{function.region}:{function.rest}", places


def _decided(found: SourceFlow, taints: Mapping[str, int]) -> dict[str, int]:
    """The options that decide whether a region is called, as bits: by the tests that its calls stand under, and what decides those.

    The functions of a class are called where one is made.
    """
    into: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for call in found.calls:
        called = {function.region for function in found.functions.get(call.name, ())}
        if call.arguments is not None:
            called |= found.methods.get(call.name, set())
        for region in called - {call.region}:
            into[call.region][region] |= _joined(taints, call.under)
    decided: dict[str, int] = defaultdict(int)
    waiting = list(into)
    while waiting:
        caller = waiting.pop()
        for region, taint in into.get(caller, {}).items():
            new = taint | decided[caller]
            if new & ~decided[region]:
                decided[region] |= new
                waiting.append(region)
    return decided


def _joined(taints: Mapping[str, int], places: Places | set[str]) -> int:
    joined = 0
    for place in places:
        joined |= taints.get(place, 0)
    return joined
