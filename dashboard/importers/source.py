"""Opening a folder or a zip safely: nothing outside of it, nothing that unpacks without bounds."""

import gzip
import io
import os
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO, Any

from dashboard.importers.errors import SourceError

# One file per measured revision, machine and environment: large archives of benchmarks hold tens of thousands.
MAX_FILES = 100_000
MAX_BYTES = 1 << 30  # what may be unpacked from one source
# Deflate can reach 1030 : 1; tables of measurements reach about 30 : 1.
MAX_RATIO = 200
SMALL = 1 << 22  # a file up to this size may be packed at any ratio
_CHUNK = 1 << 20
GoOn = Callable[[], None]
Opener = Callable[[], IO[bytes]]
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)


class ImportSource:
    """The files of a bundle, by their path inside it; each is read once and kept.

    `go_on` is called about once in a megabyte that is read, by readers of their own too where they take long; what it
    raises ends the reading. Of a folder each file is opened by itself; all files of a zip share one.
    """

    def __init__(
        self,
        title: str,
        openers: Mapping[str, Opener],
        go_on: GoOn = lambda: None,
        *,
        is_folder: bool = False,
    ) -> None:
        self.title = title
        self.is_folder = is_folder
        self.go_on = go_on
        self._openers = openers
        self._contents: dict[str, bytes] = {}
        # Of files that were read as a whole.
        self.digests: dict[str, str] = {}
        self._left = MAX_BYTES

    @property
    def names(self) -> frozenset[str]:
        """The paths of all files, with `/` between folders."""
        return frozenset(self._openers)

    def read(self, name: str) -> bytes:
        """The content of a file of `names`; one that ends in `.gz` is unpacked. Raises `SourceError`."""
        if name not in self._contents:
            parts: list[bytes] = []
            with self.stream(name) as stream:
                while part := stream.read(_CHUNK):
                    self._left -= len(part)
                    if self._left < 0:
                        problem = f"the bundle unpacks to more than {MAX_BYTES >> 20} MB and is not opened"
                        raise SourceError(name, problem, "Split it")
                    parts.append(part)
            self._contents[name] = b"".join(parts)
        return self._contents[name]

    @contextmanager
    def stream(self, name: str) -> Iterator["io.BufferedReader[Any]"]:
        """A file of `names`, to be read piece by piece and not kept; one that ends in `.gz` is unpacked.

        Reading raises `SourceError` where the file is damaged or unpacks out of proportion.
        """
        try:
            stored = self._openers[name]()
        except (*_DAMAGED, OSError) as error:
            raise _unreadable(name, error) from error
        with stored, io.BufferedReader(_Guarded(name, stored, self.go_on), _CHUNK) as guarded:
            yield guarded

    def read_once(self, name: str, most: int) -> bytes:
        """The content of a file, or more than `most` bytes of it; it is not kept, but its digest is. Raises `SourceError`."""
        with self.stream(name) as stream:
            content = stream.read(most + 1)
        if len(content) <= most:
            self.digests[name] = sha256(content).hexdigest()
        return content

    def digest(self, names: Iterable[str]) -> str:
        """SHA-256 over names and contents of those files that exist: equal for a folder and a zip of it."""
        total = sha256()
        for name in sorted(self.names.intersection(names)):
            if (own := self.digests.get(name)) is None:
                kept = self._contents.get(name)
                with self.stream(name) if kept is None else io.BytesIO(kept) as stream:
                    own = file_digest(stream, sha256).hexdigest()
            total.update(f"{name}\0{own}\n".encode())
        return total.hexdigest()


class _Guarded(io.RawIOBase):
    """A stored file, unpacked where its name ends in `.gz`; its faults become `SourceError`."""

    def __init__(self, name: str, stored: IO[bytes], go_on: GoOn) -> None:
        super().__init__()
        self._name = name
        self._go_on = go_on
        self._stored = stored
        self._plain = gzip.GzipFile(fileobj=stored) if name.endswith(".gz") else stored
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._go_on()
        try:
            part = self._plain.read(len(buffer))
        except (*_DAMAGED, OSError) as error:
            raise _unreadable(self._name, error, is_packed=self._plain is not self._stored) from error
        self._size += len(part)
        if self._plain is not self._stored:
            _check_ratio(self._name, self._size, self._stored.tell())
        buffer[: len(part)] = part
        return len(part)


def _unreadable(name: str, error: Exception, *, is_packed: bool = False) -> SourceError:
    """What is wrong with a file that cannot be opened or read; `is_packed` by gzip, as its name says."""
    if is_packed and isinstance(error, EOFError):
        return SourceError(name, "the gzip file ends too early", "Copy or pack it again")
    if is_packed and isinstance(error, OSError | zlib.error):
        return SourceError(name, f"is no sound gzip file ({error})", "Copy or pack it again")
    if isinstance(error, OSError):
        return SourceError(name, f"cannot be read ({error.strerror})", "Check the file")
    return SourceError(name, f"is damaged inside the zip ({error})", "Pack the zip again")


@contextmanager
def open_source(path: Path, *, lone: bool = False, go_on: GoOn = lambda: None) -> Iterator[ImportSource]:
    """The bundle at `path`, a folder or a zip file. Raises `SourceError` where it is absent or unsafe.

    A zip whose entries all lie in one top folder is read as if it were packed inside that folder. Where `lone` is
    set, a file that is no zip is a bundle of itself. `go_on` is the source's.
    """
    title = path.resolve().name
    if path.is_dir():
        files: dict[str, Opener] = {}
        for parent, _, names in os.walk(path):
            for inside in (Path(parent) / name for name in names):
                files[inside.relative_to(path).as_posix()] = partial(_open_regular, inside)
            if len(files) > MAX_FILES:
                problem, remedy = f"holds more than {MAX_FILES} files", "Give the bundle's own folder"
                raise SourceError(path.name, problem, remedy)
        yield ImportSource(title, files, go_on, is_folder=True)
    elif not path.exists():
        raise SourceError(str(path), "there is no such file or folder", "Check the path")
    elif not path.is_file():
        raise SourceError(str(path), "is neither a file nor a folder", "Give a folder or a zip file")
    elif lone and path.suffix != ".zip" and not zipfile.is_zipfile(path):
        yield ImportSource(title, {path.name: partial(_open_regular, path.resolve())}, go_on)
    else:
        try:
            archive = zipfile.ZipFile(path)
        except (*_DAMAGED, OSError) as error:
            raise SourceError(
                title, f"is no complete zip file ({error})", "Pack it again, or give a folder"
            ) from error
        with archive:
            yield ImportSource(title, _files_of_zip(archive, title), go_on)


def is_small(path: Path, most: int) -> bool:
    """Whether all that a file holds has at most so many bytes, unpacked; also where it cannot be read, which its reader tells."""
    left = most
    with suppress(SourceError), open_source(path, lone=True) as source:
        for name in source.names:
            with source.stream(name) as stream:
                while left >= 0 and (part := stream.read(_CHUNK)):
                    left -= len(part)
    return left >= 0


def _open_regular(path: Path) -> IO[bytes]:
    """Open a plain file; links and devices are refused, since they may lead out of the folder or never end."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise SourceError(path.name, "is a link or no regular file", "Put the file itself into the folder")
    return path.open("rb")


def _files_of_zip(archive: zipfile.ZipFile, title: str) -> dict[str, Opener]:
    entries = archive.infolist()
    if len(entries) > MAX_FILES:
        problem = f"holds {len(entries)} files, more than {MAX_FILES}, and is not opened"
        raise SourceError(title, problem, "Pack the bundle's own files alone")
    files: dict[str, Opener] = {}
    for entry in entries:
        _check_entry(entry, title)
        if entry.is_dir() or entry.filename.startswith("__MACOSX/"):
            continue
        if entry.filename in files:
            raise SourceError(title, f"holds {entry.filename!r} twice", "Pack it again with one of them")
        files[entry.filename] = partial(archive.open, entry)
    total = sum(entry.file_size for entry in entries)
    if total > MAX_BYTES:
        problem = f"unpacks to {total >> 20} MB, more than {MAX_BYTES >> 20} MB, and is not opened"
        raise SourceError(title, problem, "Split it")
    tops = {name.split("/", 1)[0] for name in files if "/" in name}
    if len(tops) == 1 and all("/" in name for name in files):
        return {name.split("/", 1)[1]: opener for name, opener in files.items()}
    return files


def _check_entry(entry: zipfile.ZipInfo, title: str) -> None:
    """Raise `SourceError` for an entry that points outside, is no plain file, or unpacks out of proportion."""
    # `filename` is cut at a NUL and has its separators changed by zipfile: judge what was written.
    name = entry.orig_filename
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0] or "\\" in name or "\0" in name:
        raise SourceError(
            title,
            f"the entry {name!r} points outside of the zip or is no plain path",
            "Pack it again with relative paths without '..'",
        )
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise SourceError(title, f"the entry {name!r} is a link or a device", "Pack the file itself")
    if entry.flag_bits & 0x1:
        raise SourceError(title, f"the entry {name!r} is encrypted", "Pack it without a password")
    _check_ratio(f"{title}: {name}", entry.file_size, entry.compress_size)


def _check_ratio(name: str, size: int, packed: int) -> None:
    if size > SMALL and size > MAX_RATIO * packed:
        problem = f"unpacks to more than {MAX_RATIO} times its packed size: a bomb, it is not opened"
        raise SourceError(name, problem, "Pack the true file")
