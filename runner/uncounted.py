"""Which share of a native program's time lies in code that its counters do not see: perf samples what runs, libraries too.

The plain build is sampled, for counters take time in counted code alone. What the kernel does for the program is not sampled:
few machines let programs see it.
"""

import re
import shutil
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import ClassVar, Literal

from probe.uncounted import MOST_PLACES, OTHERS

from .pip import SEARCH_PATH
from .results import ResultUnreadable, read_own
from .state import RunnerState
from .tool_runs import idle_program, read_with_tool, try_tool

# By the clock of the processor, which every machine has, in the program alone; the more often, the shorter runs may be.
_EVENT, _TIMES_A_SECOND = "cpu-clock:u", "4999"
_SAMPLES, _REPORT = "perf.data", "perf.txt"
_LARGEST_BYTES = 16 * 1024 * 1024
# "    1234 deflate_slow (/usr/lib/libz.so.1.2.13)", and "[unknown]" where a name is not known.
_LINE = re.compile(r"^\s*(\d+)\s+(?:[0-9a-f]+\s+)?(.+) \((.+)\)$")
_SCRIPT = (
    f'"$0" script --force -i {_SAMPLES} -F ip,sym,dso | sed "s/^ *[0-9a-f]* *//" | sort | uniq -c >{_REPORT}'
)
_UNKNOWN = "[unknown]"
_ASIDE = re.compile(r"<[^<>]*>|\([^()]*\)")


@dataclass(frozen=True, slots=True)
class UncountedSampler:
    """Samples where a command spends its time. `program` is perf, `built` the folder that the program was built in.

    `functions` are the names of those that are counted, as gcov tells them.
    """

    tool: ClassVar[Literal["perf record"]] = "perf record"
    lost: ClassVar[str] = "it was not sampled"
    program: str
    state: RunnerState
    built: Path
    functions: Collection[str] = ()

    def command(self, words: Sequence[str], scratch: Path) -> tuple[str, ...]:
        """Return the command that samples while `words` run, into a file in `scratch`."""
        asked = (
            "record",
            "-q",
            "-N",
            "-B",
            "-e",
            _EVENT,
            "-F",
            _TIMES_A_SECOND,
            "-o",
            str(scratch / _SAMPLES),
            "--",
        )
        return (self.program, *asked, *words)

    def has_written(self, scratch: Path) -> bool:
        """Whether anything was sampled in `scratch`."""
        return (scratch / _SAMPLES).is_file()

    def refusal(self) -> str:
        """Return why nothing is sampled here for the subject's user; "" where it is. It takes some tenths of a second."""
        with self.state.scratch() as scratch:
            words = self.command((idle_program(),), scratch)
            outcome = try_tool(self.program, words, scratch, self.state)
            if outcome.succeeded and self.has_written(scratch):
                return ""
        told = outcome.output.strip().splitlines()
        return f"perf samples nothing here ({told[0] if told else outcome.in_words()})"

    def shares(self, scratch: Path, readable: Sequence[Path]) -> tuple[dict[str, float], int]:
        """Return the shares of the samples in `scratch` that lie in no counted function, by library, and how many there are.

        Code of no library that no counter sees is told by its function. Raises `ResultUnreadable`.
        """
        outcome = read_with_tool(self.program, _SCRIPT, scratch, self.state, readable)
        text = b""
        with suppress(OSError):
            text = read_own(scratch / _REPORT, _LARGEST_BYTES) or b""
        if not outcome.succeeded or not text or len(text) > _LARGEST_BYTES:
            raise ResultUnreadable(f"left samples that perf cannot read: {outcome.in_words()}")
        return shares_of(text.decode(errors="replace"), self.built, self.functions)


def sampler_of(state: RunnerState, built: Path, functions: Collection[str] = ()) -> UncountedSampler | str:
    """Return what samples commands on this machine; or why nothing does."""
    perf = shutil.which("perf", path=SEARCH_PATH)
    if perf is None:
        return "perf is not installed"
    return UncountedSampler(perf, state, built, functions)


def shares_of(text: str, built: Path, functions: Collection[str]) -> tuple[dict[str, float], int]:
    """Return the shares of samples outside of `functions`, largest first, from lines of count, function and object; and all samples.

    An object below `built` is the program's: there a sample without a name is counted, and one of a function that is not
    among `functions` stands under its name.
    """
    counted = {_plain(name) for name in functions}
    found: Counter[str] = Counter()
    whole = 0
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        count, name, file = int(match[1]), match[2], match[3]
        whole += count
        if not file.startswith(f"{built}/"):
            found[PurePosixPath(file).name.strip("[]")] += count
        elif name != _UNKNOWN and _plain(name) not in counted:
            found[name] += count
    ranked = found.most_common()
    told = {name[:200]: count / whole for name, count in ranked[:MOST_PLACES]}
    rest = sum(count for _, count in ranked[MOST_PLACES:])
    return {**told, OTHERS: rest / whole} if rest else told, whole


def _plain(name: str) -> str:
    """The last name of a function, without what stands around it: `ns::f<int>(int) [clone .part.0]` is `f`.

    perf and gcov write parameters and templates differently, and a compiler names its parts of a function after it.
    """
    name = name.partition(" [clone")[0].replace("operator()", "operator").replace("(anonymous namespace)", "")
    while (shorter := _ASIDE.sub("", name)) != name:
        name = shorter
    last = name.removesuffix(" const").split("::")[-1].strip()
    return last.split(" ")[-1].partition(".")[0]
