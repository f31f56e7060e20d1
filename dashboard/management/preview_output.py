"""What a command says of a file before it is imported."""

import shlex
from collections.abc import Sequence

from dashboard.importers.mapped_csv.dialect import CsvDialect
from dashboard.importers.mapped_csv.guessing import ColumnGuess
from dashboard.importers.preview import Preview
from dashboard.services.imports.amounts import in_words


def words_of_table(dialect: CsvDialect, guesses: Sequence[ColumnGuess]) -> str:
    """A table as it was read, and the proposed mapping as arguments to copy."""
    lines = [
        f"encoding {dialect.encoding}, delimiter {dialect.delimiter!r}, decimal sign {dialect.decimal!r}",
        "proposed mapping (correct it; what is left out is not imported):",
        *(f"  --map {shlex.quote(f'{one.column}={one.role}')}" for one in guesses),
        "first rows:",
        *("  " + " | ".join(row) for row in (dialect.header, *dialect.sample[:5])),
    ]
    return "\n".join(lines)


def words_of_preview(found: Preview) -> str:
    """What would come in."""
    lines = [
        in_words(
            [
                (found.runs, "run", "runs"),
                (found.configurations, "configuration", "configurations"),
                (found.regions, "region", "regions"),
                (found.points, "point of histories", "points of histories"),
            ]
        )
        + (f"; up to {found.most_repetitions} repetitions" if found.most_repetitions > 1 else ""),
        f"revisions: {_listed(found.revisions)}",
        f"metrics: {_listed(found.metrics)}",
        *(f"option {name}: {_listed(labels)}" for name, labels in found.options.items()),
        "nothing was imported",
    ]
    return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + (f", ... ({len(names)} in all)" if len(names) > 10 else "")
