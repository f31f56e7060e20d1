"""How much an import brings or brought, in words: what there is none of is left out."""

from collections.abc import Iterable

Amount = tuple[int, str, str]


def in_words(amounts: Iterable[Amount]) -> str:
    """`1 run, 3 series`, from numbers with their words for one and for several; `nothing` where all are zero."""
    said = [f"{number} {one if number == 1 else several}" for number, one, several in amounts if number]
    return ", ".join(said) or "nothing"
