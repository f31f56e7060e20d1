"""What it costs to keep call paths: one call plain, with times of regions alone, with their paths, and by a thread.

In each round a call is made in all four ways, in an order drawn anew; ratios are of its CPU time (all threads) to the plain
call of the same round: medians over rounds, with the 95 % interval of a bootstrap. "apart" is half the sum of the
differences between two distributions of self time over regions: of the ways with and without paths, of the timer with paths
and the thread, and of the odd and even rounds of the timer, which is what chance alone makes. Run it with a Python that has
Markdown, Pygments and sqlparse, in the folder of Perfatlas; it needs nothing else.

    python -m benchmarks.bench_call_paths [rounds]
"""

import gc
import random
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import FrameType

from probe import selftime
from probe.selftime import INTERVAL_SECONDS, StackSampler

ROUNDS = 30
SEED = 20261124
SUBJECTS = Path(__file__).parent.parent / "subjects"
MARKDOWN = (
    "fenced_code",
    "codehilite",
    "tables",
    "footnotes",
    "smarty",
    "admonition",
    "wikilinks",
    "nl2br",
    "def_list",
    "toc",
)
SQLPARSE = (
    "keyword_case",
    "identifier_case",
    "truncate_strings",
    "strip_comments",
    "use_space_around_operators",
    "strip_whitespace",
    "reindent",
    "reindent_aligned",
    "comma_first",
    "wrap_after",
)
Call = Callable[[], object]


class _RegionsAlone(StackSampler):
    """The timer as it was without paths: it stops at the nearest frame of the packages."""

    def tick(self, _signal: int, frame: FrameType | None) -> None:
        if self._stopped:
            return
        now = time.thread_time()
        self.ticks += 1
        if frame is not None and frame.f_lasti in self._sampled_code(frame).entries:
            frame = frame.f_back
        while frame is not None:
            code = self._sampled_code(frame)
            if code.module is not None:
                line = frame.f_lineno or code.code.co_firstlineno
                code.lines[line] = code.lines.get(line, 0.0) + now - self._last
                break
            frame = frame.f_back
        self.start()
        self.sampling_seconds += self._last - now


def programs() -> dict[str, tuple[Call, tuple[str, ...]]]:
    """The calls that are measured, and the packages whose functions are regions."""
    sys.path[:0] = [str(SUBJECTS / name) for name in ("markdown", "sqlparse", "pygments")]
    render, formatting, highlighting = map(import_module, ("render", "formatting", "highlighting"))
    on = dict.fromkeys(MARKDOWN, True)
    sql = dict.fromkeys(SQLPARSE, False) | {"reindent": True, "keyword_case": True}
    lines = {"formatter": "html", "linenos": False, "stripall": False}
    return {
        "Markdown": (lambda: render.run(on, {"seed": 1, "sections": 20}), ("markdown", "pygments")),
        "sqlparse": (lambda: formatting.run(sql, {"seed": 1, "statements": 30}), ("sqlparse",)),
        "Pygments": (lambda: highlighting.run(lines, {"seed": 1, "functions": 60}), ("pygments",)),
    }


def by_thread(call: Call, packages: tuple[str, ...]) -> Counter[str]:
    """Ticks of each function while a thread looks at the stack of this one."""
    main, done, found = threading.get_ident(), threading.Event(), Counter[str]()

    def look() -> None:
        while not done.wait(INTERVAL_SECONDS):
            frame: FrameType | None = sys._current_frames().get(main)  # noqa: SLF001 - documented
            path: list[str] = []
            while frame is not None:
                name = frame.f_globals.get("__name__", "")
                if name.partition(".")[0] in packages:
                    path.append(f"{name}:{frame.f_code.co_qualname.split('.<', 1)[0]}")
                frame = frame.f_back
            if path:
                found[path[0]] += 1

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        call()
    finally:
        done.set()
        watcher.join()
    return found


def apart(one: Counter[str], other: Counter[str]) -> float:
    """Half the sum of the differences between two distributions, from 0 to 1."""
    ones, others = sum(one.values()), sum(other.values())
    return sum(abs(one[key] / ones - other[key] / others) for key in one | other) / 2


def said(ratios: list[float]) -> str:
    """The median of what a way costs, in percent, with its interval."""
    chance = random.Random(SEED)  # noqa: S311 - no secret
    medians = sorted(statistics.median(chance.choices(ratios, k=len(ratios))) for _ in range(2000))
    low, middle, high = (100 * (one - 1) for one in (medians[50], statistics.median(ratios), medians[1949]))
    return f"{middle:+.1f} % ({low:+.1f} to {high:+.1f})"


def main(rounds: int) -> None:
    """Print a paragraph for each program."""
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for name, (call, packages) in programs().items():
        call()
        took: dict[str, list[float]] = {way: [] for way in ("plain", "regions", "paths", "thread")}
        spent: dict[str, Counter[str]] = {
            way: Counter() for way in ("regions", "paths", "odd", "even", "thread")
        }
        ticks, nodes, cut, within = 0, [], [], []
        for at in range(rounds):
            for way in chance.sample(list(took), len(took)):
                gc.collect()
                begun = time.process_time()
                if way == "plain":
                    call()
                elif way == "thread":
                    spent[way] += by_thread(call, packages)
                else:
                    selftime.StackSampler = _RegionsAlone if way == "regions" else StackSampler  # type: ignore[misc]  # the other kind, for this once
                    sampler = selftime.sampled(call, packages=packages)
                took[way].append(time.process_time() - begun)
                if way in {"regions", "paths"}:
                    # Without what is done before the call and after it.
                    took[way][-1] = sampler.cpu_seconds
                    profile = sampler.profile()
                    times = Counter({key: one["seconds"] for key, one in profile["regions"].items()})
                    spent[way] += times
                if way == "paths":
                    spent["odd" if at % 2 else "even"] += times
                    ticks += sampler.ticks
                    nodes.append(len(profile["paths"]["nodes"]))
                    cut.append(profile["paths"]["cut_seconds"])
                    within.append(sampler.sampling_seconds / sampler.cpu_seconds)
        print(
            f"{name}: {1000 * statistics.median(took['plain']):.0f} ms plain, {ticks // rounds} ticks a call"
        )
        print(f"  time in the handler: {100 * statistics.median(within):.1f} % of the call")
        print(f"  nodes: {statistics.median(nodes):.0f} (most {max(nodes)}), cut: {max(cut):.6f} s")
        compare(took, spent)


def compare(took: dict[str, list[float]], spent: dict[str, Counter[str]]) -> None:
    """Print what each way costs, and how far apart the times of regions are that two ways show."""
    for way in ("regions", "paths", "thread"):
        ratios = [one / plain for one, plain in zip(took[way], took["plain"], strict=True)]
        print(f"  {way}: {said(ratios)}")
    print(
        f"  apart: regions and paths {apart(spent['regions'], spent['paths']):.3f}, paths and thread "
        f"{apart(spent['paths'], spent['thread']):.3f}, odd and even {apart(spent['odd'], spent['even']):.3f}"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS)
