"""Opening folders and zips: nothing outside of them is read, nothing unpacks without bounds."""

import gzip
import io
import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dashboard.importers import source as module
from dashboard.importers.errors import SourceError
from dashboard.importers.source import open_source
from tests.dashboard.importers import comprex_sample as sample


def _read(path: Path, name: str) -> bytes:
    with open_source(path) as source:
        return source.read(name)


def _zip_with(path: Path, name: str, content: bytes = b"x", mode: int = 0) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        entry = zipfile.ZipInfo(name)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = mode << 16
        archive.writestr(entry, content)
    return path


def test_a_folder_and_a_zip_of_it_have_the_same_files_contents_and_digest(tmp_path: Path) -> None:
    files = sample.files()
    folder = sample.as_folder(tmp_path / "toy", files)
    packed = sample.as_zip(tmp_path / "toy.zip", files)
    with open_source(folder) as one, open_source(packed) as other:
        assert one.names == other.names == set(files)
        assert one.read("runs.csv") == other.read("runs.csv") == files["runs.csv"]
        assert one.digest(files) == other.digest(files)


def test_the_digest_does_not_depend_on_how_a_gzip_file_was_packed(tmp_path: Path) -> None:
    text = b"a,b\n1,2\n" * 100
    folders = [tmp_path / "fast", tmp_path / "small"]
    for level, folder in zip((1, 9), folders, strict=True):
        folder.mkdir()
        (folder / "t.csv.gz").write_bytes(gzip.compress(text, level, mtime=level))
    with open_source(folders[0]) as one, open_source(folders[1]) as other:
        assert one.digest(["t.csv.gz"]) == other.digest(["t.csv.gz"])


def test_reading_ends_where_the_caller_wants_it_to(tmp_path: Path) -> None:
    """After a megabyte at most, whether a file is streamed, read whole or hashed."""

    class Enough(Exception):
        pass

    def stop() -> None:
        raise Enough

    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n")
    with open_source(path, lone=True, go_on=stop) as source:
        for read in (source.read, lambda name: source.digest([name])):
            with pytest.raises(Enough):
                read("t.csv")
        with source.stream("t.csv") as stream, pytest.raises(Enough):
            stream.read()


def test_a_single_top_folder_of_a_zip_is_passed_over(tmp_path: Path) -> None:
    packed = sample.as_zip(tmp_path / "toy.zip", {"a.csv": b"1", "b.csv": b"2"}, top="toy")
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("__MACOSX/toy/._a.csv", "of the Finder")
    with open_source(packed) as source:
        assert source.names == {"a.csv", "b.csv"}


@pytest.mark.parametrize(
    "name",
    ["../evil.csv", "toy/../../evil.csv", "/etc/evil.csv", "C:/evil.csv", "..\\evil.csv", "toy\\evil.csv"],
)
def test_a_zip_entry_that_points_outside_is_refused_by_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match="points outside") as refused:
        _read(_zip_with(tmp_path / "evil.zip", name), "evil.csv")
    assert "evil" in str(refused.value)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_a_zip_entry_that_is_a_link_or_device_is_refused(tmp_path: Path, kind: int) -> None:
    with pytest.raises(SourceError, match="link or a device"):
        _read(_zip_with(tmp_path / "evil.zip", "a.csv", b"/etc/passwd", kind | 0o777), "a.csv")


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
def test_a_zip_with_one_name_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "twice.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", "1")
        archive.writestr("a.csv", "2")
    with pytest.raises(SourceError, match="twice"):
        _read(path, "a.csv")


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = _zip_with(tmp_path / "secret.zip", "a.csv", b"1")
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(SourceError, match="encrypted"):
        _read(path, "a.csv")


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = _zip_with(tmp_path / "bomb.zip", "a.csv", b"0" * (module.SMALL * 2))
    with pytest.raises(SourceError, match="bomb"), open_source(path):
        pytest.fail("a bomb was opened")


def test_a_gzip_bomb_is_refused_while_it_is_unpacked(tmp_path: Path) -> None:
    folder = tmp_path / "bomb"
    folder.mkdir()
    (folder / "a.csv.gz").write_bytes(gzip.compress(b"0" * (module.SMALL * 2)))
    with pytest.raises(SourceError, match="bomb"):
        _read(folder, "a.csv.gz")


def test_many_files_that_are_each_small_enough_share_one_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1000)
    folder = sample.as_folder(tmp_path / "toy", {"a.csv": b"0" * 600, "b.csv": b"0" * 600})
    with open_source(folder) as source:
        source.read("a.csv")
        with pytest.raises(SourceError, match=r"b\.csv: the bundle unpacks"):
            source.read("b.csv")
    with (
        pytest.raises(SourceError, match="unpacks to"),
        open_source(sample.as_zip(tmp_path / "z.zip", {"a": b"0" * 1200})),
    ):
        pytest.fail("it was opened")


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FILES", 2)
    files = dict.fromkeys(("a", "b", "c"), b"")
    for path in (sample.as_folder(tmp_path / "f", files), sample.as_zip(tmp_path / "z.zip", files)):
        with pytest.raises(SourceError, match="more than 2"), open_source(path):
            pytest.fail("it was opened")


@pytest.mark.parametrize("lost", [1, 9, 60])
def test_a_truncated_gzip_file_is_refused_by_name(tmp_path: Path, lost: int) -> None:
    content = sample.files()["region_measurements.csv.gz"]
    folder = sample.as_folder(tmp_path / "toy", {"region_measurements.csv.gz": content[:-lost]})
    with pytest.raises(SourceError, match=r"region_measurements\.csv\.gz.*too early"):
        _read(folder, "region_measurements.csv.gz")


def test_a_file_that_only_claims_to_be_gzip_is_refused(tmp_path: Path) -> None:
    folder = sample.as_folder(tmp_path / "toy", {"a.csv.gz": b"config_id\n"})
    with pytest.raises(SourceError, match="no sound gzip"):
        _read(folder, "a.csv.gz")


def test_a_truncated_zip_is_refused(tmp_path: Path) -> None:
    path = sample.as_zip(tmp_path / "toy.zip", sample.files())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(SourceError, match=r"toy\.zip: is no complete zip"), open_source(path):
        pytest.fail("it was opened")


def test_a_zip_with_a_flipped_bit_is_refused_when_the_file_is_read(tmp_path: Path) -> None:
    path = sample.as_zip(tmp_path / "toy.zip", {"a.csv": bytes(range(256)) * 10})
    content = bytearray(path.read_bytes())
    content[60] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.csv: is damaged"):
        _read(path, "a.csv")


def test_links_and_pipes_in_a_folder_are_not_read(tmp_path: Path) -> None:
    folder = sample.as_folder(tmp_path / "toy", {})
    secret = tmp_path / "secret.csv"
    secret.write_text("secret")
    (folder / "link.csv").symlink_to(secret)
    os.mkfifo(folder / "pipe.csv")
    for name in ("link.csv", "pipe.csv"):
        with pytest.raises(SourceError, match=f"{name}: is a link or no regular file"):
            _read(folder, name)


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"), open_source(tmp_path / "absent"):
        pytest.fail("it was opened")


@given(content=st.binary(max_size=400))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
def test_bytes_that_are_no_zip_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "any.zip"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"any\.zip"), open_source(path):
        pytest.fail("it was opened")


@given(cut=st.integers(0, 1000), flip=st.integers(0, 10_000), bits=st.integers(1, 255))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
def test_a_damaged_zip_gives_its_true_content_or_is_refused(
    tmp_path: Path, cut: int, flip: int, bits: int
) -> None:
    files = {"a.csv": b"a,b\n1,2\n" * 20, "b.csv.gz": gzip.compress(b"c\n3\n" * 20)}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    damaged = bytearray(buffer.getvalue())
    damaged[flip % len(damaged)] ^= bits
    path = tmp_path / "damaged.zip"
    path.write_bytes(damaged[: len(damaged) - cut if cut < 50 else len(damaged)])
    try:
        with open_source(path) as source:
            for name in source.names & set(files):
                expected = files[name] if name == "a.csv" else b"c\n3\n" * 20
                assert source.read(name) == expected
    except SourceError:
        pass


def test_a_lone_file_is_a_bundle_of_itself_where_the_format_allows_it(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(b"[]")
    with open_source(path, lone=True) as source, source.stream("trace.json") as stream:
        assert source.names == {"trace.json"}
        assert stream.read() == b"[]"
    with pytest.raises(SourceError, match="no complete zip"), open_source(path):
        pytest.fail("it was opened")


def test_a_file_that_is_called_a_zip_must_be_one(tmp_path: Path) -> None:
    path = tmp_path / "trace.zip"
    path.write_bytes(b"[]")
    with pytest.raises(SourceError, match="no complete zip"), open_source(path, lone=True):
        pytest.fail("it was opened")


@pytest.mark.parametrize("pack", [sample.as_zip, sample.as_folder])
def test_a_stream_gives_what_reading_gives(
    tmp_path: Path, pack: Callable[[Path, sample.Files], Path]
) -> None:
    files = {"a.csv": b"a,b\n1,2\n" * 50_000, "b.csv.gz": gzip.compress(b"c\n3\n" * 9)}
    path = pack(tmp_path / "t.zip", files)
    with open_source(path) as source:
        for name in files:
            with source.stream(name) as stream:
                assert b"".join(stream) == source.read(name)


def test_a_gzip_bomb_is_not_streamed_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(b"0" * (64 << 20)))
    with (
        open_source(path, lone=True) as source,
        source.stream(path.name) as stream,
        pytest.raises(SourceError, match="bomb"),
    ):
        sum(map(len, stream))


def test_a_damaged_gzip_file_says_so_while_it_is_streamed(tmp_path: Path) -> None:
    path = tmp_path / "cut.json.gz"
    path.write_bytes(gzip.compress(bytes(range(256)) * 40)[:-20])
    with (
        open_source(path, lone=True) as source,
        source.stream(path.name) as stream,
        pytest.raises(SourceError, match=r"cut\.json\.gz: the gzip file ends too early"),
    ):
        stream.read()
