"""What the text of a program says of where values go: which names a statement reads and writes, what it tests, what it calls.

Read once for each module, whatever runs. Names stand for all that is called so: attributes of any object, items of any mapping,
results of any function. That is what ConfigCrusher asks of a program's code (Velez et al., ASE Journal 2020), without its types.
"""

from collections import defaultdict
from dataclasses import dataclass, field

MODULE_LEVEL = "<module>"
# A local as "region:name", an attribute as ".name", an item as "['name']", what a function gives back as "name()"; "PLACE[]" is
# any item of what stands at a place, by its name.
Places = frozenset[str]
NOWHERE: Places = frozenset()


@dataclass(frozen=True, slots=True)
class SourceFunction:
    """A function that is called by its name, a class's `__init__` by that of the class: the region that it is a part of, and its parameters.

    `rest` is its parameter `**name`, which takes what is given by other names.
    """

    region: str
    parameters: tuple[str, ...]
    rest: str = ""


@dataclass(frozen=True, slots=True)
class SourceCall:
    """A region calls what is called `name`: under which tests, and with what, by position and by keyword; "*" and "**" are for several.

    `arguments` are None where it is not called there, only named. `result` is the place of what this call gives back.
    """

    region: str
    name: str
    under: Places
    arguments: tuple[tuple[int | str, Places], ...] | None = None
    result: str = ""


@dataclass(slots=True)
class SourceFlow:
    """What all modules of a program say together: `flows` by the place written, what each region tests, its calls, and the functions by name.

    `methods` are the regions of each class, by its name.
    """

    flows: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    tests: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    calls: list[SourceCall] = field(default_factory=list)
    functions: dict[str, list[SourceFunction]] = field(default_factory=lambda: defaultdict(list))
    methods: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @property
    def regions(self) -> frozenset[str]:
        """The regions of all functions."""
        return frozenset(one.region for several in self.functions.values() for one in several)


def items_of(places: Places) -> Places:
    """Items, by their names, of what stands at places, and items of these."""
    return frozenset(place if place.endswith("[]") else f"{place}[]" for place in places)
