"""CSV of any shape: a person says what each column holds.

The roles of columns are described in docs/reference/csv-mapping.md.
"""

from dataclasses import dataclass
from itertools import islice

from dashboard.importers.errors import Faults, InvalidSetting
from dashboard.importers.limits import LONGEST
from dashboard.importers.mapped_csv.assembly import assemble
from dashboard.importers.mapped_csv.dialect import Dialect, open_rows, read_dialect
from dashboard.importers.mapped_csv.gathering import MAX_ROWS, Gathered, Gathering, Layout
from dashboard.importers.mapped_csv.guessing import Guess, guess
from dashboard.importers.mapped_csv.roles import Role, check_roles, given_roles
from dashboard.importers.records import Imported
from dashboard.importers.settings import ImportSetting, ImportSettings, identity, single
from dashboard.importers.source import ImportSource

SETTINGS = (
    ImportSetting("map", "COLUMN=ROLE", "what a column holds; --preview proposes it", repeatable=True),
    ImportSetting("delimiter", "SIGN", "what separates the columns, where it is not told from the header"),
    ImportSetting("decimal", "SIGN", "the decimal sign, . or , where it is not told from the numbers"),
    ImportSetting("revision", "NAME", "the revision that ran, where no column tells it"),
    ImportSetting("workload", "NAME", "what the program was asked to do, where no column tells it"),
    ImportSetting("environment", "NAME", "the machine it ran on, where no column tells it"),
)
_DEFAULT = "as listed"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a file looks like: how it is written, a role for each column, and the first rows."""

    dialect: Dialect
    guesses: tuple[Guess, ...]


def propose(source: ImportSource, given: ImportSettings) -> Proposal:
    """A mapping to confirm. Raises `SourceError` and `InvalidSetting`."""
    dialect = read_dialect(source, given)
    return Proposal(dialect, guess(dialect))


def read(source: ImportSource, given: ImportSettings, *, most_rows: int | None = None) -> Imported:
    """The records of a table, of its first `most_rows` rows where that is given.

    Raises `InvalidSetting` for a wrong mapping, `InvalidBundle` with every bad cell, and `SourceError`.
    """
    faults = Faults()
    dialect = read_dialect(source, given)
    layout = _layout(dialect, given)
    gathering = Gathering(layout, faults)
    with open_rows(source, dialect) as rows:
        for line, row in islice(rows, most_rows):
            gathering.take(line, row)
            if gathering.found.rows > MAX_ROWS:
                faults.add(dialect.file, f"has more than {MAX_ROWS} rows", "Split the file", line=line)
                break
    found = gathering.found
    if not found.value and not faults.count:
        faults.add(
            dialect.file, "holds no value", "Check which columns are mapped as metric or value", line=1
        )
    faults.stop_if_any()
    digest = identity(source, None, given)
    manifest = {
        "columns": {dialect.header[place]: str(role) for place, role in layout.roles.items()},
        "encoding": dialect.encoding,
        "delimiter": dialect.delimiter,
        "decimal": dialect.decimal,
        "rows": found.rows,
    }
    records = assemble(
        title=source.title, digest=digest, layout=layout, found=found, manifest=manifest, faults=faults
    )
    faults.stop_if_any()
    return Imported(records, digest, tuple(_remarks(dialect, layout, found)))


def _layout(dialect: Dialect, given: ImportSettings) -> Layout:
    roles = given_roles(given)
    header = dialect.header
    for column in sorted({name for name in header if header.count(name) > 1} & set(roles)):
        raise InvalidSetting("map", "two columns have this name", "Rename one in the file", column)
    for column in roles:
        if column not in header:
            remedy = f"The columns are {', '.join(header)}"
            raise InvalidSetting("map", "there is no such column", remedy, column)
    check_roles(roles)
    placed = {place: roles[name] for place, name in enumerate(header) if name in roles}
    defaults = {}
    for name in ("revision", "workload", "environment"):
        defaults[name] = single(given, name) or _DEFAULT
        if len(defaults[name]) > LONGEST[name] or not defaults[name].isprintable():
            raise InvalidSetting(name, "cannot be stored", f"Use up to {LONGEST[name]} plain characters")
    used = {place: role for place, role in placed.items() if role.kind != "ignore"}
    return Layout(dialect.file, header, used, defaults, dialect.decimal)


def _remarks(dialect: Dialect, layout: Layout, found: Gathered) -> list[str]:
    remarks = []
    if dialect.encoding == "latin-1":
        remarks.append(f"{dialect.file} is not UTF-8 and was read as Latin-1: check names with accents.")
    left = [name for place, name in enumerate(dialect.header) if place not in layout.roles]
    if left:
        shown = ", ".join(left[:8]) + (", ..." if len(left) > 8 else "")
        remarks.append(f"{dialect.file}: columns left out: {shown}.")
    if found.blanks:
        remarks.append(
            f"{dialect.file}: {found.blanks} of {found.rows} rows hold no value and were left out."
        )
    scaled = sorted(
        {role.unit for role in layout.roles.values() if role.quantity == "time" and role.unit != "s"}
    )
    if scaled:
        remarks.append(f"{dialect.file}: times in {', '.join(scaled)} are stored in seconds.")
    return remarks


__all__ = ["SETTINGS", "Guess", "Proposal", "Role", "propose", "read"]
