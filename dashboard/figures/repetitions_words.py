"""How often configurations are repeated, in words: before a measurement, and what repeating as needed saved."""

from dashboard.figures.numbers import GAP, count, fewest, plural, share


def width(half_width: float) -> str:
    """`±2 %`: half of a 95 % interval, a share of the time."""
    return f"±{fewest(round(100 * half_width, 2))}{GAP}%"


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
