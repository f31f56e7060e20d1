"""What is said of a chain: what happens with an option's value at each of its steps, and where it leads to."""

from analytics.whitebox.chain_search import Chain
from analytics.whitebox.evidence import CALL
from dashboard.figures.numbers import plural

_KINDS = {
    "assignment": "assigned",
    "attribute": "kept in an attribute",
    "item": "kept in a container",
    "return": "returned",
    "call": "handed over in a call",
}


def step_texts(chain: Chain, option: str) -> list[str]:
    """What happens with the value of the option at each step of a chain: `read and assigned`, `decides: if`."""
    said = []
    for at, step in enumerate(chain.steps):
        text = "called" if step.kind == CALL and not step.data else _KINDS.get(step.kind, step.kind)
        if step.decides and step is chain.decision:
            # An option that is not in what the line tests has only brought the program there.
            text = f"decides: {step.kind}" if option in step.data else "reached"
        elif step.decides:
            text = f"decides what follows: {step.kind}"
        elif at == 0 and chain.from_read:
            text = f"read and {text}"
        said.append(text)
    return said


def chain_text(chain: Chain, option: str) -> str:
    """Where a chain leads to: `codehilite gets to line 61 of iter_entry_points in 17 steps`."""
    last, steps = chain.decision, plural(len(chain.steps), "step")
    return f"{option} gets to line {last.line} of {function_of(last.region)} in {steps}"


def function_of(region: str) -> str:
    """The function of a region, by its key, without its module."""
    return region.rpartition(":")[2] or region
