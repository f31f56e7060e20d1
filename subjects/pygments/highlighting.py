"""Highlights seeded Python source with the chosen formatter."""

import functools

import pygments
from code_text import generate
from pygments.formatters import get_formatter_by_name
from pygments.lexers import get_lexer_by_name


@functools.lru_cache(maxsize=1)
def source(seed: int, functions: int) -> str:
    """Return the source, written once: the warm-up call pays for it."""
    return generate(seed, functions)


def run(options: dict[str, object], workload: dict[str, int]) -> str:
    """Highlight the source of `workload`."""
    # The alias "python" changed its meaning in 2.5; this one never did.
    lexer = get_lexer_by_name("python3", stripall=options["stripall"])
    formatter = get_formatter_by_name(str(options["formatter"]), linenos=options["linenos"])
    return str(pygments.highlight(source(workload["seed"], workload["functions"]), lexer, formatter))
