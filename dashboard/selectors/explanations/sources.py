"""What differs in the source of a region between two revisions, with the time of its lines at both."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from statistics import median
from typing import Literal, NamedTuple

from dashboard.access import NotFound
from dashboard.models import Batch, RegionMeasurement, RegionVersion, Run, System
from dashboard.selectors.batch_manifests import unseen
from dashboard.selectors.configurations import configuration_names
from dashboard.selectors.explanations.rows import ADDED, CHANGED, REMOVED
from dashboard.selectors.regions.rows import VersionRow
from dashboard.selectors.regions.sources import text_of


class LineDifference(NamedTuple):
    """One line of two versions: in both, only before, or only after; its place in each from 0 on, None where it is not there."""

    told: Literal["kept", "removed", "added"]
    before: int | None
    after: int | None


def line_differences(before: Sequence[str], after: Sequence[str]) -> Iterator[LineDifference]:
    """Yield all lines of both versions in order; of a changed stretch those that went come first.

    Lines are compared without blanks at their ends (Ratcliff and Obershelp's matching, as in `difflib`).
    """
    old, new = ([line.rstrip() for line in text] for text in (before, after))
    for tag, first, first_end, last, last_end in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if tag == "equal":
            yield from (LineDifference("kept", first + at, last + at) for at in range(first_end - first))
            continue
        yield from (LineDifference("removed", at, None) for at in range(first, first_end))
        yield from (LineDifference("added", None, at) for at in range(last, last_end))


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """A line of the source at two revisions: its text, its number in each file, and the seconds spent in it; None where there are none."""

    told: str
    text: str
    number_before: int | None
    number_after: int | None
    time_before: float | None
    time_after: float | None


@dataclass(frozen=True, slots=True)
class SourceDifference:
    """The source of a region at two revisions, line by line; times are those in one `configuration`, "" where no line was timed."""

    key: str
    before: VersionRow
    after: VersionRow
    lines: tuple[DifferenceLine, ...]
    configuration: str

    @property
    def changed(self) -> int:
        """How many lines were taken away or brought."""
        return sum(line.told != "kept" for line in self.lines)


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A region whose body differs between two revisions: "changed", "added" or "removed"; `has_source` where both texts are stored."""

    key: str
    name: str
    file: str
    body: str
    has_source: bool


def changed_sources(*, system: System, before: str, after: str) -> tuple[SourceChange, ...] | None:
    """The regions whose body differs between two revisions, changed ones first; None where none is stored of one of both.

    Regions that ran at one of them only were brought or taken away, or did not run at the other. Two queries.
    """
    hidden = unseen(RegionVersion)
    rows = RegionVersion.objects.filter(region__system=system, revision__name__in=[before, after])
    found: dict[tuple[str, str], dict[str, tuple[str, str, bool]]] = {}
    seen = set()
    for pk, key, name, revision, file, body, source in rows.order_by("region__key").values_list(
        "pk", "region__key", "region__name", "revision__name", "file", "body_digest", "source_id"
    ):
        if pk not in hidden:
            seen.add(revision)
            found.setdefault((key, name), {})[revision] = (body, file, source is not None)
    if seen != {before, after}:
        return None
    changed = []
    for (key, name), sides in found.items():
        bodies = [sides.get(revision, ("", "", False)) for revision in (before, after)]
        if bodies[0][0] != bodies[1][0]:
            body = CHANGED if len(sides) > 1 else ADDED if after in sides else REMOVED
            file = bodies[1][1] or bodies[0][1]
            changed.append(SourceChange(key, name, file, body, all(one[2] for one in bodies)))
    return tuple(sorted(changed, key=lambda one: (one.body != CHANGED, one.body, one.key)))


def source_difference(*, system: System, key: str, before: str, after: str) -> SourceDifference:
    """The source of a region at two revisions. Raises `NotFound` where one text is not stored. Six queries at most."""
    earlier, later = (text_of(system, key, revision) for revision in (before, after))
    if earlier is None or later is None:
        missing = after if later is None else before
        raise NotFound(
            f"no source of {key} is stored for revision {missing}: measure it there with profiling"
        )
    old, old_lines = earlier
    new, new_lines = later
    times, configuration = _line_times(system, key, (before, after))

    def line(one: LineDifference) -> DifferenceLine:
        first = None if one.before is None else old.first_line + one.before
        last = None if one.after is None else new.first_line + one.after
        text = new_lines[one.after] if one.after is not None else old_lines[one.before or 0]
        spent = [
            None if number is None else side.get(number)
            for number, side in zip((first, last), times, strict=True)
        ]
        return DifferenceLine(one.told, text, first, last, *spent)

    lines = tuple(line(one) for one in line_differences(old_lines, new_lines))
    return SourceDifference(key, old, new, lines, configuration)


def _line_times(
    system: System, key: str, revisions: Sequence[str]
) -> tuple[tuple[Mapping[int, float], Mapping[int, float]], str]:
    """The median seconds of each line at both revisions, and the configuration: the one in which the region took most at both."""
    rows = RegionMeasurement.objects.filter(
        region__system=system,
        region__key=key,
        lines__isnull=False,
        run__revision__name__in=revisions,
        run__batch__state=Batch.State.VISIBLE,
        run__kind=Run.Kind.PROFILED,
        run__status=Run.Status.OK,
        run__invalid_reason="",
    )
    context = ("run__configuration__identity", "run__workload_id", "run__environment_id", "metric_id")
    seen: dict[tuple[object, ...], dict[str, list[tuple[float, dict[int, float]]]]] = {}
    for revision, value, lines, *where in rows.values_list("run__revision__name", "value", "lines", *context):
        seen.setdefault(tuple(where), {}).setdefault(revision, []).append((value, lines or {}))
    both = {where: sides for where, sides in seen.items() if len(sides) == len(set(revisions))}
    if not both:
        return ({}, {}), ""

    def level(where: tuple[object, ...]) -> float:
        return max(median(value for value, _ in runs) for runs in both[where].values())

    chosen = max(both, key=level)
    times = []
    for revision in revisions:
        runs = [lines for _, lines in both[chosen][revision]]
        numbers = {number for lines in runs for number in lines}
        times.append({number: median(lines.get(number, 0.0) for lines in runs) for number in numbers})
    return (times[0], times[1]), configuration_names(system).get(str(chosen[0]), "")
