"""The common parents of regions, in which cost may move while it stays in all: classes, modules, packages, callers, the program."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType

from analytics.findings.rows import CostDomain
from analytics.histories.measurements import FloatArray, IntArray


def cost_domains(
    keys: Sequence[str],
    numbers: Sequence[int],
    positions: IntArray,
    costs: FloatArray,
    called: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Iterator[CostDomain]:
    """The classes, modules and packages of at least two regions, callers with what they call, and the whole program.

    A key is `package.module:Class.method`; `called` are the keys of the regions that each calls, by its key. A parent that holds what a
    smaller one holds is left out.
    """
    members: dict[str, list[int]] = {"the program": list(range(len(keys)))}
    for at, key in enumerate(keys):
        module, _, function = key.partition(":")
        parts = module.split(".")
        parents = [f"the package {'.'.join(parts[:length])}" for length in range(1, len(parts))]
        parents += [f"the module {module}"] if function else []
        parents += [f"the class {module}:{function.rpartition('.')[0]}"] if "." in function else []
        for parent in parents:
            members.setdefault(parent, []).append(at)
    place = {key: at for at, key in enumerate(keys)}
    for caller, callees in called.items():
        own = sorted({place[one] for one in (caller, *callees) if one in place})
        members[f"{caller} with what it calls"] = own
    whole = costs.sum(axis=0)
    seen = set()
    for name, own in sorted(members.items(), key=lambda one: (len(one[1]), one[0].startswith("the package"))):
        if len(own) > 1 and (held := tuple(own)) not in seen:
            seen.add(held)
            series = tuple(numbers[at] for at in own)
            yield CostDomain(name, series, positions, costs[own], whole if len(own) < len(keys) else None)
