"""The call paths of one run: which region called which, and what each path took itself, folded into a tree."""

from collections.abc import Mapping
from typing import Annotated, Self

from annotated_types import Ge, MaxLen, MinLen
from pydantic import BaseModel, ConfigDict, model_validator

# Nodes that are kept of one run, and characters of a region's key.
MOST_NODES = 2_000
LONGEST_KEY = 2_000
# Above a path of which the beginning is not known, because its stack was too deep.
DEEPER = "<deeper>"

Seconds = Annotated[float, Ge(0)]
Node = tuple[Annotated[int, Ge(-1)], Annotated[str, MinLen(1), MaxLen(LONGEST_KEY)], Seconds]


class CallPaths(BaseModel):
    """Call paths as a tree with self times, as one profiled run, or any other profile with stacks, has them.

    Each of `nodes` is (position of the caller's node, -1 where nothing of the program called it; key of the region;
    self time in seconds). Callers come before those that they call, and a region is called once by each node. The self
    times of all nodes of a region sum to what it took; `cut_seconds` is what regions took that is not held by path.

    From stacks with values, as collapsed stacks, speedscope and pprof have them, `folded` makes one: keys are those of the
    system's regions, the outermost first. A run has at most one, in `RunCallPaths`; a bundle, in a `CallPathsRecord`.
    """

    # Strictly read, for it comes out of measured programs and files.
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)

    nodes: Annotated[tuple[Node, ...], MaxLen(MOST_NODES)]
    cut_seconds: Seconds = 0.0

    @model_validator(mode="after")
    def _is_tree(self) -> Self:
        seen = set()
        for place, (parent, region, _) in enumerate(self.nodes):
            if parent >= place:
                raise ValueError(f"node {place} stands before its caller {parent}")
            if (parent, region) in seen:
                raise ValueError(f"node {place} repeats {region!r} below its caller {parent}")
            seen.add((parent, region))
        return self

    @classmethod
    def folded(cls, seconds: Mapping[tuple[str, ...], float]) -> Self:
        """Make a tree of the self times of stacks, each of the keys of regions from the outermost to the one that ran.

        A region that calls itself is one node. Of more than `MOST_NODES` nodes, those of the longest stacks by time are
        kept; the time of the others is in `cut_seconds`. Raises `ValueError` for values that are no times.
        """
        places: dict[tuple[int, str], int] = {}
        nodes: list[tuple[int, str, float]] = []
        cut = 0.0
        for stack in sorted(seconds, key=lambda one: (-seconds[one], one)):
            own = [key for at, key in enumerate(stack) if at == 0 or key != stack[at - 1]]
            at, known = -1, 0
            while known < len(own) and (at, own[known]) in places:
                at = places[at, own[known]]
                known += 1
            if not own or len(nodes) + len(own) - known > MOST_NODES:
                cut += seconds[stack]
                continue
            for key in own[known:]:
                places[at, key] = len(nodes)
                nodes.append((at, key, 0.0))
                at = len(nodes) - 1
            parent, key, held = nodes[at]
            nodes[at] = (parent, key, held + seconds[stack])
        return cls(nodes=tuple(nodes), cut_seconds=cut)
