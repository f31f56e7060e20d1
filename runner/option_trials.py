"""Which options a new subject begins with: those with which its program runs, and of these the ones that change its time most."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from .environments import Unprepared
from .executions import Execution
from .option_help import OptionProposal
from .subjects import Level

# Options that a new subject begins with; the others stand below, commented out.
MOST_OPTIONS = 8
# A second look at each level tells a burst of the machine from an option. So many seconds the first may take for that.
_PATIENCE_SECONDS = 120.0

_LESS = f"it works; {MOST_OPTIONS} options are enough to begin with, and others changed the time more"
_TOO_LONG = "it worked with a short input, and failed with one of the length that is measured"

# One run at these levels, all other options at their reference.
Run = Callable[[dict[str, object]], Execution | Unprepared]
Options = tuple[OptionProposal, ...]


def seconds_of(run: Execution) -> float:
    """The wall time of a run: of the call, or else of the whole program."""
    return run.result.plain.wall_seconds if run.result.plain else run.outcome.wall_seconds or 0.0


def that_run(
    proposed: Sequence[OptionProposal], run: Run, said: Callable[[str], None]
) -> tuple[Options, Options]:
    """The options with the levels at which a run succeeds, and those that have none, with the reason."""
    works, fails = [], []
    for one in proposed:
        said(f"trying {one.name}")
        levels, failed = [], ""
        for level in one.levels[1:]:
            ended = run({one.name: level})
            if isinstance(ended, Execution) and ended.status == "ok":
                levels.append(level)
            elif not failed:
                where = "" if level is True else f"{one.name} at {level} "
                failed = f"{where}failed when tried: {_why(ended)}"
        if levels:
            works.append(one.only(levels))
        else:
            fails.append(replace(one, doubt=failed))
    return tuple(works), tuple(fails)


def that_matter(
    options: Sequence[OptionProposal], run: Run, said: Callable[[str], None]
) -> tuple[Options, Options]:
    """The `MOST_OPTIONS` that change a run's time most, in their order, and the others, with the reason; all say what a try showed."""
    times = _Times(run)
    times.look(options, said)
    if times.spent <= _PATIENCE_SECONDS:
        times.look(options, said)
    timed = [one.only(levels) for one in options if (levels := times.levels(one))]
    failed = [replace(one, doubt=_TOO_LONG) for one in options if not times.levels(one)]
    kept = {one.name for one in sorted(timed, key=lambda one: -times.effect(one))[:MOST_OPTIONS]}
    most = [replace(one, tried=times.told(one)) for one in timed if one.name in kept]
    less = [
        replace(one, doubt=f"{_LESS}. {times.told(one)}".rstrip(".")) for one in timed if one.name not in kept
    ]
    return tuple(most), (*less, *failed)


class _Times:
    """The shortest time of each level, in seconds; what did not end well has none.

    It is held against the reference runs that were made beside it, which are as many: the shortest of more would be shorter.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        # By the option that is moved, or that a reference run was made beside.
        self._shortest: dict[tuple[str, object], float] = {}
        self._reference: dict[str, list[float]] = {}
        self.spent = 0.0

    def look(self, options: Sequence[OptionProposal], said: Callable[[str], None]) -> None:
        """Time each level of all options once, and the reference before each option: the machine's speed changes."""
        for one in options:
            said(f"timing {one.name}")
            self._reference.setdefault(one.name, []).extend(self._time({}))
            for level in one.levels[1:]:
                for seconds in self._time({one.name: level}):
                    key = one.name, level
                    self._shortest[key] = min(self._shortest.get(key, math.inf), seconds)

    def _time(self, levels: dict[str, object]) -> list[float]:
        """The time of a run at these levels; none where it did not end well."""
        ended = self._run(levels)
        if not isinstance(ended, Execution):
            return []
        self.spent += ended.outcome.wall_seconds or 0.0
        return [seconds_of(ended)] if ended.status == "ok" else []

    def levels(self, one: OptionProposal) -> list[Level]:
        """The levels, but the reference, at which a run ended well."""
        return [level for level in one.levels[1:] if (one.name, level) in self._shortest]

    def _farthest(self, one: OptionProposal) -> Level:
        """The level whose time lies farthest from the reference's."""
        return max(self.levels(one), key=lambda level: self._distance(one, level))

    def _distance(self, one: OptionProposal, level: Level) -> float:
        reference = min(self._reference[one.name], default=0.0)
        seconds = self._shortest[one.name, level]
        return abs(math.log(seconds / reference)) if reference > 0 and seconds > 0 else 0.0

    def _is_noise(self, seconds: float) -> bool:
        """Whether some run of the reference took less than this, and another one more."""
        every = [one for own in self._reference.values() for one in own]
        return bool(every) and min(every) < seconds < max(every)

    def effect(self, one: OptionProposal) -> float:
        """How far the time of one of its levels lies from the reference's, as a logarithm; 0 where runs of the reference differ as much."""
        level = self._farthest(one)
        return 0.0 if self._is_noise(self._shortest[one.name, level]) else self._distance(one, level)

    def told(self, one: OptionProposal) -> str:
        """What the try showed of the level that changed the time most, as a sentence."""
        level = self._farthest(one)
        seconds, reference = self._shortest[one.name, level], min(self._reference[one.name], default=None)
        took = f"{seconds:.3g} s {'with it' if level is True else f'with {level}'}"
        beside = "" if reference is None else f", {reference:.3g} s without"
        noise = "; runs without it differ as much" if self._is_noise(seconds) else ""
        return f"In a short try a run took {took}{beside}{noise}."


def _why(run: Execution | Unprepared) -> str:
    lines = [line.strip() for line in run.message.splitlines() if line.strip()]
    if isinstance(run, Execution) and run.outcome.output.strip():
        lines += run.outcome.output.strip().splitlines()[-1:]
    return "; ".join(lines)[:160].replace('"', "'")
