"""Revisions of branches that were not merged: they come in with the place where their branch left the order, and stand in none."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from dashboard.importers.errors import InvalidSetting
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import Imported
from dashboard.importers.settings import ImportSetting, ImportSettings
from dashboard.importers.source import ImportSource

BASE = ImportSetting(
    "base",
    "REVISION",
    "for an unmerged branch, where it left the order: what ran is drawn there, and is no part of any history. Of several, the "
    "nearest first, the first one that is known counts",
    repeatable=True,
)
# What is shorter may begin too many commits.
_SHORTEST = 7
_Read = Callable[[ImportSource, ImportSettings], Imported]


def is_called(text: str, *, name: str, commit: str, tags: str = "") -> bool:
    """Whether a text names a revision: by its name, by one of its commit's tags, by its commit's beginning, or by the commit whose beginning is the name."""
    if text == name or text in tags.split():
        return True
    return len(text) >= _SHORTEST and (
        commit.startswith(text) or (len(name) >= _SHORTEST and text.startswith(name))
    )


def on_branch(imported: Imported, bases: Sequence[str]) -> Imported:
    """What was read as of a branch that left the first of the bases: all revisions but these stand in no order.

    Raises `InvalidSetting` where a base is all that was read.
    """
    records = imported.records
    revisions = tuple(
        one
        if any(is_called(base, name=one.name, commit=one.commit, tags=one.tags) for base in bases)
        else replace(one, base=bases[0])
        for one in records.revisions
    )
    unmerged = {one.name for one in revisions if one.base}
    if not unmerged:
        remedy = "Name the one that its branch left, or leave it away"
        raise InvalidSetting(BASE.name, "is the revision that ran", remedy, bases[0])
    orders = [
        replace(one, places={name: at for name, at in one.places.items() if name not in unmerged})
        for one in records.orders
    ]
    placed = tuple(one for one in orders if one.places)
    return replace(imported, records=replace(records, revisions=revisions, orders=placed))


def with_base(read: _Read) -> _Read:
    """A format's reader that also takes the setting `base`: what it reads of other revisions then stands in no order.

    The base itself keeps its place. It raises `InvalidSetting` for a base that no table holds, and as `on_branch` does.
    """

    def read_with_base(source: ImportSource, given: ImportSettings) -> Imported:
        bases = given.get(BASE.name, ())
        for one in bases:
            if len(one) > LONGEST["revision"] or not one.isprintable():
                remedy = f"Use up to {LONGEST['revision']} plain characters"
                raise InvalidSetting(BASE.name, "cannot be stored", remedy, one[:80])
        imported = read(source, given)
        return on_branch(imported, bases) if bases else imported

    return read_with_base
