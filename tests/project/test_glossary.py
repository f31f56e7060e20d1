"""Public classes and modules are called by the words of the glossary, or by plain words of the trade."""

import re
from functools import cache

from tests.project.plain_words import PLAIN_WORDS
from tests.project.structure import product
from tests.project.tracked import ROOT

GLOSSARY = ROOT / "docs/reference/glossary.md"
_ROW = re.compile(r"^\| ([^|]+) \|", re.MULTILINE)
_HEADS = ("Word", "---")


@cache
def _entries() -> tuple[str, ...]:
    """The words that the glossary explains, in its order."""
    found = (row.strip() for row in _ROW.findall(GLOSSARY.read_text(encoding="utf-8")))
    return tuple(row for row in found if row not in _HEADS)


def _words(name: str) -> list[str]:
    """`CountedRunRecord` and `counted_run_record` in lower case: counted, run, record."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def _forms(word: str) -> set[str]:
    """The word itself and what it may be the plural of."""
    singular = {word.removesuffix("s"), word.removesuffix("es")}
    return {word, *singular, *([word.removesuffix("ies") + "y"] if word.endswith("ies") else [])}


def _unknown(name: str) -> list[str]:
    known = {word for entry in _entries() for word in _words(entry)} | PLAIN_WORDS
    return [word for word in _words(name) if not _forms(word) & known]


def test_public_classes_and_modules_have_words_of_the_glossary() -> None:
    """A new word is explained in the glossary first; one that every programmer knows goes into the list of plain words."""
    foreign: dict[str, list[str]] = {}
    for module in product().values():
        names = [part for part in module.name.split(".") if not part.startswith("_")]
        names += [
            node.name
            for node in module.definitions()
            if type(node).__name__ == "ClassDef" and node.name[0] != "_"
        ]
        for name in names:
            if unknown := _unknown(name):
                foreign[f"{module.name}: {name}"] = unknown
    assert not foreign, "\n".join(f"{name}: {', '.join(words)}" for name, words in sorted(foreign.items()))


def test_the_glossary_is_sorted_and_explains_each_word_once() -> None:
    """So that a word is found, and found in one place."""
    entries = [entry.lower() for entry in _entries()]
    assert entries == sorted(set(entries))


def test_each_plain_word_is_used_and_is_no_word_of_the_glossary() -> None:
    """The list holds what names need, and nothing that has a meaning of its own here."""
    used = {
        form
        for module in product().values()
        for name in (
            *module.name.split("."),
            *(node.name for node in module.definitions() if type(node).__name__ == "ClassDef"),
        )
        for word in _words(name)
        for form in _forms(word)
    }
    assert not sorted(PLAIN_WORDS - used)
    assert not sorted(PLAIN_WORDS & {word for entry in _entries() for word in _words(entry)})
