"""Counts the words of a text."""

from collections import Counter

from .words import lowered, split, stemmed


def count_words(text: str, *, ignore_case: bool, stem: bool, order: str, top: int) -> list[tuple[str, int]]:
    """Return (word, count) pairs of `text`."""
    words = split(text)
    if ignore_case:
        words = lowered(words)
    if stem:
        # Words in lower case are looked at a second time: an interaction, made on purpose.
        words = stemmed(words, passes=2 if ignore_case else 1)
    counts = Counter(words)
    return sort(list(counts.items()), order)[: top or None]


def sort(pairs: list[tuple[str, int]], order: str) -> list[tuple[str, int]]:
    """Return `pairs` in the order asked for."""
    if order == "name":
        return sorted(pairs)
    if order == "count":
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
    return pairs
