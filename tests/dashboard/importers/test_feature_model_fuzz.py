"""Feature models from outside: whatever the file holds, it is read or refused with faults, within bounds."""

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.importers.errors import ImporterError
from dashboard.importers.records import Imported
from tests.dashboard.importers.feature_model_sample import SAMPLE, model, option, read_file, write

LINES = SAMPLE.splitlines(keepends=True)
_SLOW = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None
)
OPTIONAL = "<optional>True</optional>"


def read_or_refuse(folder: Path, content: str | bytes) -> Imported | None:
    """What the importer found; None where it refused. Anything else is a crash."""
    try:
        return read_file(write(folder, content))
    except ImporterError:
        return None


@given(end=st.integers(0, len(SAMPLE)))
@_SLOW
def test_a_truncated_file_is_refused(tmp_path: Path, end: int) -> None:
    found = read_or_refuse(tmp_path, SAMPLE[:end])
    assert found is None or SAMPLE[end:].isspace() or end == len(SAMPLE)


@given(order=st.permutations(LINES))
@_SLOW
def test_reordered_lines_are_read_or_refused(tmp_path: Path, order: list[str]) -> None:
    read_or_refuse(tmp_path, "".join(order))


@given(places=st.lists(st.integers(0, len(LINES) - 1), max_size=4), twice=st.booleans())
@_SLOW
def test_lost_and_repeated_lines_are_read_or_refused(
    tmp_path: Path, places: list[int], *, twice: bool
) -> None:
    lines = [line * 2 if twice and at in places else line for at, line in enumerate(LINES)]
    read_or_refuse(tmp_path, "".join(line for at, line in enumerate(lines) if twice or at not in places))


@given(start=st.integers(0, len(SAMPLE) - 1), noise=st.binary(min_size=1, max_size=6))
@_SLOW
def test_noise_anywhere_is_read_or_refused(tmp_path: Path, start: int, noise: bytes) -> None:
    content = SAMPLE.encode()
    read_or_refuse(tmp_path, content[:start] + noise + content[start + len(noise) :])


WORDS = [
    "True",
    "",
    "root",
    "compression",
    "gzip",
    "lzma",
    "threads",
    "block",
    "1e9",
    "-3",
    "nan",
    "∞",
    "x" * 300,
]


@given(data=st.data())
@_SLOW
def test_other_words_between_the_tags_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    pieces = SAMPLE.split(">")
    for at in data.draw(st.lists(st.integers(2, len(pieces) - 2), max_size=3)):
        word = data.draw(st.sampled_from(WORDS))
        head, tag, rest = pieces[at].partition("</")
        pieces[at] = word + tag + rest if tag else head
    read_or_refuse(tmp_path, ">".join(pieces))


@given(text=st.text(alphabet="abcAB01 .|&!<>=+-*/()~", max_size=60))
@_SLOW
def test_any_constraint_is_read_or_refused(tmp_path: Path, text: str) -> None:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;")
    names = [option(name, OPTIONAL) for name in "abcAB"]
    read_or_refuse(tmp_path, model(*names, mixed=f"<constraint req='none'>{escaped}</constraint>"))


ENTITIES = "".join(
    f"<!ENTITY e{level} '{f'&e{level - 1};' * 10}'>" if level else "<!ENTITY e0 'ha'>" for level in range(10)
)
HUGE = "y" * 300_000
HOSTILE = {
    "a billion laughs": f"<!DOCTYPE vm [{ENTITIES}]>{model(option('&e9;'))}",
    "quadratic blow-up": f"<!DOCTYPE vm [<!ENTITY y '{HUGE}'>]>{model(option('&y;' * 10_000))}",
    "a file of this machine": "<!DOCTYPE vm [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>" + model(option("&f;")),
    "a file of another machine": "<!DOCTYPE vm SYSTEM 'http://127.0.0.1:9/vm.dtd'>" + model(option("&f;")),
    "a parameter entity": "<!DOCTYPE vm [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>" + model(option("a")),
    "huge text": model(option("a", f"<outputString>{HUGE}</outputString>")),
    "a huge name": model(option(HUGE)),
    "a huge attribute": f"<vm name='{HUGE}'></vm>",
    "deep nesting": "<vm>" + "<a>" * 100_000,
    "deep parentheses": model(option("a"), boolean=f"<constraint>{'(' * 30_000}</constraint>"),
    "a long constraint": model(option("a"), boolean=f"<constraint>{'a|' * 49_000}a</constraint>"),
    "a long exponent": model(option("a"), mixed="<constraint>a = 1e999999999</constraint>"),
    "endless steps": model(
        numeric=option("n", "<minValue>0</minValue><maxValue>1e99</maxValue><stepFunction>x + 1e-9</stepFunction>")
    ),
    "many elements": model(*["<a/>"] * 300_000),  # kept, they alone would take 26 MB
    "more options than are read": model(*[option(f"o{place}", OPTIONAL) for place in range(6_000)]),
    "a tower of parents": model(*[option(f"o{at}", f"<parent>o{at - 1}</parent>" if at else "") for at in range(3000)]),
    "a sum of powers": model(
        *[option(f"o{place}", OPTIONAL) for place in range(60)],
        mixed=f"<constraint req='none'>{' + '.join(f'{2**at} * o{at}' for at in range(60))} != 5</constraint>",
    ),
    "NUL": model(option("a\0b")),
}  # fmt: skip


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused_in_bounded_memory(tmp_path: Path, content: str | bytes) -> None:
    path = write(tmp_path, content)
    tracemalloc.start()
    try:
        found = read_or_refuse(tmp_path, path.read_bytes())
    finally:
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert found is None or found.remarks
    assert used < 24 << 20


def test_a_large_model_is_read(tmp_path: Path) -> None:
    names = [option(f"o{place}", OPTIONAL) for place in range(400)]
    pairs = "".join(f"<constraint>!o{place} | o{place + 1}</constraint>" for place in range(399))
    found = read_or_refuse(tmp_path, model(*names, boolean=pairs))
    assert found is not None
    assert len(found.records.options) == 400
