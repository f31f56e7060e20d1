"""Tags of a repository: which commits they name, which of them are releases, and the first release that holds a commit."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from .git_history import inside, is_shallow, run_git
from .subjects import GitRevisions

# Longer ones, and those with signs that are not seen, are no names for people.
LONGEST_TAG = 250
# At least two numbers, as 1.4 and REL_16_1, or one behind a v, as v250.
_VERSION = re.compile(r"\d+(?:[._]\d+)+|(?<![A-Za-z])[vV]\d+(?![\d.])")
# What stands behind the number of a version that is not final, or before it.
_BEHIND = re.compile(
    r"[-._+]?(?:a|alpha|b|beta|c|rc|pre|preview|dev|m|milestone|ea|next|canary|nightly|snapshot)(?![A-Za-z])",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"(?<![A-Za-z])(?:nightly|canary|snapshot)(?![A-Za-z])", re.IGNORECASE)
_FIELDS = "%(refname:strip=2)%1f%(objecttype) %(objectname)%1f%(*objecttype) %(*objectname)"


def tags(place: Path) -> dict[str, tuple[str, ...]]:
    """Return the tags of the repository at `place` by the commit that each names; those of one commit by name."""
    printed = run_git(*inside(place), "for-each-ref", "--sort=refname", f"--format={_FIELDS}", "refs/tags")
    found: dict[str, tuple[str, ...]] = {}
    for line in printed.decode("utf-8", "replace").split("\n"):
        name, *objects = line.split("\x1f")
        commits = [one.removeprefix("commit ") for one in objects if one.startswith("commit ")]
        if commits and len(name) <= LONGEST_TAG and name.isprintable():
            found[commits[0]] = (*found.get(commits[0], ()), name)
    return found


def first_releases(
    place: Path, source: GitRevisions, named: Mapping[str, tuple[str, ...]], listed: Sequence[str]
) -> dict[str, str]:
    """Return for each of the commits `listed`, oldest first, the first release that holds it; none for one in no release.

    Releases are the tags, by commit in `named`, that `source.releases` means; without such patterns those with the number of
    a version. The first is that of the oldest commit, however late its tag came. A pre-release counts where no other
    release holds the commit. Of a shallow clone nothing is told: a release that it lacks may be an earlier one.
    """
    finals: dict[str, str] = {}
    others: dict[str, str] = {}
    for commit, names in named.items():
        releases = [name for name in names if _is_release(name, source.releases)]
        if releases:
            # Of several names of one release the one that says most: v1.4.2, not v1.
            best = min(releases, key=lambda name: (_is_early(name), -len(re.findall(r"\d+", name)), name))
            (others if _is_early(best) else finals)[commit] = best
    if not (finals or others) or not listed or is_shallow(place):
        return {}
    # What is older than all that is listed is not looked at.
    asked = [*finals, *others, f"^{listed[0]}^@"]
    order = ("rev-list", "--date-order", "--reverse", "--parents", "--stdin")
    printed = run_git(*inside(place), *order, stdin="".join(f"{one}\n" for one in asked).encode()).decode()
    parents = {commit: before for commit, *before in map(str.split, printed.splitlines())}
    found: dict[str, str] = {}
    for releases_at in (finals, others):
        for commit in parents:
            # Itself, and all that it descends from and no earlier release holds.
            left = [commit] if commit in releases_at else []
            while left:
                one = left.pop()
                if one in parents and one not in found:
                    found[one] = releases_at[commit]
                    left += parents[one]
    return {one: found[one] for one in listed if one in found}


def _is_release(name: str, patterns: Sequence[str]) -> bool:
    if patterns:
        return any(fnmatchcase(name, pattern) for pattern in patterns)
    return _VERSION.search(name) is not None


def _is_early(name: str) -> bool:
    """Whether a tag names what comes before a release: 1.0rc1, v2.0-beta.3, nightly-2024.05.01."""
    number = _VERSION.search(name)
    behind = name if number is None else name[number.end() :]
    before = "" if number is None else name[: number.start()]
    return bool(_BEHIND.match(behind) or _BEFORE.search(before))
