"""Which options an analysis says may matter to each region. For selectors and services, behind their check."""

from collections.abc import Iterable, Mapping
from typing import Any

from analytics.configurations.options import OptionSpace
from analytics.influence.hybrid import Candidates


def tainting_options(found: Mapping[str, Any], space: OptionSpace) -> Candidates:
    """By region the options seen in its decisions or in what led there, and those that counts have added to it."""
    reached: dict[str, set[int]] = {}

    def reach(region: str, names: Iterable[str]) -> None:
        reached.setdefault(region, set()).update(space.position(name) for name in names)

    for region, _, data, control in found["decisions"]:
        reach(region, (*data, *control))
    for region, control in found.get("entries", ()):
        reach(region, control)
    for region, _, names in found.get("statements", ()):
        reach(region, names)
    for one in found.get("missed", ()):
        reach(one["region"], one["options"])
    return {region: frozenset(own) for region, own in reached.items()}
