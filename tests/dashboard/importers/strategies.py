"""Systems of any content, as records, for round trips."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from hypothesis import strategies as st

from dashboard.importers.limits import FARTHEST
from dashboard.importers.model_records import (
    CoefficientRecord,
    CorrectionRecord,
    PartitionRecord,
    PerformanceModelRecord,
    PredictionRecord,
)
from dashboard.importers.record_tables import (
    MeasurementTable,
    PointTable,
    RegionMeasurementTable,
)
from dashboard.importers.records import (
    BatchRecord,
    ConfigurationRecord,
    EnvironmentRecord,
    LevelRecord,
    MetricRecord,
    OptionRecord,
    OrderRecord,
    RegionRecord,
    RegionVersionRecord,
    RevisionRecord,
    RunRecord,
    SeriesRecord,
    SystemRecords,
    WorkloadRecord,
)

# PostgreSQL stores no NUL; everything else may stand in a text.
_CHARACTERS = st.characters(codec="utf-8", exclude_characters="\0")
_TEXT = st.text(_CHARACTERS, max_size=12)
_NAMES = st.text(_CHARACTERS, min_size=1, max_size=8)
_OPTION_NAMES = st.text("ABCxyz_-.0é", min_size=1, max_size=4).filter(lambda name: name != "True")
_VALUES = st.floats(-FARTHEST, FARTHEST)
# PostgreSQL keeps numbers inside of JSON in decimal, without exponent and without a sign of zero.
_PLAIN = st.floats(-1e15, 1e15, allow_nan=False).map(lambda value: value + 0.0)
_JSON = st.dictionaries(
    _NAMES,
    st.recursive(st.none() | st.booleans() | st.integers(-999, 999) | _PLAIN | _TEXT, st.lists),
    max_size=3,
)
_INSTANTS = st.none() | st.integers(0, 2**52).map(
    lambda microseconds: datetime(1990, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
)
_LEVELS = st.one_of(
    st.just((False, True)),
    st.just(("0.9", "0.5", "0.1")),
    st.just((1, 2)),
    st.just((1.5, 2.0)),
    st.just(("a b", "é", "c\nd")),
)


@st.composite
def systems(draw: st.DrawFn) -> SystemRecords:
    """A system with a little of everything, complete in itself."""
    lists = _lists(draw)
    runs = _runs(draw, lists)
    n_regions, revision, text = len(lists.regions), lists.revisions[0].name, draw(_TEXT)
    series = tuple(
        SeriesRecord(lists.workloads[0].name, 0, 0, subject=name, benchmark_version=draw(_TEXT))
        for name in draw(st.lists(_NAMES, max_size=2, unique=True))
    )
    version = RegionVersionRecord(0, revision, draw(_TEXT), 1, 9, _digest("body"), _digest(text))
    return replace(
        lists,
        region_versions=(version,),
        sources={_digest(text): text},
        runs=runs,
        measurements=_measurements(draw, len(runs)),
        region_measurements=_region_measurements(draw, len(runs), n_regions),
        performance_models=(_analysis(draw, lists),),
        coefficients=_coefficients(draw, lists),
        series=series,
        points=_points(draw, len(series), len(lists.revisions)),
    )


def _lists(draw: st.DrawFn) -> SystemRecords:
    """What runs refer to."""
    options = _options(draw)
    revisions = tuple(
        RevisionRecord(
            name,
            draw(_TEXT),
            draw(_TEXT),
            draw(_INSTANTS),
            draw(_TEXT),
            draw(st.none() | st.integers(0, 10**6)),
        )
        for name in draw(st.lists(_NAMES, min_size=1, max_size=3, unique=True))
    )
    functions = [
        RegionRecord(key=f"m.f{number}", name=draw(_TEXT), package=draw(_TEXT))
        for number in range(draw(st.integers(0, 2)))
    ]
    return SystemRecords(
        description=draw(_TEXT),
        batches=tuple(
            BatchRecord("test", _digest(f"batch {number}"), draw(_TEXT), draw(_JSON))
            for number in range(draw(st.integers(1, 2)))
        ),
        revisions=revisions,
        orders=(OrderRecord("all", {one.name: 2 * place for place, one in enumerate(revisions)}),),
        options=options,
        configurations=_configurations(draw, options),
        workloads=tuple(
            WorkloadRecord(name, draw(_TEXT), draw(_JSON))
            for name in draw(st.lists(_NAMES, min_size=1, max_size=2, unique=True))
        ),
        environments=(EnvironmentRecord(_digest("machine"), draw(_TEXT), draw(_JSON)),),
        metrics=(MetricRecord("time", "s", "wall"), MetricRecord("score", "points", "none", "higher")),
        regions=(RegionRecord(key="program", name=draw(_TEXT), is_program=True), *functions),
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _options(draw: st.DrawFn) -> tuple[OptionRecord, ...]:
    names = draw(st.lists(_OPTION_NAMES, min_size=1, max_size=3, unique=True))
    return tuple(
        OptionRecord(name, tuple(LevelRecord(value, str(value)) for value in draw(_LEVELS)), draw(_TEXT))
        for name in names
    )


def _configurations(draw: st.DrawFn, options: tuple[OptionRecord, ...]) -> tuple[ConfigurationRecord, ...]:
    assignments = st.fixed_dictionaries(
        {}, optional={one.name: st.sampled_from([level.label for level in one.levels[1:]]) for one in options}
    )
    found = draw(st.lists(assignments, min_size=1, max_size=3, unique_by=lambda one: frozenset(one.items())))
    return tuple(ConfigurationRecord(draw(_TEXT), one) for one in found)


def _runs(draw: st.DrawFn, lists: SystemRecords) -> tuple[RunRecord, ...]:
    runs = st.builds(
        RunRecord,
        batch=st.integers(0, len(lists.batches) - 1),
        revision=st.sampled_from([one.name for one in lists.revisions]),
        configuration=st.integers(0, len(lists.configurations) - 1),
        workload=st.sampled_from([one.name for one in lists.workloads]),
        environment=st.just(0),
        repetition=st.integers(0, 3),
        kind=st.sampled_from(["plain", "profiled"]),
        status=st.sampled_from(["ok", "failed", "timeout", "killed"]),
        started_at=_INSTANTS,
        message=_TEXT,
        invalid_reason=st.just("") | _TEXT,
        output_tail=_TEXT,
    )
    return tuple(
        draw(
            st.lists(
                runs,
                max_size=6,
                unique_by=lambda run: (
                    run.batch, run.revision, run.configuration, run.workload, run.kind, run.repetition
                ),
            )
        )
    )  # fmt: skip


def _rows(draw: st.DrawFn, *sizes: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Distinct rows of positions below `sizes`, as columns."""
    if 0 in sizes:
        return np.empty((len(sizes), 0), dtype=np.int64)
    positions = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    rows = draw(st.lists(positions, max_size=6, unique=True))
    return np.array(rows, dtype=np.int64).reshape(-1, len(sizes)).T


def _floats(draw: st.DrawFn, size: int, values: st.SearchStrategy[float] = _VALUES) -> Any:
    return np.array(draw(st.lists(values, min_size=size, max_size=size)), dtype=np.float64)


def _measurements(draw: st.DrawFn, n_runs: int) -> MeasurementTable:
    run, metric = _rows(draw, n_runs, 2)
    size = len(run)
    deviation = _floats(draw, size, st.just(float("nan")) | st.floats(0, 1e9))
    n = np.array(draw(st.lists(st.integers(1, 99), min_size=size, max_size=size)), dtype=np.int64)
    return MeasurementTable(run, metric, _floats(draw, size), deviation, n)


def _region_measurements(draw: st.DrawFn, n_runs: int, n_regions: int) -> RegionMeasurementTable:
    run, region, metric = _rows(draw, n_runs, n_regions, 2)
    lines = {
        row: draw(st.dictionaries(st.integers(1, 99).map(str), _PLAIN, max_size=3))
        for row in range(len(run))
        if draw(st.booleans())
    }
    return RegionMeasurementTable(run, region, metric, _floats(draw, len(run)), lines)


def _points(draw: st.DrawFn, n_series: int, n_revisions: int) -> PointTable:
    series, revision = _rows(draw, n_series, n_revisions)
    size = len(series)
    n = np.array(draw(st.lists(st.integers(1, 99), min_size=size, max_size=size)), dtype=np.int64)
    spreads = st.just(float("nan")) | st.floats(0, 1e9)
    return PointTable(
        series, revision, np.zeros_like(n), n, _floats(draw, size), _floats(draw, size, spreads)
    )


def _coefficients(draw: st.DrawFn, lists: SystemRecords) -> tuple[CoefficientRecord, ...]:
    option = lists.options[0]
    labels = tuple(level.label for level in option.levels)
    known: list[dict[str, str | tuple[str, ...]] | None] = [
        None,
        {},
        {option.name: labels[-1]},
        {option.name: labels},
    ]
    return tuple(
        CoefficientRecord(0, lists.revisions[0].name, 1, term, draw(st.sampled_from(known)), draw(_VALUES))
        for term in draw(st.lists(_NAMES, max_size=3, unique=True))
    )


def _analysis(draw: st.DrawFn, lists: SystemRecords) -> PerformanceModelRecord:
    name = lists.options[0].name
    partitions = [PartitionRecord(0, ("True",))] + [
        PartitionRecord(region, (name, f"!{name}")) for region in range(1, len(lists.regions))
    ]
    return PerformanceModelRecord(
        batch=0,
        revision=lists.revisions[0].name,
        workload=lists.workloads[0].name,
        environment=0,
        kind=draw(st.sampled_from(["partitioned", "full_factorial"])),
        region_metric=0,
        total_metric=1,
        aggregate_repetitions=draw(st.sampled_from(["median", "mean"])),
        aggregate_configurations=draw(st.sampled_from(["median", "mean"])),
        program_region_offset=draw(_VALUES),
        uncovered_is_zero=draw(st.booleans()),
        options=tuple(one.name for one in lists.options),
        published_correction=draw(st.sampled_from(["", "one"])),
        partitions=tuple(partitions),
        corrections=(CorrectionRecord("one", draw(_VALUES), 2.0), CorrectionRecord("a", 0.0, 1.0, 0.5)),
        predictions=(PredictionRecord(0, draw(_VALUES)),),
    )
