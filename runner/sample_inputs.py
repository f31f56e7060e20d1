"""Made-up inputs for a program that nobody has told us an input of: seeded, as long as is asked for."""

import json
import random
import re
from collections import Counter
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


def javascript_parts(chance: random.Random) -> Iterator[str]:
    """Functions with loops, objects and comments."""
    at = 0
    while True:
        at += 1
        one, two, three = chance.sample(_WORDS, 3)
        yield (
            f"// {one} {two}\nfunction {one}_{at}({two},{three}){{var n={chance.randrange(100)};if({two}>n&&{three}){{"
            f"return [{two},{three}].map(function(x){{return x*n}})}}for(var i=0;i<n;i++){{{two}.push(i)}}\n"
            f"return {{'{one}':{two},{three}:\"{one}\"}}}};\n"
        )


def css_parts(chance: random.Random) -> Iterator[str]:
    """Rules with comments, selectors and media."""
    while True:
        one, two, three = chance.sample(_WORDS, 3)
        size, colour = chance.randrange(1, 40), f"#{chance.randrange(16**6):06x}"
        yield (
            f"/* {one} */\n.{one} > .{two}:hover, #{three} {{ margin: {size}px auto 0px {size}px; color: {colour}; }}\n"
            f"@media (max-width: {size}00px) {{ .{two} {{ padding: {size}px; background: {colour}; }} }}\n"
        )


def html_parts(chance: random.Random) -> Iterator[str]:
    """Sections with headings, lists, tables and links, without the end of the document."""
    yield "<!DOCTYPE html>\n<html><head><title>River</title></head><body>\n"
    while True:
        words = chance.choices(_WORDS, k=30)
        yield f'<h2 class="{words[0]}">{words[1]}</h2>\n<p>{" ".join(words)} <a href="https://example.org/{words[2]}"><b>{words[3]}</b></a>.</p>\n'
        yield f"<ul>{''.join(f'<li>{word}</li>' for word in words[:4])}</ul>\n"
        yield f"<table><tr><th>{words[5]}</th><td>{chance.randrange(1000)}</td></tr></table>\n"


_MAKERS: dict[str, Callable[[random.Random], Iterator[str]]] = {
    "md": text_parts, "json": json_parts, "csv": csv_parts, "sql": sql_parts, "py": python_parts, "xml": xml_parts,
    "js": javascript_parts, "css": css_parts, "html": html_parts,
}  # fmt: skip
_SPOKEN = {"md": ("markdown", "text"), "py": ("python",), "xml": ("xml", "svg"), "js": ("javascript", "js")}
_ENDS = {"xml": "</records>\n", "html": "</body></html>\n"}


def sample(kind: str, size: int) -> str:
    """Return an input of a `kind` ("md", "json", "csv", "sql", "py", "xml", "js", "css", "html") of at least `size` characters, always the same."""
    parts: list[str] = []
    length = 0
    for part in _MAKERS[kind](random.Random(1)):  # noqa: S311 -- an input, nothing secret
        parts.append(part)
        length += len(part)
        if length >= size:
            break
    return "".join(parts) + _ENDS.get(kind, "")


def likely_kinds(about: str) -> tuple[str, ...]:
    """Return all kinds, those first that `about`, what a program says of itself, speaks of most."""
    said = Counter(re.findall(r"[a-z]+", about.lower()))
    counts = {kind: sum(said[word] for word in _SPOKEN.get(kind, (kind,))) for kind in _MAKERS}
    return tuple(sorted(_MAKERS, key=lambda kind: (-counts[kind], kind != "md")))
