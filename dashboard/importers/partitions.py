"""The partitions that the formulas of many regions make, sound or not."""

from collections.abc import Mapping, Sequence

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import OptionSpace
from analytics.configurations.partitions import Partition


def try_partitions(
    space: OptionSpace, formulas: Mapping[str, Sequence[str]]
) -> dict[str, Partition | ConfigurationError]:
    """The partition of each region, or what is wrong with its formulas; equal formulas share one answer."""
    known: dict[tuple[str, ...], Partition | ConfigurationError] = {}
    found: dict[str, Partition | ConfigurationError] = {}
    for region, given in formulas.items():
        key = tuple(given)
        if key not in known:
            try:
                known[key] = Partition.from_formulas(space, key)
            except ConfigurationError as error:
                known[key] = error
        found[region] = known[key]
    return found
