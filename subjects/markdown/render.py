"""Renders the seeded text with the chosen extensions."""

import functools

# Markdown 3.4 uses importlib.util without importing it.
import importlib.util  # noqa: F401

import markdown
from text import generate

ORDER = (
    "fenced_code",
    "codehilite",
    "tables",
    "footnotes",
    "smarty",
    "admonition",
    "wikilinks",
    "nl2br",
    "def_list",
    "toc",
)


@functools.lru_cache(maxsize=1)
def source(seed: int, sections: int) -> str:
    """Return the text, written once: the warm-up call pays for it."""
    return generate(seed, sections)


def run(options: dict[str, bool], workload: dict[str, int]) -> str:
    """Render the text of `workload`; every option is an extension that is on or off."""
    extensions = [f"markdown.extensions.{name}" for name in ORDER if options[name]]
    return markdown.markdown(source(workload["seed"], workload["sections"]), extensions=extensions)
