"""What call trees say: where most of the time goes, what a search found, and how they were made."""

from collections.abc import Callable, Sequence

from analytics.call_trees import WHOLE, CallFrame
from dashboard.figures.call_trees import amount_text, changed, drawn, frame_text, matches, tree_scale
from dashboard.figures.influences_words import at_text, configuration_text
from dashboard.figures.numbers import number, plural, share
from dashboard.selectors.call_tree_rows import SampledTree

_MOST = 0.5  # of the whole: what goes through one frame is told


def tree_finding(tree: SampledTree, words: str = "") -> str:
    """Where most of the time goes, or most of the difference; of a search, what it found."""
    nodes, scale = tree.nodes, tree_scale(tree)
    whole = nodes[0]
    if words.strip():
        return _found(tree, words)
    if whole.difference is None:
        node = _through(nodes, lambda one: one.times[0] / whole.times[0] if whole.times[0] else 0.0)
        part = share(node.times[0] / whole.times[0]) if whole.times[0] else ""
        if node.region == WHOLE:
            return f"{number(whole.times[0], scale=scale)} of CPU time, on no path more than half of it"
        return f"{part} of {number(whole.times[0], scale=scale)} go through {frame_text(tree, node)}"
    if not changed(whole, whole):
        return f"The whole call may not differ: {amount_text(whole, scale)}"
    total = whole.difference.value
    said = f"The whole call differs by {amount_text(whole, scale)}"
    node = _through(nodes, lambda one: one.difference.value / total if one.difference and total else 0.0)
    if node.region == WHOLE:
        return said
    return f"{said}; {amount_text(node, scale)} through {frame_text(tree, node)}"


def _found(tree: SampledTree, words: str) -> str:
    """What a search found."""
    found = [tree.nodes[at] for at in matches(tree, words)]
    scale, whole = tree_scale(tree), tree.nodes[0]
    if not found:
        return f"No function on any path is called {words.strip()}"
    where = plural(len(found), "path")
    if whole.difference is None:
        time = sum(node.times[0] for node in found)
        part = share(time / whole.times[0])
        return f"{words.strip()} is on {where}: {number(time, scale=scale)}, {part} of the call"
    change = sum(node.difference.value for node in found if node.difference)
    return f"{words.strip()} is on {where}: {number(change, scale=scale, signed=True)} together"


def _through(nodes: Sequence[CallFrame], part: Callable[[CallFrame], float]) -> CallFrame:
    """The deepest frame that at least half of the whole goes through."""
    at = 0
    for place, node in enumerate(nodes[1:], 1):
        if node.parent == at and part(node) >= _MOST:
            at = place
    return nodes[at]


def tree_axes(tree: SampledTree, sides: Sequence[str], words: str = "") -> str:
    """What the widths and colours of the frames are, and what they were made from."""
    runs = " and ".join(plural(one, "run") for one in tree.runs)
    if len(tree.runs) == 1:
        what = f"CPU time by call path {at_text(tree.configurations[0])}, callers above what they call"
    else:
        of = (
            f"{configuration_text(tree.configurations[0])} on {tree.workload}: "
            if len(tree.configurations) == 1
            else ""
        )
        what = (
            f"{of}frames are as wide as the mean of {sides[0]} and {sides[1]}; slower there is vermilion (+), faster is blue "
            "(−), grey may be no difference"
        )
    said = f"{what}; {runs} with the sampler"
    if tree.elsewhere:
        differing = f" (which differs in: {tree.differs_in})" if tree.differs_in else ""
        said += f", in another environment than the model's: {tree.environment}{differing}"
    left = len(tree.nodes) - len(drawn(tree))
    if left and not words.strip():
        said += f"; {plural(left, 'shorter path')} not drawn"
    return said
