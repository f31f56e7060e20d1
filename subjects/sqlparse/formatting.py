"""Formats seeded SQL with the chosen options."""

import functools

import sqlparse
from statements import generate


@functools.lru_cache(maxsize=1)
def source(seed: int, statements: int) -> str:
    """Return the SQL, written once: the warm-up call pays for it."""
    return generate(seed, statements)


def run(options: dict[str, bool], workload: dict[str, int]) -> str:
    """Format the SQL of `workload`."""
    return sqlparse.format(
        source(workload["seed"], workload["statements"]),
        keyword_case="upper" if options["keyword_case"] else None,
        identifier_case="upper" if options["identifier_case"] else None,
        truncate_strings=12 if options["truncate_strings"] else None,
        strip_comments=options["strip_comments"],
        use_space_around_operators=options["use_space_around_operators"],
        strip_whitespace=options["strip_whitespace"],
        reindent=options["reindent"],
        reindent_aligned=options["reindent_aligned"],
        comma_first=options["comma_first"],
        wrap_after=40 if options["wrap_after"] else 0,
    )
