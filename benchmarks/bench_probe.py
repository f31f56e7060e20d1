"""What a profile costs and how well it agrees with the end-to-end time, on the subject Markdown.

For some configurations of the newest release, several executions each: the profiled call's wall and CPU time over
those of the plain call of the same process (the overhead), the sum of all regions over the plain call's CPU time
(the agreement), the part that belongs to no region, and how far two profiles of the same configuration lie apart
(half the sum of the differences of the regions' shares: 0 equal, 1 nothing in common). Then what one execution
costs besides the calls themselves. Downloads Markdown on the first run; times depend on the machine, ratios hardly.

    python -m benchmarks.bench_probe
"""

import itertools
import sys
import time
from collections.abc import Sequence
from statistics import median

from benchmarks.bench_taint import executions, newest
from runner.executions import Execution
from runner.results import Profile

SELECTIONS = ("default", "codehilite=on,fenced_code=on", "tables=on,smarty=on", "all on")
INTERVALS_SECONDS = (0.002, 0.001, 0.0005, 0.0002)
REPETITIONS = 7


def distance(one: Profile, other: Profile) -> float:
    """Return the total variation distance between the regions' shares of two profiles."""
    shares = [
        {key: region.seconds / profile.cpu_seconds for key, region in profile.regions.items()}
        for profile in (one, other)
    ]
    keys = set(shares[0]) | set(shares[1])
    return sum(abs(shares[0].get(key, 0.0) - shares[1].get(key, 0.0)) for key in keys) / 2


def report(words: str, interval: float, done: Sequence[Execution]) -> None:
    """Write one line about some executions of one configuration."""
    pairs = [
        (one.result.plain, one.result.profile) for one in done if one.result.plain and one.result.profile
    ]
    wall = median(profile.wall_seconds / plain.wall_seconds for plain, profile in pairs)
    cpu = median(
        (profile.cpu_seconds + profile.sampling_seconds) / plain.cpu_seconds for plain, profile in pairs
    )
    inside = median(
        (sum(region.seconds for region in profile.regions.values()) + profile.program_seconds)
        / plain.cpu_seconds
        for plain, profile in pairs
    )
    outside = median(profile.program_seconds / profile.cpu_seconds for _, profile in pairs)
    apart = median(distance(one, other) for (_, one), (_, other) in itertools.combinations(pairs, 2))
    plain = median(plain.cpu_seconds for plain, _ in pairs)
    ticks = median(profile.ticks for _, profile in pairs)
    sys.stdout.write(
        f"{words:30} {interval * 1000:4.1f} ms  plain {plain * 1000:6.1f} ms  ticks {ticks:5.0f}  overhead wall "
        f"{wall - 1:+6.1%} cpu {cpu - 1:+6.1%}  regions and program / plain {inside:6.1%}  "
        f"in no region {outside:5.1%}  two profiles apart {apart:.3f}\n"
    )


def main() -> None:
    """Report intervals on one configuration, then the usual interval on several."""
    prepared = newest("markdown")
    for interval in INTERVALS_SECONDS:
        report(
            "all on",
            interval,
            executions(prepared, "all on", repetitions=REPETITIONS, interval_seconds=interval),
        )
    for words in SELECTIONS:
        report(words, 0.001, executions(prepared, words, repetitions=REPETITIONS))
    start = time.perf_counter()
    done = executions(prepared, "default", repetitions=REPETITIONS)
    calls = sum(one.result.plain.wall_seconds * 3 for one in done if one.result.plain)
    besides = (time.perf_counter() - start - calls) / len(done)
    sys.stdout.write(f"an execution costs {besides * 1000:.0f} ms besides its three calls\n")


if __name__ == "__main__":
    main()
