"""Numbers as people read them: digits by certainty, seconds in the unit that fits, typographic signs."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analytics.influence.terms import Estimate
from analytics.units import SECONDS

MINUS = "\N{MINUS SIGN}"
# Keeps a number, its ± and its unit on one line.
GAP = "\N{NO-BREAK SPACE}"
_THIN = "\N{NARROW NO-BREAK SPACE}"
PLUS_MINUS = f"{GAP}±{GAP}"
_SECONDS = (("s", 1.0), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9))
# Units of time as they are stored, in seconds.
TIME_UNITS = {unit: SECONDS[unit] for unit in ("s", "seconds", "ms", "us", "µs", "ns")}
# Beyond so many nobody reads the digits of a count, and a number with a point does not hold them any more.
_COUNTED = 10**15
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Of a value whose interval ends at more than this times as much two digits are told, else three.
_WIDE = 1.1


@dataclass(frozen=True, slots=True)
class DisplayScale:
    """A unit to show: stored value times `factor` is in `unit`."""

    unit: str
    factor: float = 1.0

    @property
    def bare(self) -> "DisplayScale":
        """The same without its unit: a column's head or an axis has it."""
        return DisplayScale("", self.factor)


# Of shares of one.
PERCENT = DisplayScale("%", 100.0)


def scales_of(unit: str) -> tuple[DisplayScale, ...]:
    """The units that values in `unit` may be shown in, the largest first."""
    if unit not in TIME_UNITS:
        return (DisplayScale(unit),)
    return tuple(DisplayScale(name, TIME_UNITS[unit] * factor) for name, factor in _SECONDS)


def scale_for(values: Iterable[float], unit: str = "s") -> DisplayScale:
    """The unit that fits the largest of `values`, which are in `unit`: times become s, ms or µs, others stay."""
    scales = scales_of(unit)
    largest = max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if largest == 0.0:
        return scales[0]
    # 0.9995 s would read as 1000 ms: the step is taken where rounding to three digits takes it.
    return next((scale for scale in scales if largest * scale.factor >= 0.9995), scales[-1])


def long_scale(seconds: Iterable[float]) -> DisplayScale:
    """The unit that fits the largest of `seconds`: s below two minutes, min below two hours, h; ms below a second."""
    largest = max((value for value in seconds if math.isfinite(value)), default=0.0)
    if largest < 120:
        return scale_for([largest], "s")
    return DisplayScale("min", 1 / 60) if largest < 7200 else DisplayScale("h", 1 / 3600)


def long_time(seconds: float | None) -> str:
    """A time as `long_scale` writes it: `2.64 ms`, `4.5 s`, `26.7 min`; a dash where none is known."""
    if seconds is None:
        return "–"
    scale = long_scale([seconds])
    return number(seconds, scale=scale)


def rough_time(seconds: float) -> str:
    """A time as roughly as it is foretold: `20 s`, `3 min`, `2 h`."""
    if seconds < 60:
        return f"{max(1, round(seconds))}{GAP}s"
    return f"{round(seconds / 60)}{GAP}min" if seconds < 5400 else f"{round(seconds / 3600)}{GAP}h"


def number(
    value: float | None,
    margin: float | None = None,
    unit: str = "s",
    *,
    scale: DisplayScale | None = None,
    signed: bool = False,
) -> str:
    """`40.2 ± 0.6 ms`: a value in `unit`, and behind ± half of its 95 % interval, `margin`, which tells the digits.

    Without one three digits are shown. `scale` fixes the shown unit (tables, axes); `signed` writes a plus.
    """
    if value is None or not math.isfinite(value):
        return "–"
    shown = scale or scale_for([value, margin or 0.0], unit)
    scaled = value * shown.factor
    if margin is not None and math.isfinite(margin) and margin > 0.0:
        # As many digits after the point as leave the margin one digit, two where it begins with 1.
        margin *= shown.factor
        exponent = math.floor(math.log10(margin))
        leading = margin / 10**exponent
        places = max(min(-exponent + (1 if leading < 1.95 else 0), 6), -6)
        text = f"{fixed(scaled, places, signed=signed)}{PLUS_MINUS}{fixed(margin, places)}"
    else:
        text = fixed(scaled, _places(scaled, 3), signed=signed)
    return f"{text}{GAP}{shown.unit}" if shown.unit else text


def without_margin(
    value: float | None, margin: float | None, scale: DisplayScale, *, signed: bool = False
) -> str:
    """`40.2`: a value in the unit of `scale`, which stands elsewhere, with the digits that its margin leaves."""
    return number(value, margin, scale=scale.bare, signed=signed).partition(PLUS_MINUS)[0]


def _places(value: float, digits: int) -> int:
    """How many digits after the point make so many in all, at most six."""
    return max(min(digits - 1 - math.floor(math.log10(abs(value) * 1.0005)), 6), 0) if value else 0


def estimate_text(estimate: Estimate, unit: str = "s", *, scale: DisplayScale | None = None) -> str:
    """`40.2 ± 0.6 ms`; of an interval that reaches further to one side both of its ends: `4.1 s (1.4 to 12 s)`."""
    if estimate.ends is None:
        return number(estimate.value, estimate.margin, unit, scale=scale)
    shown = scale or scale_for([estimate.value or estimate.ends[1]], unit)
    ending = f"{GAP}{shown.unit}" if shown.unit else ""
    low, value, high = _within(estimate.value, estimate.ends, shown)
    return f"{value}{ending} ({low} to {high}{ending})"


def interval_ends(estimate: Estimate, scale: DisplayScale) -> tuple[str, str] | None:
    """Both ends of an interval without their unit, with the digits that the value is written with; None where there is none."""
    if estimate.low is None or estimate.high is None:
        return None
    if estimate.ends is not None:
        low, _, high = _within(estimate.value, estimate.ends, scale)
        return low, high
    margin, ends = estimate.margin or 0.0, (estimate.low, estimate.high)
    # An end that is written as zero would say that the interval holds it.
    for finer in (margin, margin / 10, margin / 100):
        texts = [without_margin(end, finer, scale) for end in ends]
        if all(end == 0.0 or text.strip("0.") for end, text in zip(ends, texts, strict=True)):
            break
    return texts[0], texts[1]


def _within(value: float, ends: tuple[float, float], scale: DisplayScale) -> list[str]:
    """The lower end, the value and the upper end, with no more digits than so wide an interval leaves."""
    digits = 2 if ends[1] > value * _WIDE else 3
    scaled = [float(f"{one * scale.factor:.{digits - 1}e}") for one in (ends[0], value, ends[1])]
    return [fixed(one, _places(one, digits)) for one in scaled]


def fixed(value: float, places: int, *, signed: bool = False) -> str:
    """A number with `places` digits after the point (negative: rounded to tens), groups of three and a true minus."""
    rounded = round(value, places) + 0.0
    text = f"{abs(rounded):,.{max(places, 0)}f}".replace(",", _THIN)
    if rounded < 0:
        return MINUS + text
    return "+" + text if signed and rounded > 0 else text


def cell_text(cell: str | float | None) -> str:
    """What a plain table shows of a stored cell: six digits of a number that is no count, a dash where there is none."""
    if isinstance(cell, float):
        return f"{cell:.6g}".replace("-", MINUS)
    return "–" if cell is None else str(cell)


def table_texts(
    columns: Sequence[str], rows: Sequence[Sequence[str | float | None]]
) -> tuple[list[str], list[list[str]]]:
    """Heads and cells of a plain table: a column of seconds in the unit that fits its largest, by as many digits as lines have.

    The file beside it has the numbers as they are.
    """
    heads, texts = list(columns), [list(map(cell_text, row)) for row in rows]
    for at, head in enumerate(heads):
        times = [(place, cell) for place, row in enumerate(rows) if isinstance(cell := row[at], float)]
        largest = max((abs(value) for _, value in times), default=0.0)
        if not head.endswith(" (s)") or not 0.0 < largest < math.inf:
            continue
        scale = scale_for([largest])
        heads[at] = f"{head.removesuffix(' (s)')} ({scale.unit})"
        for place, value in times:
            texts[place][at] = fixed(value * scale.factor, _places(largest * scale.factor, 4))
    return heads, texts


def signed(value: float) -> str:
    """A difference of counts: `+23 400`, with three digits where it is small."""
    return fixed(value, 0, signed=True) if abs(value) >= 100 else number(value, unit="", signed=True)


def fewest(value: float) -> str:
    """A round number with no more digits than it needs: `0.05`, `200 000`."""
    whole = f"{value:.6f}".rstrip("0").rstrip(".")
    return fixed(value, len(whole.partition(".")[2]))


def share(part: float | None) -> str:
    """A share of one in percent: `91 %`; what is neither nothing nor all is never shown as such."""
    if part is None or not math.isfinite(part):
        return "–"
    if 0.0 < part < 0.01:
        return f"<{GAP}1{GAP}%"
    if 0.99 < part < 1.0:
        return f">{GAP}99{GAP}%"
    return f"{fixed(100 * part, 0)}{GAP}%"


def percent(value: float | None, places: int = 1, *, signed: bool = False) -> str:
    """A number that is in percent already: `2.9 %`."""
    known = value is not None and math.isfinite(value)
    return f"{fixed(value, places, signed=signed)}{GAP}%" if value is not None and known else "–"


def count(value: int) -> str:
    """A count with groups of three, `22 000`; one of very many digits by its power of ten."""
    return fixed(value, 0) if value < _COUNTED else f"about {power_of_ten(value)}"


def power_of_ten(value: int) -> str:
    """The largest power of ten that is not above a whole number of at least 1, of however many digits: `10⁶⁰²`."""
    # Python writes no number of more than 4,300 digits.
    return "10" + str(math.floor(math.log10(value))).translate(_RAISED)


def plural(number: int, one: str, many: str = "") -> str:
    """`1 configuration`, `26 configurations`."""
    return f"{count(number)}{GAP}{one if number == 1 else many or one + 's'}"


def listing(names: Sequence[str], most: int = 3) -> str:
    """`a, b and c`; beyond `most` names the rest is counted."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else list(names))
