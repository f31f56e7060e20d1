"""What a measured program left behind, checked before anyone believes it: its result, and where it ended."""

import os
import re
import stat
from collections.abc import Collection
from pathlib import Path, PurePath
from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from analytics.call_paths import CallPaths
from analytics.influence.times import PROGRAM_REGION
from analytics.whitebox.evidence import CountKind
from probe.functions import LONGEST_SOURCE, SourceRegion
from probe.uncounted import MOST_PLACES

from .sources import PROBE_NAME

LARGEST_RESULT_BYTES = 64 * 1024 * 1024
_LARGEST_STACKS_BYTES = 256 * 1024
LONGEST_KEY = 400
# A stack of `faulthandler`: a head for each thread, and its frames, the innermost first.
_HEAD = re.compile(r"^(.*) \(most recent call first\):$", re.MULTILINE)
_FRAME = re.compile(r'^  File "([^"]+)", line (\d+) in ', re.MULTILINE)
_RAISED = re.compile(r'File "([^"]+)", line (\d+)')
# Lines of the standard library and of the probe are not the program's.
_OTHERS = re.compile(rf"^<|/python3\.\d+/(?!site-packages/)|/{PROBE_NAME}/")
# A NUL, as JSON writes it: no database keeps one in a text.
_NUL = re.compile(rb"(?<!\\)((?:\\\\)*+)\\u0000")
# Thirty years: sums of what is less stay numbers.
_MOST_SECONDS = 1e9
_MOST_REGIONS, _MOST_COUNTS, _MOST_COUNTS_OF_A_REGION = 100_000, 1_000_000, 100_000
# What the columns of a database hold.
_MOST, _LAST_LINE = 2**63 - 1, 2**31 - 1
_LONGEST = {
    "key": LONGEST_KEY, "module": 200, "qualified_name": 2000, "file": 400, "body_hash": 64, "source": LONGEST_SOURCE,
}  # fmt: skip


def _storable(function: SourceRegion) -> SourceRegion:
    for name, longest in _LONGEST.items():
        if len(getattr(function, name)) > longest:
            raise ValueError(f"{name} has more than {longest} characters")
    if not all(0 <= line <= _LAST_LINE for line in (function.first_line, function.last_line)):
        raise ValueError("lines that cannot be")
    return function


Seconds = Annotated[float, Field(ge=0, le=_MOST_SECONDS, allow_inf_nan=False)]
RegionKey = Annotated[str, Field(min_length=1, max_length=LONGEST_KEY)]
_Line = Annotated[int, Field(ge=0, le=_LAST_LINE)]
_Number = Annotated[int, Field(ge=0, le=_MOST)]
_Kind = Annotated[str, Field(pattern=f"^({'|'.join(get_args(CountKind))})$")]
_Place = Annotated[str, Field(max_length=200)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Functions = dict[RegionKey, Annotated[SourceRegion, AfterValidator(_storable)]]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Count = tuple[_Line, _Line, _Kind, _Number]
_Counts = Annotated[tuple[Count, ...], Field(max_length=_MOST_COUNTS_OF_A_REGION)]


class ClockResult(_Part):
    """Wall and CPU time in seconds; of a callable `children_seconds` is the part of the latter in processes that it started."""

    wall_seconds: Seconds
    cpu_seconds: Seconds
    children_seconds: Seconds = 0.0


class RegionTime(_Part):
    """Self time of a region, in CPU seconds, and of each of its lines that was seen, by line number."""

    seconds: Seconds
    lines: Annotated[dict[_Line, Seconds], Field(strict=False)]


class Profile(_Part):
    """One profiled call. Regions and `program_seconds` sum to `cpu_seconds`, which leaves the sampler out.

    `paths` are the regions' self times by call path.
    """

    wall_seconds: Seconds
    cpu_seconds: Seconds
    sampling_seconds: Seconds
    ticks: _Number
    program_seconds: Seconds
    regions: Annotated[dict[RegionKey, RegionTime], Field(max_length=_MOST_REGIONS)]
    functions: _Functions
    paths: CallPaths | None = None

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        if PROGRAM_REGION in self.regions:
            raise ValueError(f"{PROGRAM_REGION!r} stands for what no region holds")
        by_path = (*(spent for *_, spent in self.paths.nodes), self.paths.cut_seconds) if self.paths else ()
        if sum(by_path) > _MOST_SECONDS:
            raise ValueError("call paths of more seconds than can be")
        return self


class Counts(_Part):
    """How often what happened in one call: for each region (line, column, kind, count) of what was counted.

    Of a command, `tool` is what counted: perf and callgrind its instructions, of which `total` are all; the processor's
    tell no regions. gcov counted calls and branches of its functions, which stand where `functions` says.
    """

    version: Literal[1]
    regions: Annotated[dict[RegionKey, _Counts], Field(max_length=_MOST_REGIONS)]
    tool: Literal["", "perf", "callgrind", "gcov"] = ""
    total: _Number | None = None
    functions: _Functions = {}

    @model_validator(mode="after")
    def _can_be(self) -> Self:
        if sum(map(len, self.regions.values())) > _MOST_COUNTS or sum(self.by_region.values()) > _MOST:
            raise ValueError("more was counted than can be")
        return self

    @property
    def by_region(self) -> dict[str, int]:
        """How often anything in each region was counted."""
        return {region: sum(row[-1] for row in rows) for region, rows in self.regions.items()}

    @property
    def by_site(self) -> dict[tuple[str, int, int, str], int]:
        """The counts by region, line, column and kind."""
        rows = ((region, *row) for region, counts in self.regions.items() for row in counts)
        return {(region, line, column, kind): count for region, line, column, kind, count in rows}


class DecisionSiteResult(_Part):
    """A place that a traced run says something about; `reads` and `writes` say what a step carries a taint between."""

    region: str
    file: str
    line: int
    column: int
    kind: str
    text: str
    writes: str
    reads: Annotated[tuple[str, ...], Field(strict=False)]
    until: int
    way: str = ""


# A site, the line that called its function, a taint that came from there, and the sites of the calls between.
_Earlier = tuple[int, str, int, tuple[int, ...]]
# A site, the line that called its function, the steps that its values came from, the decisions that led there, and the taint of
# what came from outside.
SiteFlow = tuple[int, str, tuple[_Earlier, ...], tuple[_Earlier, ...], int]


class Trace(_Part):
    """What one traced call left behind; see `probe.taint.tracing.trace`.

    `decisions` are (site, td without tc, tc), `steps` (site, taint), `flows` which steps came from which;
    bit n of a taint stands for the n-th of `options`. `unfollowed` counts taints that went where they are not
    followed. `read`: the options that were seen in a value. `cut`: steps were left out, because there were too many.
    """

    version: Literal[1]
    options: Annotated[tuple[str, ...], Field(strict=False)]
    sites: Annotated[tuple[DecisionSiteResult, ...], Field(strict=False)]
    decisions: Annotated[tuple[tuple[int, int, int], ...], Field(strict=False)]
    steps: Annotated[tuple[tuple[int, int], ...], Field(strict=False)]
    read: int
    flows: Annotated[tuple[SiteFlow, ...], Field(strict=False)] = ()
    functions: _Functions
    unfollowed: dict[str, _Number]
    cut: bool

    @model_validator(mode="after")
    def _has_its_sites_and_options(self) -> Self:
        earlier = [one for _, _, given, under, _ in self.flows for one in (*given, *under)]
        sites = {one[0] for part in (self.decisions, self.steps, self.flows, earlier) for one in part}
        sites.update(site for *_, calls in earlier for site in calls)
        ends = (self.decisions, self.steps, self.flows)
        taints = {self.read, *(one[-1] for part in ends for one in part), *(one[2] for one in earlier)}
        taints.update(one[-2] for one in self.decisions)
        if any(taint >> len(self.options) for taint in taints) or not sites <= {*range(len(self.sites))}:
            raise ValueError("there is a site, or a taint of an option, that is none")
        return self


class ProbeResult(_Part):
    """The whole result file; `reads` are the options that were read, in order, None unless that was noted.

    `uncounted` are the shares of the time that lie in code without counters, by where, of a command as so many
    `samples` tell; None unless that was found out.
    """

    version: Literal[1]
    status: Literal["ok", "failed"]
    interpreter: Annotated[dict[str, str], Field(max_length=20)]
    message: str = ""
    place: str = ""
    returned: str = ""
    plain: ClockResult | None = None
    profile: Profile | None = None
    counts: Counts | None = None
    trace: Trace | None = None
    reads: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    uncounted: Annotated[dict[_Place, _Share] | None, Field(max_length=MOST_PLACES + 1)] = None
    samples: _Number = 0


class ResultUnreadable(Exception):
    """There is no result, or it is not one of ours; the message says which."""


def read_result(path: Path, options: Collection[str]) -> ProbeResult:
    """Return the result in `path`, a file that the measured program could have put anything into.

    It speaks of no other `options`; what no database would keep is not in it.
    """
    try:
        content = read_own(path, LARGEST_RESULT_BYTES)
    except OSError as error:
        raise ResultUnreadable("left no result: it ended before the measured calls were over") from error
    if content is None:
        raise ResultUnreadable("left something else in place of its result")
    if len(content) > LARGEST_RESULT_BYTES:
        raise ResultUnreadable(f"left a result of more than {LARGEST_RESULT_BYTES} bytes")
    try:
        result = ProbeResult.model_validate_json(_NUL.sub(rb"\1\\ufffd", content))
    except ValidationError as error:
        raise ResultUnreadable(f"left a result that is not ours: {first_fault(error)}") from error
    for name in (*(result.reads or ()), *(result.trace.options if result.trace else ())):
        if name not in options:
            raise ResultUnreadable(f"left a result that is not ours: there is no option {name[:100]!r}")
    return result


def first_fault(error: ValidationError) -> str:
    """Return the first thing that is wrong with what a program left, and where in it."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part)[:100] for part in first["loc"])
    return f"{place}: {first['msg']}"


def short_location(location: str) -> str:
    """Return "file:line" without the folders of the file."""
    file, colon, line = location.rpartition(":")
    return f"{PurePath(file).name}{colon}{line}"[:200]


def location_in_output(output: str) -> str:
    """Return the last location, "file:line", that a program printed, as tracebacks do; "" where it printed none."""
    found = _RAISED.findall(output)
    return short_location(":".join(found[-1])) if found else ""


def location_in_stacks(file: Path) -> str:
    """Return where the program was, "file:line", when it wrote its stacks into `file`; "" where it wrote none.

    The thread that was running counts, and the last stack; another thread where that has no line of the program. The
    file is the program's: anything may be in it.
    """
    try:
        content = read_own(file, _LARGEST_STACKS_BYTES, end=True)
    except OSError:
        return ""
    _, *parts = _HEAD.split((content or b"").decode("utf-8", "replace"))
    stacks = list(zip(parts[::2], parts[1::2], strict=True))[::-1]
    running = [frames for head, frames in stacks if not head.startswith("Thread ")]
    for frames in (*running, *(frames for head, frames in stacks if head.startswith("Thread "))):
        for name, line in _FRAME.findall(frames):
            if not _OTHERS.search(name):
                return short_location(f"{name}:{line}")
    return ""


def read_own(path: Path, most: int, *, end: bool = False) -> bytes | None:
    """Return up to `most` + 1 bytes of a program's own file, from its start or its `end`; None for what is no file.

    No link is followed and nothing is waited for: the program's user must not lend us other files. Raises `OSError`.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        if end:
            file.seek(max(0, status.st_size - most))
        return file.read(most + 1)
