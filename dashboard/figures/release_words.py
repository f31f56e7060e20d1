"""In which release a change came first."""

from collections.abc import Sequence

from dashboard.release_names import release_of

# Of more releases the first and the last are named.
_NAMED = 3


def released_text(releases: Sequence[str], at: str = "") -> str:
    """`first released in 1.4.0`; of a change that may lie on either side of a release `first released in 1.3.0 or 1.4.0`.

    `releases` are the first ones of all revisions that it may have come with, oldest first, "" for none yet. "" of none at all, and of
    one that is known by the revision `at` which it is told.
    """
    named = [one for one in releases if one]
    if named == list(releases) == [release_of(at)]:
        return ""
    if not named:
        return "in no known release yet" if releases else ""
    if len(named) > _NAMED:
        told = f"one of {len(named)} releases, {named[0]} to {named[-1]}"
    else:
        told = " or ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    return f"first released in {told}{', or not yet' if len(named) < len(releases) else ''}"
