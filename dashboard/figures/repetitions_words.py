"""How often configurations are repeated, in words: before a measurement, and what repeating as needed saved."""

from collections.abc import Mapping
from typing import Any

from dashboard.figures.numbers import GAP, count, fewest, plural, share


def width(half_width: float) -> str:
    """`±2 %`: half of a 95 % interval, a share of the time."""
    return f"±{fewest(round(100 * half_width, 2))}{GAP}%"


def made_in_words(made: int, *, failed: int, again: int, repeating: Mapping[str, Any]) -> str:
    """`60 runs, 3 of them failed; 4 were made again, since the machine was disturbed`: how a measurement ended.

    `repeating` are the arguments of `saved` where runs were repeated as needed; else it is empty.
    """
    told = f"{failed} of them failed" if failed else "none failed"
    parts = [saved(made, **repeating), told] if repeating else [f"{plural(made, 'run')}, {told}"]
    if again:
        parts.append(f"{again} {'was' if again == 1 else 'were'} made again, since the machine was disturbed")
    return "; ".join(parts)


def saved(made: int, most: int, wide: int, half_width: float, *, timed: int = 1, untimed: int = 0) -> str:
    """`74 of 120 runs, 38 % saved; 3 cells are still wider than ±2 %`: of a measurement that repeated as needed.

    `untimed` cells gave no time, as each of their runs failed, `timed` ones did. Runs that they were not given are not saved.
    """
    told = f"{count(made)} of {plural(most, 'run')}" if made <= most else ""
    if told and not untimed:
        told += f", {share(1 - made / most)} saved"
    # What was disturbed was measured again.
    told = told or f"{plural(made, 'run')}, {count(made - most)} more than planned"
    if untimed and not timed:
        return f"{told}; no cell gave a time"
    if untimed:
        told += f"; {plural(untimed, 'cell')} gave no time"
    if not wide:
        return f"{told}; every {'other ' if untimed else ''}cell is within {width(half_width)}"
    return (
        f"{told}; {plural(wide, 'cell')} {'is' if wide == 1 else 'are'} still wider than {width(half_width)}"
    )
