"""Made-up inputs for a program that nobody has told us an input of: seeded, as long as is asked for."""

import json
import random
from collections.abc import Callable, Iterator

_WORDS = [
    "river",
    "stone",
    "light",
    "window",
    "garden",
    "paper",
    "summer",
    "bridge",
    "copper",
    "silver",
    "market",
    "signal",
    "station",
    "harbour",
    "engine",
    "letter",
    "number",
    "corner",
    "system",
    "winter",
    "meadow",
    "travel",
    "weather",
    "morning",
    "evening",
    "village",
    "mountain",
    "kitchen",
    "teacher",
    "student",
]


def text_parts(chance: random.Random) -> Iterator[str]:
    """Paragraphs with headings, lists and code, as Markdown has them; plain words to everything else."""
    while True:
        yield f"# {' '.join(chance.choices(_WORDS, k=3)).capitalize()}\n"
        for _ in range(3):
            words = chance.choices(_WORDS, k=40)
            words[7], words[19] = f"*{words[7]}*", f"[{words[19]}](https://example.org/{words[3]})"
            yield f"{' '.join(words)}.\n"
        yield "".join(f"- {word}: {chance.random():.6f}\n" for word in chance.choices(_WORDS, k=4))
        yield f"    {chance.choice(_WORDS)} = {chance.randrange(1000)}\n"


def json_parts(chance: random.Random) -> Iterator[str]:
    """Records, one a line."""
    while True:
        tags = chance.choices(_WORDS, k=4)
        record = {
            "id": chance.randrange(10**6),
            "name": tags[0],
            "size": chance.random(),
            "tags": tags,
            "ok": True,
            "of": None,
        }
        yield json.dumps(record) + "\n"


def csv_parts(chance: random.Random) -> Iterator[str]:
    """Rows under a head."""
    yield "name,place,size,weight\n"
    while True:
        yield f"{chance.choice(_WORDS)},{chance.choice(_WORDS)},{chance.randrange(1000)},{chance.random():.6f}\n"


def sql_parts(chance: random.Random) -> Iterator[str]:
    """Statements with comments."""
    while True:
        one, two, three = chance.sample(_WORDS, 3)
        yield (
            f"select a.{one}, b.{two}, count(*) as n -- how many\nfrom {two}s a join {three}s b on a.id = b.{one}_id "
            f"where a.size > {chance.randrange(100)} and b.name in ('{one}', '{two}') group by a.{one} order by n desc;\n"
        )


def python_parts(chance: random.Random) -> Iterator[str]:
    """Functions."""
    at = 0
    while True:
        at += 1
        one, two = chance.sample(_WORDS, 2)
        yield f"def {one}_{at}({two}, size={chance.randrange(100)}):\n    if {two} > size:\n        return [{two} * n for n in range(size)]\n"
        yield f"    return {{'{one}': {two}}}\n\n\n"


def xml_parts(chance: random.Random) -> Iterator[str]:
    """Records, without the end of the document."""
    yield "<records>\n"
    while True:
        one, two = chance.sample(_WORDS, 2)
        yield f'<record id="{chance.randrange(10**6)}"><{one}>{two} &amp; {one}</{one}></record>\n'


_MAKERS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "md": text_parts, "json": json_parts, "csv": csv_parts, "sql": sql_parts, "py": python_parts, "xml": xml_parts,
}  # fmt: skip
_SPOKEN = {"md": ("markdown", "text"), "py": ("python",), "xml": ("xml", "html", "svg")}


def sample(kind: str, size: int) -> str:
    """Return an input of a `kind` ("md", "json", "csv", "sql", "py", "xml") of at least `size` characters, always the same."""
    parts: list[str] = []
    length = 0
    for part in _MAKERS[kind](random.Random(1)):  # noqa: S311 -- an input, nothing secret
        parts.append(part)
        length += len(part)
        if length >= size:
            break
    return "".join(parts) + ("</records>\n" if kind == "xml" else "")


def likely_kinds(about: str) -> tuple[str, ...]:
    """Return all kinds, those first that `about`, what a program says of itself, speaks of most."""
    said = about.lower()
    counts = {kind: sum(said.count(word) for word in _SPOKEN.get(kind, (kind,))) for kind in _MAKERS}
    return tuple(sorted(_MAKERS, key=lambda kind: (-counts[kind], kind != "md")))
