"""What the selectors of call trees hand out. Free of Django."""

from collections.abc import Mapping
from dataclasses import dataclass

from analytics.call_trees import CallFrame
from dashboard.selectors.model_rows import ChosenConfiguration


@dataclass(frozen=True, slots=True)
class SampledTree:
    """The call tree of one side or two, in CPU seconds.

    `runs` are how many of each side; `names` says how regions are called, by key, and `paged` which have a page. `environment`
    is where all of them ran, `elsewhere` whether that is another one than that of the model, and `differs_in` what is
    known to differ. `configurations` are those of
    the sides; of two revisions the one of both, on the `workload`.
    """

    nodes: tuple[CallFrame, ...]
    runs: tuple[int, ...]
    names: Mapping[str, str]
    paged: frozenset[str]
    environment: str
    elsewhere: bool = False
    differs_in: str = ""
    configurations: tuple[ChosenConfiguration, ...] = ()
    workload: str = ""

    def name(self, region: str) -> str:
        """What a region is called: by its own name, or, of one that took no time itself, by the end of its key."""
        return self.names.get(region) or region.rpartition(":")[2]
