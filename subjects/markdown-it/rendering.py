"""Renders the seeded text with the chosen rules and settings."""

import functools

from markdown_it import MarkdownIt
from passages import generate

RULES = ("table", "blockquote", "fence", "emphasis", "strikethrough", "link", "backticks", "escape", "entity")
SETTINGS = ("html", "breaks", "typographer")


@functools.lru_cache(maxsize=1)
def source(seed: int, sections: int) -> str:
    """Return the text, written once: the warm-up call pays for it."""
    return generate(seed, sections)


def run(options: dict[str, bool], workload: dict[str, int]) -> str:
    """Render the text of `workload`; an option is a rule or a setting that is on or off."""
    parser = MarkdownIt("js-default", {name: options[name] for name in SETTINGS})
    parser.disable([name for name in RULES if not options[name]])
    return str(parser.render(source(workload["seed"], workload["sections"])))
