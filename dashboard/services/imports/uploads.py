"""Files that came in by the browser, until they are imported: each in a folder of its own under `var/uploads`."""

import contextlib
import json
import re
import secrets
import shutil
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.conf import settings

from dashboard.access import NotFound, Principal, Refused
from dashboard.importers.errors import SourceError
from dashboard.importers.registry import formats_told
from dashboard.importers.source import is_small, open_source

# An upload that nobody imported goes after a day.
KEPT_SECONDS = 24 * 3600
ENDINGS = (".zip", ".csv", ".tsv", ".txt", ".log", ".jtl", ".json", ".xml", ".gz")
# Who sends a file is answered within a second: larger ones are checked by the job, and those that unpack to more.
_CHECKED_AT_ONCE, _CHECKED_UNPACKED = 2 << 20, 1 << 24
_TOKEN = re.compile(r"[0-9a-f]{32}")
_ABOUT = "about.json"
_FOLDER = "file"
_LONGEST_NAME = 120
# Of all files of an account that wait for their import.
_MOST_WAITING = 4 << 30


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that waits for its import; `settings` are what its sender chose so far."""

    token: str
    name: str
    size: int
    user_id: int | None
    format_name: str
    system_name: str

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return _root() / self.token / _FOLDER / self.name

    @property
    def is_checked_at_once(self) -> bool:
        """Whether whoever sends it waits until it is read and checked."""
        return self.size <= _CHECKED_AT_ONCE and is_small(self.path, _CHECKED_UNPACKED)


def receive_upload(
    *, principal: Principal, name: str, parts: Iterable[bytes], format_name: str, system_name: str
) -> Upload:
    """Keep a file. Its name serves for messages and formats only: what stands before the last slash is dropped.

    Raises `Refused` for a name without one of the known endings, for an empty file, and where too many wait.
    """
    plain = re.sub(r"[^\w.() -]", "_", name.replace("\\", "/").rpartition("/")[2]).strip(". ")[
        -_LONGEST_NAME:
    ]
    if not plain.lower().endswith(ENDINGS):
        raise Refused(f"{name[:80]!r} is no file that can be imported: it must end in {', '.join(ENDINGS)}")
    waiting = 0
    for about in _root().glob(f"*/{_ABOUT}"):
        # Another request may take it away meanwhile.
        with contextlib.suppress(FileNotFoundError):
            known = json.loads(about.read_text(encoding="utf-8"))
            waiting += known["size"] if known["user_id"] == principal.user_id else 0
    if waiting > _MOST_WAITING:
        raise Refused(
            f"your files that wait for their import take {waiting >> 30} GB: import or discard one first"
        )
    token = secrets.token_hex(16)
    folder = _root() / token / _FOLDER
    folder.mkdir(parents=True, mode=0o700)
    size = 0
    try:
        with (folder / plain).open("xb") as stream:
            for part in parts:
                size += stream.write(part)
        upload = Upload(token, plain, size, principal.user_id, format_name, system_name)
        (folder.parent / _ABOUT).write_text(json.dumps(asdict(upload)), encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder.parent, ignore_errors=True)
        raise
    if not size:
        drop_upload(token)
        raise Refused(f"{plain!r} is empty: choose another file")
    return upload


def find_upload(*, principal: Principal, token: str) -> Upload:
    """An upload of one's own. Raises `NotFound`."""
    about = _root() / token / _ABOUT
    if _TOKEN.fullmatch(token) and about.is_file():
        upload = Upload(**json.loads(about.read_text(encoding="utf-8")))
        if upload.user_id == principal.user_id:
            return upload
    raise NotFound("this upload is gone: it was imported, or it is older than a day. Upload the file again")


def settle_format(upload: Upload) -> Upload:
    """The upload with the format that its content tells. Raises `Refused` where it tells none or several, and drops it then."""
    try:
        with open_source(upload.path, lone=True) as source:
            found = formats_told(source)
    except SourceError as error:
        drop_upload(upload.token)
        raise Refused(str(error)) from None
    if len(found) != 1:
        drop_upload(upload.token)
        several = (
            f"may be of several formats: {', '.join(found)}" if found else "tells no format that is known"
        )
        raise Refused(f"the content of {upload.name!r} {several}. Choose what the file holds")
    settled = replace(upload, format_name=found[0])
    (_root() / upload.token / _ABOUT).write_text(json.dumps(asdict(settled)), encoding="utf-8")
    return settled


def drop_upload(token: str) -> None:
    """Take an upload away; nothing happens where it is gone."""
    if _TOKEN.fullmatch(token):
        shutil.rmtree(_root() / token, ignore_errors=True)


def ages_of_uploads() -> dict[str, float]:
    """The seconds since each upload that lies there came in, by its token."""
    if not _root().is_dir():
        return {}
    folders = [folder for folder in _root().iterdir() if _TOKEN.fullmatch(folder.name)]
    return {folder.name: time.time() - folder.stat().st_mtime for folder in folders}


def _root() -> Path:
    return Path(settings.VAR) / "uploads"
