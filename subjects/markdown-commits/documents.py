"""Renders a seeded text: sections of headings, paragraphs, lists, quotes, code, a table and a footnote."""

from random import Random

import markdown

USUAL = ("tables", "fenced_code", "footnotes", "def_list", "toc", "smarty")
WORDS = (
    "a",
    "time",
    "of",
    "many",
    "words",
    "that",
    "fill",
    "the",
    "line",
    "until",
    "its",
    "end",
    "is",
    "near",
)
STYLES = ("*{}*", "**{}**", "`{}`", "[{}](http://example.org/)", '"{}"', "{}")


def run(options: dict[str, str], workload: dict[str, int]) -> str:
    """Render the text of `workload`, with the usual extensions or with none."""
    names = USUAL if options["extensions"] == "usual" else ()
    extensions = [f"markdown.extensions.{name}" for name in names]
    return markdown.markdown(text(workload["seed"], workload["sections"]), extensions=extensions)


def text(seed: int, sections: int) -> str:
    """Return the text: the same for the same seed and number of sections."""
    chance = Random(seed)  # noqa: S311 -- words, not keys
    return "\n".join(line for number in range(sections) for line in section(number, chance))


def section(number: int, chance: Random) -> list[str]:
    """Return the lines of one section."""

    def line(words: int = 12) -> str:
        found = [chance.choice(WORDS) for _ in range(words)]
        place = chance.randrange(words)
        found[place] = chance.choice(STYLES).format(found[place])
        return " ".join(found)

    return [
        *(f"## Section {number}", "", *(line() for _ in range(6)), "", f"See[^{number}].", ""),
        *(f"- {line(6)}\n    - {line(5)}" for _ in range(4)),
        *("", f"> {line()}", f"> {line()}", "", "```", line(), line(), "```", ""),
        *("| one | two |", "|---|---|", *(f"| {line(3)} | {line(3)} |" for _ in range(5)), ""),
        *(f"Term {number}", f":   {line()}", "", f"[^{number}]: {line()}", ""),
    ]
