"""Releases of a package, through pip and whatever indexes the person has configured for it."""

import re
import tarfile
import zipfile
from contextlib import suppress
from datetime import UTC, datetime, time
from pathlib import Path

from packaging.version import InvalidVersion, Version

from .errors import RevisionsUnavailable, SelectionInvalid
from .pip import cause_in, run_pip
from .state import RunnerState, readable_folder
from .subjects import ReleaseRevisions

_LISTED = re.compile(r"^Available versions: (.+)$", re.MULTILINE)
_LISTING_SECONDS = 300.0
# Zip files cannot tell of a year before 1980; an archive that claims the years just after it knows no date.
_FIRST_TRUE_YEAR = 1991


def versions(source: ReleaseRevisions, state: RunnerState) -> tuple[str, ...]:
    """Return the releases that `source` asks for, oldest first; raises `RevisionsUnavailable`."""
    asked = run_pip(state, ["index", "versions", source.package], timeout_seconds=_LISTING_SECONDS)
    listed = _LISTED.search(asked.output)
    if not asked.succeeded or listed is None:
        message = f"pip {asked.in_words()} listing {source.package}: {cause_in(asked.output)}"
        raise RevisionsUnavailable(message)
    available = []
    for text in listed[1].split(","):
        # Indexes list names that are no version, too; pip installs none of them.
        with suppress(InvalidVersion):
            available.append(Version(text.strip()))
    available.sort()
    missing = [text for text in source.versions if Version(text) not in available]
    if missing:
        message = (
            f"pip finds no {source.package} {', '.join(missing)}: change revisions.versions in subject.toml"
        )
        raise RevisionsUnavailable(message)
    excluded = {Version(text) for text in source.exclude}
    wanted = {Version(text) for text in source.versions}
    return tuple(
        str(version)
        for version in available
        if version not in excluded
        and (not wanted or version in wanted)
        and (source.min is None or version >= Version(source.min))
        and (source.max is None or version <= Version(source.max))
    )


def check_version(identifier: str) -> None:
    """Raise `SelectionInvalid` unless `identifier` is a PEP 440 version in the form that `versions` lists."""
    try:
        listed = str(Version(identifier))
    except InvalidVersion:
        listed = ""
    if not identifier or identifier != listed:
        raise SelectionInvalid(
            f"{identifier!r} is no version of a release as PEP 440 writes it: list the revisions again"
        )


def archive_folder(source: ReleaseRevisions, identifier: str, state: RunnerState) -> Path:
    """Return the folder where the download of one release is kept; it need not exist.

    Raises `SelectionInvalid` for what is no version: nothing but versions may become a path.
    """
    check_version(identifier)
    kept = archives(source, state)
    folder = kept / identifier
    if folder.parent != kept or folder.resolve().parent != kept.resolve():
        raise SelectionInvalid(f"{identifier!r} leads out of the folder of archives")
    return folder


def archives(source: ReleaseRevisions, state: RunnerState) -> Path:
    """Return the folder where downloads of the package are kept, a folder for each version."""
    return readable_folder(state.folder("archives") / source.package.lower())


def archive_date(path: Path) -> datetime | None:
    """Return the newest date of a file in the archive, which is when it was packed; None where it tells none."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                dates = {datetime(*member.date_time, tzinfo=UTC) for member in wheel.infolist()}
        else:
            with tarfile.open(path) as source:
                dates = {datetime.fromtimestamp(member.mtime, tz=UTC) for member in source}
    except (OSError, ValueError, tarfile.TarError, zipfile.BadZipFile):
        return None
    newest = max(dates, default=None)
    # Tools that build reproducibly give every file one made-up midnight.
    made_up = len(dates) == 1 and newest is not None and newest.time() == time.min
    return None if newest is None or made_up or newest.year < _FIRST_TRUE_YEAR else newest
