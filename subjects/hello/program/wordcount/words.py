"""Takes a text apart and words to their stems."""

ENDINGS = ("ing", "ed", "s")


def split(text: str) -> list[str]:
    """Return the words of `text`."""
    return [word for word in text.split(" ") if word]


def lowered(words: list[str]) -> list[str]:
    """Return `words` in lower case."""
    return [word.lower() for word in words]


def stemmed(words: list[str], *, passes: int) -> list[str]:
    """Return `words` without their endings."""
    for _ in range(passes):
        words = [stem(word) for word in words]
    return words


def stem(word: str) -> str:
    """Return `word` without its ending."""
    for ending in ENDINGS:
        if word.endswith(ending):
            return word[: -len(ending)]
    return word
