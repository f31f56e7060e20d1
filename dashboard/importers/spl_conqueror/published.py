"""Published coefficients, and the terms that their authors call relevant."""

import re
from collections.abc import Collection

from analytics.configurations.feature_models.folding import Folding
from dashboard.importers.columns import numbers
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import CoefficientRecord
from dashboard.importers.spl_conqueror.roles import REVISION
from dashboard.importers.tables import Table

Levels = dict[str, str | tuple[str, ...]]
# What the tool that learned the models adds to the names of revisions, and a column that is no term.
_SUFFIX = "_opt"
_ERROR = "error"
_FACTORS = re.compile(r"\s*\*\s*")


def read_coefficients(
    table: Table,
    folding: Folding,
    *,
    revisions: Collection[str],
    metric: int,
    faults: Faults,
    remarks: list[str],
) -> tuple[tuple[CoefficientRecord, ...], dict[str, float]]:
    """The coefficients of every revision, and the published error of each revision's model."""
    names = [_known(name, revisions) for name in table[REVISION]]
    _check_revisions(table, names, revisions, faults)
    records: list[CoefficientRecord] = []
    for position, column in enumerate(table.columns, start=1):
        if column in (REVISION, _ERROR):
            continue
        # A column without a name has a place at least.
        term = column or f"(column {position})"
        if len(term) > LONGEST["term"]:
            faults.add(table.file, "a term is too long", "Shorten it", line=1, column=term)
            continue
        levels = levels_of_term(term, folding)
        if levels is None:
            remarks.append(
                f"{table.file}: options do not tell the term {term!r}; it is kept as it is written."
            )
        values = numbers(table, column, faults).tolist()
        records += [
            CoefficientRecord(0, name, metric, term, levels, value)
            for name, value in zip(names, values, strict=True)
        ]
    if any(name != written for name, written in zip(names, table[REVISION], strict=True)):
        remarks.append(f"{table.file}: revisions are told without their ending {_SUFFIX}.")
    errors = numbers(table, _ERROR, faults).tolist() if _ERROR in table else []
    return tuple(records), dict(zip(names, errors, strict=False))


def _check_revisions(table: Table, names: list[str], revisions: Collection[str], faults: Faults) -> None:
    for row, name in enumerate(names):
        if name not in revisions:
            table.note(
                faults, row, REVISION, problem="was not measured", remedy="Correct the revision's name"
            )
        elif names.index(name) < row:
            table.note(faults, row, REVISION, problem="is there twice", remedy="Keep one of the two rows")


def levels_of_term(term: str, folding: Folding) -> Levels | None:
    """The level of each option that a term selects, or the levels any of which do; {} for the base.

    None where the term names what is no feature, or features that are never together.
    """
    fitting: dict[str, tuple[int, ...]] = {}
    for name in _FACTORS.split(term):
        presence = folding.presences.get(name)
        if presence is None:
            return None
        if presence.option is not None:
            before = fitting.get(presence.option, presence.levels)
            fitting[presence.option] = tuple(level for level in before if level in presence.levels)
    if not all(fitting.values()):
        return None
    labels = {
        name: tuple(folding.option(name).text(one) for one in levels) for name, levels in fitting.items()
    }
    return {name: found[0] if len(found) == 1 else found for name, found in labels.items()}


def relevant_terms(text: str, revisions: Collection[str]) -> dict[str, list[str]]:
    """The terms that are called relevant by revision, from lines `REVISION: term;term;`."""
    found = {}
    for line in text.splitlines():
        name, colon, terms = line.partition(":")
        if colon and (known := _known(name.strip(), revisions)) in revisions:
            found[known] = [term.strip() for term in terms.split(";") if term.strip()]
    return found


def _known(name: str, revisions: Collection[str]) -> str:
    short = name.removesuffix(_SUFFIX)
    return short if name not in revisions and short in revisions else name
