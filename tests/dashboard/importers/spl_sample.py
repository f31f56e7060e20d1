"""A small study of our own making: a compressor with five options, measured at three releases.

Time = 10 + 5 level 2 + 15 level 9 + 3 verify + (fast: -4, small: 8), plus one for each release.
"""

import csv
import gzip
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from dashboard.importers.records import SystemRecords

Files = dict[str, bytes]
RELEASES = ("1.9", "1.10", "2.0")
LEVELS = (1, 2, 9)
METHODS = ("fast", "small")
FEATURES = ("root", "level_1", "level_2", "level_9", "level", "verify", "method", "fast", "small")
README = """# Compressor

We repeated each measurement; everything was repeated 5 times.

Performance: time needed to compress in milliseconds.
Memory: what it takes in KB(?).

## Releases
* 1_9: 0123456789012345678901234567890123456789
"""
FEATURE_MODEL = """<vm name="compressor" root="">
<binaryOptions>
{options}
</binaryOptions>
<numericOptions/>
<booleanConstraints/>
</vm>
"""


def files(*, model: bool = True) -> Files:
    """The files of the study by name."""
    rows = list(configurations())
    found = {
        "measurements.csv.gz": table([*FEATURES, "revision", "performance", "memory"], _measured(rows)),
        "deviations.csv.gz": table(
            ["root", "level", "verify", "fast", "small", "method", "performance", "revision"],
            _deviations(rows),
        ),
        "models.csv": table(
            ["revision", "root", "level_2", "level_9 * verify", "method", "error"], _models()
        ),
        "defaultConfigurations.csv": table(
            ["root", "level_1", "level_2", "level_9", "level", "verify"], [[1, 0, 1, 0, 1, 0]]
        ),
        "README.md": README.encode(),
    }
    if model:
        found["FeatureModel.xml"] = feature_model().encode()
    return {
        name: gzip.compress(content, mtime=0) if name.endswith(".gz") else content
        for name, content in found.items()
    }


def configurations() -> Iterable[tuple[int, int, str]]:
    """Level, verify and method (blank for none) of each configuration."""
    return product(LEVELS, (0, 1), ("", *METHODS))


def seconds(level: int, verify: int, method: str, release: int) -> float:
    """What the study measures."""
    return 10.0 + {1: 0, 2: 5, 9: 15}[level] + 3 * verify + {"": 0, "fast": -4, "small": 8}[method] + release


def indicators(level: int, verify: int, method: str) -> list[int]:
    """The row of features, as `FEATURES` lists them."""
    return [
        1,
        *(int(level == one) for one in LEVELS),
        1,
        verify,
        int(method != ""),
        *(int(method == one) for one in METHODS),
    ]


def _measured(rows: Sequence[tuple[int, int, str]]) -> Iterable[Sequence[object]]:
    # Releases in the order of text, not of versions.
    for release, (level, verify, method) in product(sorted(RELEASES), rows):
        value = seconds(level, verify, method, RELEASES.index(release))
        memory: object = "NaN" if (release, level, verify, method) == ("2.0", 9, 1, "") else 100 * level
        yield [*indicators(level, verify, method), release, value, memory]


def _deviations(rows: Sequence[tuple[int, int, str]]) -> Iterable[Sequence[object]]:
    for release, (level, verify, method) in product(RELEASES, rows):
        yield [
            1,
            level,
            verify,
            int(method == "fast"),
            int(method == "small"),
            int(method != ""),
            0.1,
            release,
        ]


def _models() -> Iterable[Sequence[object]]:
    return ([f"{release}_opt", 10.5 + place, 5, 1.5, 2.0, 0.7] for place, release in enumerate(RELEASES))


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """A table separated by semicolons."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";", lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue().encode()


def feature_model() -> str:
    """A model with a level of three alternatives, a switch and an optional method of two."""
    levels = [f"level_{level}" for level in LEVELS]
    options = [
        _option("root", ""),
        _option("level", "root"),
        *(_option(name, "level", others=[one for one in levels if one != name]) for name in levels),
        _option("verify", "root", optional=True),
        _option("method", "root", optional=True),
        *(_option(name, "method", others=[one for one in METHODS if one != name]) for name in METHODS),
    ]
    return FEATURE_MODEL.format(options="\n".join(options))


def _option(name: str, parent: str, *, optional: bool = False, others: Sequence[str] = ()) -> str:
    excluded = "".join(f"<options>{one}</options>" for one in others)
    return (
        f"<configurationOption><name>{name}</name><prefix/><postfix/><parent>{parent}</parent><impliedOptions/>"
        f"<excludedOptions>{excluded}</excludedOptions><optional>{optional}</optional></configurationOption>"
    )


def changed(given: Mapping[str, bytes], name: str, old: str, new: str) -> Files:
    """The files with one text in one of them replaced."""
    text = text_of(given, name)
    assert old in text
    content = text.replace(old, new, 1).encode()
    return {**given, name: gzip.compress(content, mtime=0) if name.endswith(".gz") else content}


def text_of(given: Mapping[str, bytes], name: str) -> str:
    """A file's text."""
    return (gzip.decompress(given[name]) if name.endswith(".gz") else given[name]).decode()


def packed(name: str, text: str) -> bytes:
    """The content of a file of that name."""
    content = text.encode(errors="surrogatepass")
    return gzip.compress(content, mtime=0) if name.endswith(".gz") else content


def levels(records: SystemRecords) -> dict[str, list[str]]:
    """The labels of each option's levels."""
    return {one.name: [level.label for level in one.levels] for one in records.options}
