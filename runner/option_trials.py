"""Which options a new subject begins with: those with which its program runs, and of these the ones that change its time most."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from .environments import Unprepared
from .executions import Execution
from .option_help import OptionProposal

# Options that a new subject begins with; the others stand below, commented out.
MOST_OPTIONS = 8
# A second look at each level tells a burst of the machine from an option. So many seconds the first may take for that.
_PATIENCE_SECONDS = 120.0

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
            works.append(one if levels == [*one.levels[1:]] else one.only(levels))
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
    told = [times.told(one) for one in options]
    effects = [times.effect(one) for one in options]
    kept = sorted(range(len(options)), key=lambda at: -effects[at])[:MOST_OPTIONS]
    most = tuple(replace(options[at], tried=told[at]) for at in sorted(kept))
    enough = (
        f"it works; {MOST_OPTIONS} options are enough to begin with, and others changed the time more. {{}}"
    )
    rest = tuple(
        replace(one, doubt=enough.format(told[at]).rstrip(". "))
        for at, one in enumerate(options)
        if at not in kept
    )
    return most, rest


class _Times:
    """The shortest time of each level, in seconds; what did not end well has none."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._shortest: dict[tuple[str, object], float] = {}
        self.spent = 0.0

    def look(self, options: Sequence[OptionProposal], said: Callable[[str], None]) -> None:
        """Time each level of all options once, and the reference before each option: the machine's speed changes."""
        for one in options:
            said(f"timing {one.name}")
            self._time("", None)
            for level in one.levels[1:]:
                self._time(one.name, level)

    def _time(self, name: str, level: object) -> None:
        ended = self._run({name: level} if name else {})
        if isinstance(ended, Execution):
            self.spent += ended.outcome.wall_seconds or 0.0
            if ended.status == "ok":
                key = name, level
                self._shortest[key] = min(self._shortest.get(key, math.inf), seconds_of(ended))

    def _farthest(self, one: OptionProposal) -> tuple[float, object]:
        """How far a level's time lies from the reference's at most, as a logarithm, and which level that is."""
        reference = self._shortest.get(("", None), 0.0)
        found = (
            (abs(math.log(seconds / reference)), level)
            for level in one.levels[1:]
            if reference > 0 and (seconds := self._shortest.get((one.name, level), 0.0)) > 0
        )
        return max(found, key=lambda pair: pair[0], default=(0.0, None))

    def effect(self, one: OptionProposal) -> float:
        """How far the time of one of its levels lies from the reference's, as a logarithm."""
        return self._farthest(one)[0]

    def told(self, one: OptionProposal) -> str:
        """What the try showed, as a sentence; "" where it showed nothing."""
        _, level = self._farthest(one)
        if level is None:
            return ""
        took = f"{self._shortest[one.name, level]:.3g} s {'with it' if level is True else f'with {level}'}"
        return f"In a short try a run took {took}, {self._shortest['', None]:.3g} s without."


def _why(run: Execution | Unprepared) -> str:
    lines = [line.strip() for line in run.message.splitlines() if line.strip()]
    if isinstance(run, Execution) and run.outcome.output.strip():
        lines += run.outcome.output.strip().splitlines()[-1:]
    return "; ".join(lines)[:160].replace('"', "'")
