"""The options of a system as the space that configurations and formulas are over."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, Option, OptionSpace
from dashboard.models import Level, System


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """The option space, and for each option the index of the level with a label."""

    space: OptionSpace
    indices: Mapping[str, Mapping[str, int]]

    def encode(self, assignments: Iterable[Mapping[str, str]]) -> IntArray:
        """Stored assignments as level indices, shape (n, n_options); what is not assigned is at its reference."""
        rows = []
        for one in assignments:
            row = np.zeros(len(self.space.options), dtype=np.int8)
            for name, label in one.items():
                row[self.space.position(name)] = self.indices[name][label]
            rows.append(row)
        return np.array(rows, dtype=np.int8).reshape(len(rows), len(self.space.options))


def options_of(system: System) -> SystemOptions:
    """The options of a system, in order, with their levels; one query. For selectors, behind their check."""
    rows = Level.objects.filter(option__system=system).order_by("option__position", "position")
    levels: dict[str, list[bool | int | float | str]] = {}
    indices: dict[str, dict[str, int]] = {}
    for name, label, value in rows.values_list("option__name", "label", "value"):
        known = levels.setdefault(name, [])
        indices.setdefault(name, {})[label] = len(known)
        known.append(value)
    space = OptionSpace(tuple(Option(name, tuple(values)) for name, values in levels.items()))
    return SystemOptions(space, indices)
