"""The partitions that the formulas of many regions make, sound or not."""

from collections.abc import Mapping, Sequence
from functools import cache

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import OptionSpace
from analytics.configurations.partitions import Partition


def try_partitions(
    space: OptionSpace, formulas: Mapping[str, Sequence[str]]
) -> dict[str, Partition | ConfigurationError]:
    """The partition of each region, or what is wrong with its formulas; equal formulas share one answer."""

    @cache
    def attempt(given: tuple[str, ...]) -> Partition | ConfigurationError:
        try:
            return Partition.from_formulas(space, given)
        except ConfigurationError as error:
            return error

    return {region: attempt(tuple(given)) for region, given in formulas.items()}
