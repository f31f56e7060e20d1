"""Whatever a folder of results holds: records or a told refusal, never a crash."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.importers import asv
from dashboard.importers.errors import ImporterError
from dashboard.importers.limits import FARTHEST, LONGEST
from dashboard.importers.source import open_source
from tests.dashboard.importers import asv_sample as sample

QUIET = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.just(10**400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=8,
)
NAMES = sorted(sample.folder(2))


def _told(folder: Path, files: sample.Files) -> None:
    """Reading ends with sound records or with an error of the importers that says something."""
    path = folder / "case"
    sample.write(files, path)
    with suppress(ImporterError), open_source(path) as source:
        records = asv.read(source).records
        points = records.points
        assert (abs(points.median) <= FARTHEST).all()
        assert (points.n >= 1).all()
        assert set(points.series.tolist()) <= set(range(len(records.series)))
        assert all(len(one.subject) <= LONGEST["subject"] for one in records.series)
        assert all("\0" not in one.label for one in records.series)


def _places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value of a document."""
    inner: list[tuple[Any, ...]] = []
    if isinstance(document, dict):
        inner = [place for key, value in document.items() for place in _places(value, (*path, key))]
    elif isinstance(document, list):
        inner = [place for key, value in enumerate(document) for place in _places(value, (*path, key))]
    return [path, *inner]


def _replaced(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    target = document
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    return document


@QUIET
@given(st.data())
def test_any_value_at_any_place_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    files = sample.folder(2)
    name = data.draw(st.sampled_from(NAMES))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(_places(files[name])))
        files[name] = _replaced(files[name], place, data.draw(ANYTHING))
    _told(tmp_path, files)


@QUIET
@given(name=st.sampled_from(NAMES), end=st.integers(0, 2_000), more=st.binary(max_size=20))
def test_a_file_cut_short_or_followed_by_rubbish_is_refused(
    tmp_path: Path, name: str, end: int, more: bytes
) -> None:
    files = sample.folder(2)
    files[name] = json.dumps(files[name]).encode()[:end] + more
    _told(tmp_path, files)


@QUIET
@given(st.sampled_from(NAMES), st.integers(1, 100_000), st.sampled_from([b"[", b'{"a":']))
def test_deep_nesting_is_refused(tmp_path: Path, name: str, depth: int, opening: bytes) -> None:
    files = sample.folder(2)
    files[name] = opening * depth
    _told(tmp_path, files)


@QUIET
@given(st.data())
def test_the_order_of_keys_and_files_changes_nothing(tmp_path: Path, data: st.DataObject) -> None:
    def shuffled(document: Any) -> Any:
        if not isinstance(document, dict):
            return document
        keys = data.draw(st.permutations(sorted(document)))
        return {key: shuffled(document[key]) for key in keys}

    first = _content(sample.folder(2), str(tmp_path / "first"))
    files = {name: shuffled(document) for name, document in sample.folder(2).items()}
    assert _content(files, str(tmp_path / "second")) == first


def _content(files: sample.Files, path: str) -> list[tuple[Any, ...]]:
    with open_source(sample.write(files, Path(path))) as source:
        records = asv.read(source).records
    table = records.points
    return sorted(
        (records.series[series].label, records.revisions[revision].name, median)
        for series, revision, median in zip(
            table.series.tolist(), table.revision.tolist(), table.median.tolist(), strict=True
        )
    )
