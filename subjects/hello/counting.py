"""Counts the words of a seeded text with the chosen options."""

import functools
import random

from wordcount.count import count_words

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@functools.lru_cache(maxsize=1)
def text(seed: int, words: int) -> str:
    """Return a text of `words` words out of a few hundred, always the same for the same `seed`."""
    chance = random.Random(seed)  # noqa: S311 - a text, not a secret
    known = ["".join(chance.choices(LETTERS, k=chance.randrange(2, 8))) for _ in range(400)]
    endings = ("", "s", "ing", "ed")
    return " ".join(
        chance.choice((str.lower, str.title))(chance.choice(known)) + chance.choice(endings)
        for _ in range(words)
    )


def run(options: dict[str, object], workload: dict[str, int]) -> object:
    """Count the words of the text of `workload`."""
    return count_words(text(workload["seed"], workload["words"]), **options)
