"""A profile put together as records: one profiled run, the self value of each of its functions, and its call paths."""

from typing import cast

import numpy as np

from analytics.call_paths import CallPaths
from analytics.influence.times import PROGRAM_REGION
from dashboard.importers.common_records import PROGRAM, batch_record, named_environment
from dashboard.importers.errors import InvalidSetting, SourceError
from dashboard.importers.limits import LONGEST, Clock, shortened
from dashboard.importers.numbers import read_number
from dashboard.importers.profiles.profilers import PROFILERS, profilers_of
from dashboard.importers.profiles.stacks import SAMPLES, Frame, StackProfile, seconds
from dashboard.importers.record_tables import MeasurementTable, RegionMeasurementTable
from dashboard.importers.records import (
    CallPathsRecord,
    ConfigurationRecord,
    Imported,
    RegionRecord,
    RevisionRecord,
    RunRecord,
    SystemRecords,
    WorkloadRecord,
)
from dashboard.importers.settings import ImportSetting, ImportSettings, context_names, identity, single
from dashboard.importers.source import ImportSource

SETTINGS = (
    ImportSetting("revision", "NAME", "the revision that ran"),
    ImportSetting("workload", "NAME", "what the program was asked to do"),
    ImportSetting("environment", "NAME", "the machine it ran on"),
    ImportSetting(
        "period", "SECONDS", "the time between two samples, where the file counts samples: they become times"
    ),
    ImportSetting("clock", "CLOCK", "wall or cpu: by which clock samples were taken or times are told"),
)
_MOST_BYTES = 1 << 28
# Of a larger file the content does not tell the format: it is read as a whole for that, while somebody waits.
_MOST_BYTES_TOLD = 1 << 24
_REMEDY = "Write the profile again, as a whole"


def read(source: ImportSource, given: ImportSettings) -> Imported:
    """The records of one profile. Raises `InvalidSetting` and `SourceError`."""
    context = context_names(given, "as profiled")
    file = _only_file(source)
    profiler, profile = _profile_of(file, source.read(file))
    profile = _timed(profile, single(given, "period"), single(given, "clock"))
    own: dict[str, float] = {}
    paths: dict[tuple[str, ...], float] = {}
    frames: dict[str, Frame] = {}
    for stack, value in profile.values.items():
        path = tuple(
            shortened(f"{frame.file}:{frame.name}" if frame.file else frame.name, LONGEST["region key"])
            or "(unknown)"
            for frame in stack
        ) or (PROGRAM_REGION,)
        own[path[-1]] = own.get(path[-1], 0.0) + value
        paths[path] = paths.get(path, 0.0) + value
        frames.update(zip(path, stack, strict=False))
    if not any(own.values()):
        raise SourceError(file, f"is of {profiler} and holds no sample", "Profile a run that takes longer")
    # Functions that only call others have no time of their own, and stand in call paths.
    place = {key: at for at, key in enumerate(sorted({key for path in paths for key in path}))}
    regions = tuple(PROGRAM if key == PROGRAM_REGION else _region(key, frames[key]) for key in place)
    at, none = np.array([place[key] for key in own], dtype=np.int64), np.zeros(len(own), np.int64)
    digest = identity(source, None, given)
    is_timed = profile.metric.unit == "s" and profile.has_paths
    records = SystemRecords(
        batches=(batch_record("profile", digest, source.title, {"profiler": profiler}),),
        revisions=(RevisionRecord(context["revision"]),),
        configurations=(ConfigurationRecord("", {}),),
        workloads=(WorkloadRecord(context["workload"]),),
        environments=(named_environment("profile", context["environment"]),),
        metrics=(profile.metric,),
        regions=regions,
        runs=(RunRecord(0, context["revision"], 0, context["workload"], 0, "profiled", 0),),
        measurements=MeasurementTable(none[:1], none[:1], np.array([sum(own.values())])),
        region_measurements=RegionMeasurementTable(none, at, none, np.array(list(own.values()))),
        call_paths=(CallPathsRecord(0, CallPaths.folded(paths)),) if is_timed else (),
    )
    told = f"{file} is of {profiler}: {len(own)} functions, {profile.metric}."
    kept = "" if is_timed else " It tells no times of stacks: call paths are not kept."
    return Imported(records, digest, (f"{told}{kept}",))


def is_told(source: ImportSource) -> bool:
    """Whether the one file of the source is of exactly one kind of profiles."""
    if len(source.names) != 1:
        return False
    try:
        with source.stream(_only_file(source)) as stream:
            content = stream.read(_MOST_BYTES_TOLD + 1)
        return len(content) <= _MOST_BYTES_TOLD and len(profilers_of(content)[1]) == 1
    except (SourceError, ValueError):
        return False


def _only_file(source: ImportSource) -> str:
    if len(source.names) != 1:
        raise SourceError(
            source.title, f"holds {len(source.names)} files", "Give one profile, alone or in the zip"
        )
    (file,) = source.names
    return file


def _profile_of(file: str, content: bytes) -> tuple[str, StackProfile]:
    """The name of the profiler, and the profile. Raises `SourceError`, which says what was looked for."""
    if not content.strip():
        raise SourceError(file, "is empty", "Give a profile")
    if len(content) > _MOST_BYTES:
        raise SourceError(file, f"is larger than {_MOST_BYTES >> 20} MB", "Profile a shorter run")
    try:
        read_content, found = profilers_of(content)
    except ValueError as error:
        raise SourceError(file, f"is {error}", "Import what it writes") from None
    if len(found) != 1:
        known = "; ".join(f"{one.name} ({one.told_by})" for one in PROFILERS)
        problem = (
            f"may be of {', '.join(one.name for one in found)}"
            if found
            else "is not supported, or not complete"
        )
        raise SourceError(file, problem, f"Looked for were: {known}")
    try:
        return found[0].name, found[0].read(read_content)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        problem = f"is no sound profile of {found[0].name}"
        raise SourceError(file, problem, _REMEDY, value=str(error)[:80] or type(error).__name__) from None


def _timed(profile: StackProfile, period: str | None, clock: str | None) -> StackProfile:
    """The profile with times where samples have a period. Raises `InvalidSetting`."""
    if clock not in (None, "wall", "cpu"):
        raise InvalidSetting("clock", "is no clock", "Write wall or cpu", clock)
    if profile.metric != SAMPLES:
        if period is not None:
            raise InvalidSetting(
                "period", f"the file tells {profile.metric}, not samples", "Leave it away", period
            )
        is_time = profile.metric.unit == "s" and clock is not None
        metric = seconds(cast("Clock", clock)) if is_time else profile.metric
        return StackProfile(profile.values, metric, profile.has_paths)
    if period is None:
        return profile
    length = read_number(period)
    if length is None or length <= 0:
        raise InvalidSetting(
            "period", "is no number of seconds", "Write 0.01 for a hundred samples in a second", period
        )
    if clock is None:
        raise InvalidSetting("clock", "nothing tells the clock of the samples", "Write wall or cpu")
    values = {stack: count * length for stack, count in profile.values.items()}
    return StackProfile(values, seconds(cast("Clock", clock)), profile.has_paths)


def _region(key: str, frame: Frame) -> RegionRecord:
    package = shortened(frame.file, LONGEST["region package"])
    return RegionRecord(
        key=key, package=package, name=shortened(frame.name, LONGEST["region name"]) or "(unknown)"
    )
