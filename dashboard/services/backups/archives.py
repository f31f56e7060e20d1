"""The file of a backup: a ZIP with the database, the needed files of `var/`, and a manifest with their checksums."""

import hashlib
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from dashboard.access import Refused

FORMAT = "perfatlas backup"
VERSION = 1
DATABASE = "database"
# What stands in `var/` and nowhere else: files that wait for their import, and runs that were made for evaluations.
# The rest is made anew: environments of subjects, compressed scripts, messages of the embedded broker.
KEPT_FOLDERS = ("uploads", "evaluations")
_FILES = "var/"
_MANIFEST = "manifest.json"
_MOST_MANIFEST_BYTES = 16 << 20
_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """What a backup says of itself.

    `engine` is sqlite or postgresql; `migrations` are those that its tables have, as `app.name`; `rows` counts the rows of
    each table; `files` gives size in bytes and SHA-256 of each member.
    """

    made_at: str
    engine: str
    migrations: tuple[str, ...]
    rows: dict[str, int]
    files: dict[str, tuple[int, str]] = field(default_factory=dict)


class BackupWriter:
    """A backup that is being written: each member is hashed on its way."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED, compresslevel=1)
        self._files: dict[str, tuple[int, str]] = {}

    def add(self, name: str, source: IO[bytes]) -> None:
        """Append a member with all that the stream holds."""
        digest, size = hashlib.sha256(), 0
        with self._zip.open(name, "w", force_zip64=True) as member:
            while piece := source.read(_PIECE_BYTES):
                digest.update(piece)
                size += len(piece)
                member.write(piece)
        self._files[name] = (size, digest.hexdigest())

    def add_folders(self, var: Path) -> None:
        """Append the files below `var` that a backup keeps. One that is taken away meanwhile was no more needed."""
        for folder in KEPT_FOLDERS:
            for path in sorted((var / folder).rglob("*")):
                if not path.is_symlink() and path.is_file():
                    try:
                        source = path.open("rb")
                    except FileNotFoundError:
                        continue
                    with source:
                        self.add(f"{_FILES}{path.relative_to(var).as_posix()}", source)

    def finish(self, manifest: BackupManifest) -> None:
        """Write the manifest and close the file."""
        text = {"format": FORMAT, "version": VERSION, **asdict(manifest), "files": self._files}
        self._zip.writestr(_MANIFEST, json.dumps(text, indent=1))
        self._zip.close()


class BackupReader:
    """A backup whose manifest was read and whose members were all compared with their checksums."""

    def __init__(self, opened: zipfile.ZipFile, path: Path) -> None:
        self._zip = opened
        self._path = path
        self.manifest = self._read_manifest()
        self._check_members()

    def extract_database(self, target: Path) -> None:
        """Write the database's copy to a file."""
        self._extract(DATABASE, target)

    def extract_folders(self, target: Path) -> None:
        """Write the kept files of `var/` below a folder."""
        for name in self.manifest.files:
            if name.startswith(_FILES):
                path = target / name.removeprefix(_FILES)
                path.parent.mkdir(parents=True, exist_ok=True)
                self._extract(name, path)

    def _extract(self, name: str, target: Path) -> None:
        with target.open("xb") as file:
            for piece in self._pieces(name):
                file.write(piece)

    def _pieces(self, name: str) -> Iterator[bytes]:
        with self._zip.open(name) as member:
            while piece := member.read(_PIECE_BYTES):
                yield piece

    def _read_manifest(self) -> BackupManifest:
        try:
            with self._zip.open(_MANIFEST) as member:
                said: dict[str, Any] = json.loads(member.read(_MOST_MANIFEST_BYTES))
            version = {FORMAT: said["version"]}[said["format"]]
            if version > VERSION:
                raise Refused(
                    f"{self._path.name} is a backup of version {version}, made by a newer Perfatlas; this one "
                    f"reads up to version {VERSION}: update first"
                )
            return BackupManifest(
                made_at=str(said["made_at"]),
                engine=str(said["engine"]),
                migrations=tuple(map(str, said["migrations"])),
                rows={str(table): int(count) for table, count in said["rows"].items()},
                files={str(name): (int(size), str(digest)) for name, (size, digest) in said["files"].items()},
            )
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise Refused(
                f"{self._path.name} is no backup of Perfatlas: its {_MANIFEST} is missing or not readable"
            ) from error

    def _check_members(self) -> None:
        """Refuse what differs from the manifest, and names that lead elsewhere."""
        wanted = self.manifest.files
        found = {info.filename for info in self._zip.infolist()} - {_MANIFEST}
        self._refuse("lacks", sorted({DATABASE, *wanted} - found))
        self._refuse("holds more than its manifest names:", sorted(found - wanted.keys()))
        self._refuse("has impossible names:", [name for name in wanted if not _is_possible(name)])
        for name, (size, digest) in wanted.items():
            told, counted = hashlib.sha256(), 0
            try:
                for piece in self._pieces(name):
                    told.update(piece)
                    counted += len(piece)
                    if counted > size:
                        break
            except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError):
                counted = -1
            if (counted, told.hexdigest()) != (size, digest):
                self._refuse("is damaged: the checksum is not that of", [name])

    def _refuse(self, fault: str, names: Iterable[str]) -> None:
        if listed := ", ".join(list(names)[:3]):
            raise Refused(f"{self._path.name} {fault} {listed}. Take another backup")


def _is_possible(name: str) -> bool:
    """Whether a member is the database, or a file below one of the kept folders."""
    parts = PurePosixPath(name).parts
    is_kept = len(parts) > 2 and f"{parts[0]}/" == _FILES and parts[1] in KEPT_FOLDERS
    return name == DATABASE or (is_kept and ".." not in parts and "\\" not in name and "\0" not in name)


@contextmanager
def read_backup(path: Path) -> Iterator[BackupReader]:
    """Open a backup and check all of it. Raises `Refused`, naming what is the matter."""
    try:
        opened = zipfile.ZipFile(path)
    except (OSError, zipfile.BadZipFile) as error:
        reason = getattr(error, "strerror", None) or "it is no ZIP file, or it was cut off"
        raise Refused(f"cannot read {path}: {reason}") from error
    with opened:
        yield BackupReader(opened, path)
