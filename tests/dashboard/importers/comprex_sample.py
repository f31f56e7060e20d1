"""A small Comprex bundle of our own making, whose model and accuracy are known by arithmetic.

Three options, four regions, four profiled configurations, two iterations. A profiled run takes exactly 1.25 times as
long as an unprofiled one: uncorrected predictions are 25 % off, those of the correction `random1` are exact, and
those of `random2` (slope 1) are 25 % off again.
"""

import gzip
import itertools
import json
import zipfile
from collections import Counter
from collections.abc import Mapping
from functools import partial
from io import BytesIO
from pathlib import Path

from dashboard.importers.source import ImportSource

OPTIONS = ("A", "B", "C")
PROFILED = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1))
EVERYTHING = list(itertools.product((0, 1), repeat=3))
SLOWDOWN = 1.25
PARTITIONS = {
    "R0": ["True"],
    "R1": ["!A", "A"],
    "R2": ["!A", "A & !B", "A & B"],
    "R3": ["!B | !C", "B & C"],
}

Files = dict[str, bytes]


def microseconds(region: str, a: int, b: int, c: int) -> int:
    """What a region takes in one configuration, in an iteration without noise."""
    return {
        "R0": 1_000_000,
        "R1": 3_000_000 - 1_000_000 * a,
        "R2": 500_000 * a + 2_000_000 * a * b,
        "R3": 4_000_000 * b * c,
    }[region]


def seconds(a: int, b: int, c: int) -> float:
    """What an unprofiled run takes."""
    return sum(microseconds(region, a, b, c) for region in PARTITIONS) / 1e6 / SLOWDOWN


def files() -> Files:
    """The bundle's files, packed where they are stored packed."""
    texts = {
        **_program(),
        **_measured(),
        **_published(),
        "manifest.json": json.dumps(manifest()),
    }
    return {name: stored(name, text) for name, text in texts.items()}


def _program() -> dict[str, str]:
    """Options, regions and partitions."""
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in PARTITIONS.items())
    return {
        "options.csv": _csv(
            "name,off_value,on_value,off_value_alt,on_value_alt,value_source,in_any_partition",
            ("A", "", "", "", "", "not recorded", 1),
            ("B", "false", "true", "", "", "by hand", 1),
            ("C", "fast", "slow", "", "", "by hand", 1),
        ),
        "regions.csv": _csv(
            "region_id,source_uuid,package,class,method_signature,n_subspaces,options",
            ("R0", "0", "", "", "", 1, ""),
            ("R1", "1", "toy", "Main", "main()V", 2, "A"),
            ("R2", "2", "toy", "Main", "foo(Z)V", 3, "A B"),
            ("R3", "3", "toy", "Main", "bar(Z)V", 2, "B C"),
        ),
        # One region per line: a fault names the line.
        "partitions.json": "{\n" + ",\n".join(lines) + "\n}",
    }


def _measured() -> dict[str, str]:
    """Configurations, profiled runs and ground truth."""
    times = [
        (f"c{number}", region, iteration, microseconds(region, *levels) + (iteration - 1) * 1000)
        for number, levels in enumerate(PROFILED)
        for region in PARTITIONS
        for iteration in (0, 1, 2)
        if microseconds(region, *levels)
    ]
    totals: Counter[tuple[str, int]] = Counter()
    for config, _, iteration, time in times:
        totals[config, iteration] += time
    return {
        "configs.csv": _csv(
            "config_id,A,B,C,groundtruth_id",
            *((f"c{n}", *levels, f"g{EVERYTHING.index(levels)}") for n, levels in enumerate(PROFILED)),
        ),
        "runs.csv": _csv(
            "config_id,iteration,wall_time_us,hotspot_total_us,n_hotspots,region_total_us",
            *((*key, total, total, 4, total) for key, total in totals.items()),
        ),
        "region_measurements.csv.gz": _csv("config_id,region_id,iteration,self_time_us", *times),
        "groundtruth.csv": _csv(
            "config_id,A,B,C,time_s",
            *((f"g{number}", *levels, seconds(*levels)) for number, levels in enumerate(EVERYTHING)),
        ),
    }


def _published() -> dict[str, str]:
    """What the authors found."""
    return {
        "published_corrections.csv": _csv(
            "fit,intercept_s,slope,r_squared",
            ("all", 0, 2, 0.9),
            ("random1", 0, SLOWDOWN, 1),
            ("random2", 0, 1, ""),
        ),
        "published_predictions.csv": _csv(
            "config_id,predicted_time_s",
            *((f"g{number}", seconds(*levels) + 0.5) for number, levels in enumerate(EVERYTHING)),
        ),
        "published_subspace_times.csv.gz": _csv(
            "region_id,subspace_index,time_s,coefficient_of_variation", ("R1", 1, 2.0, 0.01)
        ),
        "published_local_models.json": json.dumps({"unit": "s", "models": {"R1": {"1": 3.0, "A": -1.0}}}),
    }


def manifest() -> dict[str, object]:
    """The manifest's content."""
    return {
        "format": "comprex-bundle",
        "version": 1,
        "system": "Toy",
        "subject_version": "1.0",
        "unit": "seconds",
        "clock": "cpu",
        "ground_truth_clock": "cpu",
        "aggregate_repetitions": "median",
        "aggregate_configurations": "median",
        "program_region": "R0",
        "program_region_offset_seconds": 0.0,
        "missing_region_rows": "zero",
        "corrections": "published_corrections.csv",
        "published_predictions_correction": "random1",
        "source": "made for tests",
    }


def stored(name: str, text: str) -> bytes:
    """A file's text as the bundle stores it."""
    content = text.encode()
    return gzip.compress(content, mtime=0) if name.endswith(".gz") else content


def text_of(given: Mapping[str, bytes], name: str) -> str:
    """The text of a file, unpacked."""
    content = given[name]
    return (gzip.decompress(content) if name.endswith(".gz") else content).decode()


def changed(name: str, old: str, new: str) -> Files:
    """The bundle with the first `old` in a file replaced by `new`."""
    given = files()
    text = text_of(given, name)
    assert old in text, f"the sample's {name} holds no {old!r}"
    return {**given, name: stored(name, text.replace(old, new, 1))}


def with_manifest(**values: object) -> Files:
    """The bundle with other values in its manifest; a value of None takes the key away."""
    content = {key: value for key, value in {**manifest(), **values}.items() if value is not None}
    return {**files(), "manifest.json": json.dumps(content).encode()}


def as_source(given: Mapping[str, bytes]) -> ImportSource:
    """Files in memory as a source."""
    return ImportSource("sample", {name: partial(BytesIO, content) for name, content in given.items()})


def as_folder(folder: Path, given: Mapping[str, bytes]) -> Path:
    """Files written to a folder."""
    folder.mkdir()
    for name, content in given.items():
        (folder / name).write_bytes(content)
    return folder


def as_zip(path: Path, given: Mapping[str, bytes], top: str = "") -> Path:
    """Files packed into a zip, in the folder `top` if one is named."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in given.items():
            archive.writestr(f"{top}/{name}" if top else name, content)
    return path


def _csv(header: str, *rows: tuple[object, ...]) -> str:
    return "\n".join([header, *(",".join(str(cell) for cell in row) for row in rows)]) + "\n"
