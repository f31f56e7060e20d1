"""The content tells the format: each format's own sample is told by it, and by no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dashboard.importers import comprex
from dashboard.importers.bundle.writing import bundle_files
from dashboard.importers.registry import FORMATS, formats_told
from dashboard.importers.source import open_source
from tests.dashboard.importers import asv_sample, comprex_sample, feature_model_sample, spl_sample
from tests.dashboard.importers.benchmark_outputs import FOLDER, SAMPLES
from tests.dashboard.importers.tef_sample import trace


def _asv(path: Path) -> Path:
    return asv_sample.write(asv_sample.folder(1), path)


def _bundle(path: Path) -> Path:
    records = comprex.read(comprex_sample.as_source(comprex_sample.files())).records
    return comprex_sample.as_folder(path, bundle_files(records))


def _file(path: Path, name: str, text: str) -> Path:
    path.mkdir(exist_ok=True)
    (path / name).write_text(text, encoding="utf-8")
    return path / name


OF_FORMATS: dict[str, Callable[[Path], Path]] = {
    "asv": _asv,
    "benchmarks": lambda path: _file(path, "output.txt", (FOLDER / SAMPLES["go test"][0]).read_text()),
    "bundle": _bundle,
    "comprex": lambda path: comprex_sample.as_folder(path, comprex_sample.files()),
    "feature-model": lambda path: _file(path, "model.xml", feature_model_sample.SAMPLE),
    "profile": lambda path: _file(path, "stacks.txt", "main;work 3\nmain 1\n"),
    "spl-conqueror": lambda path: comprex_sample.as_folder(path, spl_sample.files()),
    "csv": lambda path: _file(path, "table.csv", "version,size,time_ms\n1.0,10,3\n1.1,10,4\n"),
    "tef": lambda path: _file(path, "trace.json", trace([{"name": "foo", "ph": "X", "ts": 0, "dur": 4}])),
}


def _told(path: Path) -> list[str]:
    with open_source(path, lone=True) as source:
        return formats_told(source)


@pytest.mark.parametrize("name", FORMATS)
def test_the_content_of_a_format_tells_it(name: str, tmp_path: Path) -> None:
    assert _told(OF_FORMATS[name](tmp_path / "given")) == [name]


@pytest.mark.parametrize("tool", SAMPLES)
def test_output_of_every_benchmark_tool_tells_its_format(tool: str, tmp_path: Path) -> None:
    """A trace, a profile or a table is none, though it is JSON or CSV as well."""
    path = _file(tmp_path, "output", (FOLDER / SAMPLES[tool][0]).read_text(encoding="utf-8"))
    assert _told(path) == ["benchmarks"]


def test_a_folder_of_criterion_tells_its_format() -> None:
    assert _told(FOLDER / "criterion") == ["benchmarks"]


@pytest.mark.parametrize("text", ["", "hello\n", "{}", "[1, 2]", "<html/>", '{"a": 1,\n"b": 2}\n'])
def test_other_content_tells_none(text: str, tmp_path: Path) -> None:
    assert _told(_file(tmp_path, "file", text)) == []
