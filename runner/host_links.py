"""Where revisions are shown in the web: how the host of a repository addresses its commits, and the address of one revision.

Such patterns come out of files that anybody wrote: only http and https are taken, and no name or password in them.
"""

import re
from typing import Annotated
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

COMMIT, REVISION = "{commit}", "{revision}"
LONGEST = 400
# How hosts write the address of a commit behind that of the repository, by a word of the host's name.
_COMMITS = {
    "github": "/commit/",
    "gitlab": "/-/commit/",
    "bitbucket": "/commits/",
    "codeberg": "/commit/",
    "gitea": "/commit/",
    "forgejo": "/commit/",
    "sr": "/commit/",
}
_CGIT = "/commit/?id="
_SCHEMES = {"http", "https", "ssh", "git", "git+ssh"}
# A place as ssh has it, git@host:owner/name.
_OF_SSH = re.compile(r"(?:[\w.-]+@)?(?P<host>[\w-]+(?:\.[\w-]+)+):(?P<path>[^/].*)")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?", re.ASCII)
_PATH = re.compile(r"[\w.~-]+(?:/[\w.~-]+)+", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{7,64}")


def commit_pattern(repository: str) -> str:
    """Return how the host of a repository addresses a commit, with `COMMIT` in it; "" for a host that is not known."""
    ssh = None if "://" in repository else _OF_SSH.fullmatch(repository.strip())
    if ssh:
        scheme, host, port, path = "ssh", ssh["host"].lower(), None, ssh["path"]
    else:
        try:
            parts = urlsplit(repository.strip())
            scheme, host, port, path = parts.scheme, parts.hostname or "", parts.port, parts.path
        except ValueError:
            return ""
    path = path.strip("/")
    if scheme not in _SCHEMES or not _HOST.fullmatch(host) or not _PATH.fullmatch(path):
        return ""
    # The port is that of ssh, or of git, not of the web.
    is_web = scheme in {"http", "https"}
    server = f"{scheme if is_web else 'https'}://{host}{f':{port}' if port and is_web else ''}"
    words = host.split(".")
    if "cgit" in {*words, *path.split("/")} or host == "git.kernel.org":
        found = f"{server}/{path}{_CGIT}{COMMIT}"
    else:
        way = next((_COMMITS[word] for word in words if word in _COMMITS), "")
        found = f"{server}/{path.removesuffix('.git')}{way}{COMMIT}" if way else ""
    return found if len(found) <= LONGEST else ""


def problem_of(pattern: str) -> str:
    """Return what is wrong with a pattern of addresses, "" where nothing is."""
    try:
        parts = urlsplit(pattern)
        host = parts.hostname
    except ValueError:
        return "is no address of a web page"
    if parts.scheme not in {"http", "https"} or not host or "{" in parts.netloc:
        return "is no address of a web page: begin it with https://"
    if "@" in parts.netloc:
        return "holds a name or password: leave them away"
    faults = {
        "holds blanks, quotes or other characters that no address has": (
            not pattern.isprintable() or bool(re.search(r"[\s\"'<>\\]", pattern))
        ),
        f"is longer than {LONGEST} characters": len(pattern) > LONGEST,
        f"does not say where the commit stands: write {COMMIT} there once, or {REVISION} for its name": (
            pattern.count(COMMIT) + pattern.count(REVISION) != 1
        ),
    }
    return next((words for words, is_so in faults.items() if is_so), "")


def _checked(pattern: str) -> str:
    if pattern and (problem := problem_of(pattern)):
        raise PydanticCustomError("host_link", problem)
    return pattern


HostLink = Annotated[str, AfterValidator(_checked)]


def address_of(pattern: str, *, name: str, commit: str) -> str:
    """Return the address at which a revision is shown; "" where the pattern or the commit that it needs is not known."""
    # Stored patterns are checked again: this becomes a link.
    if not pattern or problem_of(pattern):
        return ""
    if REVISION in pattern:
        return pattern.replace(REVISION, quote(name, safe=""))
    return pattern.replace(COMMIT, commit) if _HASH.fullmatch(commit) else ""
