"""What counts say of a change, in words: by how much they moved, in which functions, and where the time says otherwise."""

from analytics.whitebox.other_processes import OtherProcesses
from analytics.whitebox.result import WhiteBoxResult
from analytics.whitebox.uncounted_time import LITTLE, UncountedTime, uncounted_time
from analytics.work import CountMove
from dashboard.figures.numbers import listing, percent, share

# So many functions are named in a sentence.
_NAMED = 3
# Counts that differ by less than this share of what the time differs by do not explain it.
_EXPLAINS = 0.2
_ELSEWHERE = "memory, cache, I/O or the machine"
# Smaller shares are written with more digits.
_SMALL = 0.0005


def disagreement(time: float, counts: float, quantity: str) -> str:
    """What it means where the time changed by one share and counts by another; "" where they agree."""
    if abs(counts) < _EXPLAINS * abs(time):
        return f"The time changed and {quantity} hardly: {_ELSEWHERE}."
    if (time > 0) != (counts > 0):
        slower = "more slowly" if time > 0 else "more quickly"
        return f"By {quantity} it is the opposite: what is executed now runs {slower} (branches, cache, vectors)."
    return ""


def move_text(move: CountMove, quantity: str) -> str:
    """`work +4.9 % (render +4.8 %, parse +0.1 % and 2 more)`; `work equal in every function`."""
    if not move.regions:
        return f"{quantity} equal in every function"
    named = ", ".join(f"{region} {_size(share)}" for region, share in move.regions[:_NAMED])
    more = f" and {len(move.regions) - _NAMED} more" if len(move.regions) > _NAMED else ""
    return f"{quantity} {_size(move.relative)} ({named}{more})"


def beside_time(time: float, move: CountMove, quantity: str) -> str:
    """What counts say of a change of the time: `work +4.9 % (f +4.8 %)`, or `work equal in every function: memory, cache, ...`.

    What moved between functions explains a change, too, though the sum stayed.
    """
    said = move_text(move, quantity)
    if move.share < _EXPLAINS * abs(time):
        return f"{said}: memory, cache, code layout, libraries or the machine"
    if abs(move.relative) < _EXPLAINS * abs(time) or (time > 0) == (move.relative > 0):
        return said
    return f"{said}, the opposite: what is executed now runs more {'slowly' if time > 0 else 'quickly'}"


def _size(share: float) -> str:
    return percent(100 * share, 1 if abs(share) >= _SMALL else 3, signed=True)


def elsewhere_text(found: OtherProcesses) -> str:
    """`up to 62 % of a run's processor time, where parallel is on; what runs there is not counted`."""
    where = listing([f"{name} is {label}" for name, label in found.levels])
    told = f"up to {share(found.share)} of a run's processor time" + (f", where {where}" if where else "")
    return f"{told}; what runs there is not counted"


UNMEASURED = "which share of the time lies in libraries was not measured"
# What follows from time that is not counted, wherever it is told.
LOOK_AT_TIME = (
    "an option that works there shows in no count, or too little: look at its influence on the time"
)


def uncounted_sentence(result: WhiteBoxResult, workload: str) -> str:
    """`On workload small up to 26 % of the processor time is not counted.`; "" where nothing was counted."""
    if not any(run.succeeded for run in result.counted):
        return ""
    found = uncounted_time(result.counted)
    if found is None:
        return f"{UNMEASURED.capitalize()}."
    size = f"up to {share(found.most)}" if found.most >= LITTLE else f"less than {share(LITTLE)}"
    return f"On workload {workload} {size} of the processor time is not counted."


def uncounted_text(found: UncountedTime) -> str:
    """`2 % to 93 % of the processor time, most where level is 6; most of it in libz.so.1 (88 %)`, of runs; `less than 5 % of it`."""
    if found.most < LITTLE:
        return f"less than {share(LITTLE)} of the processor time"
    low, high = share(found.least), share(found.most)
    told = f"{low if low == high else f'{low} to {high}'} of the processor time"
    if found.level:
        told += f", most where {' is '.join(found.level)}"
    named = [f"{name} ({share(part)})" for name, part in found.places[:_NAMED] if part >= _SMALL]
    return f"{told}; on average {listing(named)}" if named else told
