"""One revision, as its source names it."""

from dataclasses import dataclass
from datetime import datetime

LONGEST_AUTHOR = 120
LONGEST_BRANCH = 250


@dataclass(frozen=True, slots=True)
class SourceRevision:
    """One revision: `identifier` is a commit's hash, a release's version or a folder's digest.

    `released_at` is None where the date is not known; `names` are tags. Commits with the same `content` hold the same
    files that matter, or their builds made the same files; "" where that is not known. `changed_lines` counts the lines of such files that changed since the
    revision before it; None where that is not known. `author` is the name of who wrote it, "" where no git tells.
    Of the newest commit of an unmerged branch, `branch` is its name and `base` the identifier of the last revision of the
    history that it holds; its lines are those changed since. "" for a revision of the history. `released_in` is the first
    release, a tag, that holds the commit; "" where none does, or no git tells.
    """

    identifier: str
    released_at: datetime | None
    message: str
    names: tuple[str, ...] = ()
    content: str = ""
    changed_lines: int | None = None
    author: str = ""
    branch: str = ""
    base: str = ""
    released_in: str = ""
