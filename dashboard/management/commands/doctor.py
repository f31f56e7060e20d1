"""`manage.py doctor`: what is wrong with this machine before anything is measured on it, and what to do about it."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from statistics import median
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from dashboard.figures.machine_words import told_faults, untold
from dashboard.figures.numbers import percent, plural
from dashboard.management.measuring_command import duration
from dashboard.services.measuring.doctor import Diagnosis, diagnose
from dashboard.services.subjects import runner_state
from runner.instructions import counting_in_words
from runner.machine_state import OTHERS, STOLEN

# Comparisons of identical runs that differ: more than 1 % and chance make of stretches that overlap.
_ALARMS = 0.1
# A load of so much for each core is that of somebody else's programs.
_LOAD = 0.5


class Command(BaseCommand):
    """Judge this machine."""

    help = (
        "Tells what is wrong with this machine for measuring, what that costs in certainty, and how small a change a"
        " comparison of two revisions can show on it."
    )
    # As of `SystemCommand`.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """How long, and in which form."""
        parser.add_argument(
            "--seconds",
            type=float,
            default=10.0,
            help="make reference runs for so long (10); 20 runs are made in any case",
        )
        parser.add_argument(
            "--budget",
            type=duration,
            default="10min",
            help="tell which difference is seen within that time (10min)",
        )
        parser.add_argument(
            "--run",
            type=duration,
            default="1s",
            help="how long a run of your program takes (1s), for --budget",
        )
        parser.add_argument("--json", action="store_true", help="everything as one JSON object")

    def handle(self, *_: Any, **options: Any) -> None:
        """Make the reference runs and tell what they say."""
        waits = "a measurement is under way on this machine: waiting until it has ended"
        found = diagnose(seconds=options["seconds"], waits=lambda: self.stderr.write(waits, str))
        asked = {"run_seconds": options["run"], "budget_seconds": options["budget"]}
        counting = counting_in_words(runner_state())
        if options["json"]:
            self.stdout.write(json.dumps({**json.loads(as_json(found, **asked)), "counting": counting}))
        else:
            self.stdout.write("\n".join([*as_lines(found, **asked), "", counting]))


def measured_faults(found: Diagnosis) -> Iterator[tuple[str, str, str]]:
    """What the times of the reference runs tell: each fault, what it costs, and the remedy."""
    phases, longest = found.phases, found.powers[-1]
    cost = (
        f"with {longest.runs} runs of each, differences from {_share(longest.smallest)} on are seen; on a machine without what was "
        f"found, from {_share(longest.steady)} on"
    )
    if phases.speeds_apart is not None:
        yield (
            (
                f"the machine has two speeds, {_share(phases.speeds_apart)} apart: "
                f"{plural(phases.speed_changes, 'change')} in {found.wall_seconds:.0f} s"
            ),
            cost,
            "fix the frequency if the system lets you; else measure revisions in one job, with more runs",
        )
    if phases.bursts:
        yield (
            f"something slowed the machine for moments: {plural(phases.bursts, 'burst')} in {found.wall_seconds:.0f} s",
            cost,
            "look for what else runs; disturbed runs of `measure` are marked and made again, within bounds",
        )
    if phases.drift:
        yield (
            f"the speed drifts: the slowest part of the reference runs took {_share(phases.drift)} longer than the quickest",
            cost,
            "wait until the machine is warm; measure revisions that you want to compare in one job: it mixes their runs",
        )
    if (alarms := max(one.alarms for one in found.powers)) >= _ALARMS:
        yield (
            f"up to {_share(alarms)} of comparisons of identical runs differ, also in turns; 1 % should",
            "a difference that is found here may be none, more often than is said",
            "quieten the machine first; measure what matters again, at another time",
        )
    if (apart := max(one.alarms_apart for one in found.powers)) >= _ALARMS:
        yield (
            f"the speed wanders: successive runs are alike, with an autocorrelation of {found.autocorrelation:.2f}",
            f"measured one after the other, up to {_share(apart)} of comparisons differ where nothing changed",
            "measure revisions that you want to compare in one job: it mixes their runs",
        )


def meanwhile_faults(found: Diagnosis) -> Iterator[tuple[str, str, str]]:
    """What others took of the machine during the reference runs: each fault, what it costs, and the remedy."""
    if found.throttled > 0:
        yield (
            f"a core was held back {plural(found.throttled, 'time')}, by heat or by a quota of processor time",
            "runs get slower the longer a measurement goes on",
            "cool the machine, or raise the quota of the container",
        )
    if found.stolen_share >= STOLEN:
        yield (
            f"the host took {_share(found.stolen_share)} of the measuring core for other machines",
            "times hold what the neighbours do",
            "rent a dedicated machine, or measure when the host is quiet",
        )
    if found.other_share >= OTHERS or found.before.load >= _LOAD * found.before.cores:
        yield (
            (
                f"other programs run: the load was {found.before.load:.1f}, and they took {_share(found.other_share)} of "
                "the measuring core"
            ),
            "caches and memory are shared with them, so CPU time moves, too",
            "end them, or measure when they rest",
        )


def faults(found: Diagnosis) -> tuple[tuple[str, str, str], ...]:
    """All that is wrong: each fault, what it costs, and the remedy."""
    open_to_all = (
        f"subjects run without a sandbox: {found.no_sandbox}",
        "no certainty; but a subject sees what its account may see, has the network, and leaves files in common folders",
        "see the page on measuring, Apart from everything else",
    )
    told = (*measured_faults(found), *meanwhile_faults(found), *told_faults(found.after))
    return (*told, open_to_all) if found.no_sandbox else told


def as_lines(found: Diagnosis, *, run_seconds: float, budget_seconds: float) -> list[str]:
    """The diagnosis as text, with what comparing runs of so many seconds within a budget shows."""
    lines = [
        (
            f"{plural(len(found.seconds), 'reference run')} in {found.wall_seconds:.0f} s: "
            f"{1000 * median(found.seconds):.1f} ms of CPU time, the middle half of them at most {_share(found.spread)} off, the "
            f"slowest twentieth from + {_share(found.tail)}; autocorrelation {found.autocorrelation:.2f}, "
            f"{'one speed' if found.phases.slow is None else 'two speeds'}"
        )
    ]
    for fault, cost, remedy in faults(found):
        lines += [f"- {fault}", f"    costs:  {cost}", f"    remedy: {remedy}"]
    if hidden := untold(found.after):
        lines.append(f"The system does not tell: {', '.join(hidden)}.")
    lines += [
        "",
        "Two revisions of a program like the reference run, compared in turns (A B B A), 80 % power, 1 % false alarms:",
        "  runs of each   CPU time   smallest difference   on a steady machine   identical runs differ   (one after the other)",
    ]
    for one in found.powers:
        lines.append(
            f"  {one.runs:>12}   {one.seconds:>6.1f} s   {_share(one.smallest):>19}"
            f"   {_share(one.smallest if found.phases.is_steady else one.steady):>19}   {_share(one.alarms):>21}"
            f"   {_share(one.alarms_apart):>21}"
        )
    runs, smallest, steady = found.within(run_seconds=run_seconds, budget_seconds=budget_seconds)
    said = (
        f"In {budget_seconds:.0f} s, with runs of {run_seconds:g} s: {plural(runs, 'run')} of each revision; "
    )
    if smallest is None:
        return [*lines, "", f"{said}no difference can be promised. Give more time, or measure a shorter run."]
    better = "" if found.phases.is_steady else f", on a steady machine from about {_share(steady)} on"
    return [*lines, "", f"{said}differences from about {_share(smallest)} on are seen{better}."]


def as_json(found: Diagnosis, **asked: float) -> str:
    """The diagnosis as one JSON object, with what fits into the time that is `asked` for; shares are of one, not in percent."""
    names = ("fault", "costs", "remedy")
    told = [dict(zip(names, one, strict=True)) for one in faults(found)]
    phases = found.phases
    seen = {
        "speeds_apart": phases.speeds_apart,
        "speed_changes": phases.speed_changes,
        "bursts": phases.bursts,
        "drift": phases.drift,
    }
    runs, smallest, steady = found.within(**asked)
    within = {**asked, "runs": runs, "smallest": smallest, "steady": steady}
    rest = {name: value for name, value in asdict(found).items() if name != "phases"}
    return json.dumps({**rest, **seen, "within": within, "throttled": found.throttled, "faults": told})


def _share(part: float | None) -> str:
    return "–" if part is None else percent(100 * part)
