"""What is said of a chain: what happens with an option's value at each of its steps, and where it leads to."""

from analytics.whitebox.evidence import CALL
from analytics.whitebox.propagation import Chain
from analytics.whitebox.result import WhiteBoxResult
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


def unknown_steps(result: WhiteBoxResult) -> str:
    """Why the steps before a decision may not be known; empty where traced runs noted all of them."""
    if result.cut:
        return "Steps were left out of a trace for want of space: the way to a decision may not be known."
    if result.traced and not result.knows_steps:
        return (
            "This analysis was made by an earlier release, which did not note which step came from which. "
            "Analyze again to see the way."
        )
    return ""


def chain_text(chain: Chain, option: str) -> str:
    """Where a chain leads to: `codehilite gets to line 61 of iter_entry_points in 17 steps`."""
    last, steps = chain.decision, plural(len(chain.steps), "step")
    return f"{option} gets to line {last.line} of {function_of(last.region)} in {steps}"


def function_of(region: str) -> str:
    """The function of a region, by its key, without its module."""
    return region.rpartition(":")[2] or region
