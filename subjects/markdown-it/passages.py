"""A text in Markdown from a seed: every construct that an option of the subject looks at."""

import random

WORDS = (
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
)


def generate(seed: int, sections: int) -> str:
    """Return the text of `sections` sections, always the same for the same `seed`."""
    chance = random.Random(seed)  # noqa: S311 - a text, not a secret
    return "\n\n".join(part for _ in range(sections) for part in section(chance))


def words(chance: random.Random, count: int) -> str:
    """Return so many words."""
    return " ".join(chance.choice(WORDS) for _ in range(count))


def section(chance: random.Random) -> tuple[str, ...]:
    """Return a heading and one block of each kind."""
    return (
        f"## {words(chance, 3)}",
        f"*{words(chance, 2)}* {words(chance, 5)} **{words(chance, 2)}**\n{words(chance, 8)} ~~{words(chance, 2)}~~",
        (
            f'A [{words(chance, 2)}](https://example.org/{words(chance, 1)} "{words(chance, 1)}") and `{words(chance, 2)}`'
            f" -- \"{words(chance, 3)}\" ... '{words(chance, 1)}'\n{words(chance, 6)} \\*{words(chance, 1)}\\* &amp; &copy;"
            f" <b>{words(chance, 1)}</b>"
        ),
        f"> {words(chance, 7)}\n> {words(chance, 5)}\n>\n> *{words(chance, 3)}*",
        f"```python\n{words(chance, 4)}\n{words(chance, 6)}\n```",
        f"| {words(chance, 1)} | {words(chance, 1)} |\n|---|---|\n"
        + "\n".join(row(chance) for _ in range(3)),
        "\n".join(f"- {words(chance, 4)}" for _ in range(3)),
        f"<div>\n{words(chance, 5)}\n</div>",
    )


def row(chance: random.Random) -> str:
    """Return one row of a table."""
    return f"| {words(chance, 2)} | `{words(chance, 1)}` *{words(chance, 1)}* |"
