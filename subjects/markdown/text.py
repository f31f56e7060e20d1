"""A text in Markdown from a seed: every construct that an option of the subject looks at."""

import random

WORDS = [
    "amber",
    "basin",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "harbour",
    "inlet",
    "juniper",
    "kettle",
    "lantern",
    "meadow",
    "nectar",
    "orchard",
    "pebble",
    "quarry",
    "ripple",
    "saddle",
    "timber",
    "upland",
    "valley",
    "willow",
    "yarrow",
    "zephyr",
    "anchor",
    "beacon",
    "canyon",
    "drift",
    "eddy",
]
NAMES = ("alpha", "beta", "gamma", "delta", "total", "count", "index", "limit")


def generate(seed: int, sections: int) -> str:
    """Return the text of `sections` sections, always the same for the same `seed`."""
    chance = random.Random(seed)  # noqa: S311 - a text, not a secret
    parts = ["[TOC]", "# " + sentence(chance, 4)]
    notes: list[str] = []
    for at in range(sections):
        parts += [
            "## " + sentence(chance, 3),
            paragraph(chance, 4),
            f"{sentence(chance, 8)}[^note{at}] {sentence(chance, 6)}",
            bullets(chance),
            "### " + sentence(chance, 2),
            paragraph(chance, 3),
            fenced(chance),
            table(chance),
            indented(chance),
            quote(chance),
            definitions(chance),
            admonition(chance),
        ]
        notes.append(f"[^note{at}]: {sentence(chance, 9)}")
    return "\n\n".join([*parts, *notes]) + "\n"


def sentence(chance: random.Random, length: int) -> str:
    """Return `length` words, some of them marked up, linked or quoted."""
    words = chance.choices(WORDS, k=length)
    at = chance.randrange(length)
    first, second = chance.choice(WORDS), chance.choice(WORDS)
    words[at] = chance.choice(
        (
            f"*{first}*",
            f"**{first} {second}**",
            f"`{first}.{second}`",
            f"[{first}](https://example.org/{second})",
            f"[[{first.title()} {second.title()}]]",
            f'"{first} {second}"',
            f"{first} -- {second}",
            f"{first}'s...",
        )
    )
    return " ".join(words)


def paragraph(chance: random.Random, lines: int) -> str:
    """Return a paragraph of some lines."""
    return "\n".join(sentence(chance, 10).capitalize() + "." for _ in range(lines))


def bullets(chance: random.Random) -> str:
    """Return a list with a list in it."""
    items = [f"* {sentence(chance, 6)}" for _ in range(3)]
    return "\n".join([*items, *(f"    1. {sentence(chance, 5)}" for _ in range(2))])


def code(chance: random.Random, lines: int) -> list[str]:
    """Return some lines of Python that mean nothing."""
    name, limit = chance.choice(NAMES), chance.randrange(10, 99)
    body = [f"def {name}(values, limit={limit}):", f'    """Return the {name} of values."""']
    for _ in range(lines):
        left, right = chance.sample(NAMES, 2)
        body.append(
            f"    {left} = [{right} * {chance.randrange(9)} for {right} in values if {right} < limit]"
        )
    return [*body, f"    return '{name}', limit"]


def fenced(chance: random.Random) -> str:
    """Return a block of code between fences."""
    return "\n".join(["```python", *code(chance, 5), "```"])


def indented(chance: random.Random) -> str:
    """Return an indented block of code, which needs no extension."""
    return "\n".join("    " + line for line in [":::python", *code(chance, 2)])


def table(chance: random.Random) -> str:
    """Return a table of three columns; its cells hold quotes and dashes."""
    rows = [" | ".join(sentence(chance, 3) for _ in range(3)) for _ in range(6)]
    return "\n".join([" | ".join(chance.choices(WORDS, k=3)), ":-- | :-: | --:", *rows])


def quote(chance: random.Random) -> str:
    """Return a quotation of two lines."""
    return "\n".join(f"> {sentence(chance, 9)}" for _ in range(2))


def definitions(chance: random.Random) -> str:
    """Return a definition list of two terms."""
    return "\n\n".join(
        f"{chance.choice(WORDS).title()}\n:   {sentence(chance, 8)}\n    {sentence(chance, 7)}"
        for _ in range(2)
    )


def admonition(chance: random.Random) -> str:
    """Return a box with text and a block of code in it."""
    inside = [sentence(chance, 9), "", *("    " + line for line in [":::python", *code(chance, 2)])]
    return "\n".join(
        [f'!!! note "{sentence(chance, 3)}"', *(f"    {line}" if line else "" for line in inside)]
    )
