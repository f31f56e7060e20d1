"""Selections: the words by which a person says which configurations are meant.

Words: "all"; "default" (every option at its reference); "feature-wise" (the default and one option moved); "pair-wise"
(and two moved); "plackett-burman" (a Plackett-Burman design); "only=a,b" (all over these options); "a=on,b=off" (this one; other options at their reference).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from analytics.configurations.errors import ConfigurationError, TooManyConfigurationsError
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.plackett_burman import plackett_burman
from analytics.configurations.validity import ValidConfigurations

# More configurations than anyone measures; a selection beyond is a slip.
MOST_CONFIGURATIONS = 100_000


def select(valid: ValidConfigurations, words: Sequence[str]) -> IntArray:
    """The valid configurations that any of `words` means, each once, in order; shape (n, n_options).

    Raises `ConfigurationError` for what is no word, means no valid configuration, or too many of them.
    """
    found: dict[bytes, IntArray] = {}
    for word in words:
        try:
            rows = _meant(valid, word.strip())
        except TooManyConfigurationsError:
            rows = None
        if rows is not None:
            found |= {row.tobytes(): row for row in rows.astype(np.int8)}
        if rows is None or len(found) > MOST_CONFIGURATIONS:
            raise ConfigurationError(
                f"'{word}' means more than {MOST_CONFIGURATIONS} configurations: select fewer options"
            )
    if not found:
        raise ConfigurationError(
            "no valid configuration is selected: write 'default', 'all' or 'option=level'"
        )
    return np.array(list(found.values()), dtype=np.int8)


def _meant(valid: ValidConfigurations, word: str) -> IntArray:
    space = valid.space
    start = valid.complete({})
    default = np.zeros((0, len(space.options)), dtype=np.int8) if start is None else start[np.newaxis]
    if word == "all":
        return valid.enumerate(MOST_CONFIGURATIONS)
    if word == "default":
        return default
    if word == "feature-wise":
        return np.concatenate([default, feature_wise(valid)])
    if word in _DESIGNS:
        return _DESIGNS[word](valid)
    if word.startswith("only="):
        names = [name.strip() for name in word[5:].split(",")]
        chosen = {_position(space, name) for name in names}
        others = set(range(len(space.options))) - chosen
        return valid.holding(dict.fromkeys(others, 0)).enumerate(MOST_CONFIGURATIONS)
    if "=" in word:
        return _explicit(valid, word)
    raise ConfigurationError(
        f"'{word}' is no selection: write all, default, feature-wise, pair-wise, plackett-burman, only=a,b or a=on,b=off"
    )


def _explicit(valid: ValidConfigurations, word: str) -> IntArray:
    row = valid.space.reference
    for assignment in word.split(","):
        name, _, text = (part.strip() for part in assignment.partition("="))
        position = _position(valid.space, name)
        option = valid.space.options[position]
        if text not in option.labels:
            known = ", ".join(option.labels)
            raise ConfigurationError(f"option {name} has no level '{text}': write one of {known}")
        row[position] = option.index_of_label(text)
    if not valid.allows(row[np.newaxis])[0]:
        raise ConfigurationError(f"'{word}' breaks a constraint: see the [[constraints]] of the subject")
    return row[np.newaxis]


def _position(space: OptionSpace, name: str) -> int:
    try:
        return space.position(name)
    except ConfigurationError:
        raise ConfigurationError(
            f"there is no option '{name}': known are {', '.join(space.names) or 'none'}"
        ) from None


def feature_wise(valid: ValidConfigurations, prefer: Literal["reference", "other"] = "reference") -> IntArray:
    """Each level off the reference alone, everything else as close to the reference as is valid; shape (n, n_options).

    Option-wise sampling of Siegmund et al. (ICSE 2012), "enable one option at a time" in Velez et al., ICSE 2021,
    Sec. V-B. As in the latter's Table II the reference configuration itself is not among them. With `other` it is
    negative: each level that the configuration with all options off their reference lacks, everything else as far off.
    """
    changes = _changes(valid, valid.complete({}, prefer))
    return _distinct((valid.complete({position: level}, prefer) for position, level in changes), valid)


def pair_wise(valid: ValidConfigurations) -> IntArray:
    """The reference, each level alone, and each pair of levels of two options, everything else near the reference.

    With n binary options 1 + n + n (n - 1) / 2 configurations, the number of Velez et al., ICSE 2021, Table II.
    A covering array (`t-wise`) needs far fewer for the same pairs, but leaves them mixed with others.
    """
    start = valid.complete({})
    changes = list(_changes(valid, start))
    alone: list[Mapping[int, int]] = [{position: level} for position, level in changes]
    pairs: list[Mapping[int, int]] = [
        dict(pair) for pair in combinations(changes, 2) if pair[0][0] != pair[1][0]
    ]
    return _distinct((start, *(valid.complete(levels) for levels in (*alone, *pairs))), valid)


def _changes(valid: ValidConfigurations, start: IntArray | None) -> Iterator[tuple[int, int]]:
    """Each option with each level that `start` does not have; none where no configuration is valid."""
    if start is None:
        return
    for position, size in enumerate(valid.space.sizes):
        yield from ((position, level) for level in range(size) if level != start[position])


def _distinct(rows: Iterable[IntArray | None], valid: ValidConfigurations) -> IntArray:
    """The rows without repetitions and without those that no valid configuration could stand for."""
    kept = {row.tobytes(): row for row in rows if row is not None}
    return np.array(list(kept.values()), dtype=np.int8).reshape(-1, len(valid.space.options))


_DESIGNS: Mapping[str, Callable[[ValidConfigurations], IntArray]] = {
    "pair-wise": pair_wise,
    "plackett-burman": plackett_burman,
}
