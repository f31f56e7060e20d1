"""The levels of an option out of the texts that a file writes for it."""

from collections.abc import Iterable, Sequence

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import Level, Option, level_text
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.numbers import in_order
from dashboard.importers.records import LevelRecord, OptionRecord

OFF = frozenset({"off", "false", "no", "0"})
ON = frozenset({"on", "true", "yes", "1"})


def option_of(name: str, texts: Iterable[str], file: str, faults: Faults) -> OptionRecord | None:
    """The option with all these levels; None, with a fault noted, where its name or a level cannot be one.

    Words for on and off make a switch, which always has both levels; numbers come in their order, the smallest as
    the reference; other words in the order of the alphabet.
    """
    levels = levels_of([text for text in texts if text])
    try:
        Option(name, tuple(levels))
    except ConfigurationError as error:
        faults.add(file, str(error), "Correct the option, or leave the column out", column=name)
        return None
    labels = [level_text(level) for level in levels]
    for text in (name, *labels):
        if len(text) > LONGEST["level"] or not text.isprintable():
            remedy = f"Use up to {LONGEST['level']} characters that can be printed"
            faults.add(file, "the text cannot be stored", remedy, column=name[:80], value=text)
            return None
    return OptionRecord(name, tuple(map(LevelRecord, levels, labels)))


def levels_of(texts: Sequence[str]) -> Sequence[Level]:
    """The levels that texts, none of them blank, write; the reference first."""
    words = {text.lower() for text in texts}
    # A lone 0 or 1 is as well the only level of a number.
    if words <= OFF | ON and words not in ({"0"}, {"1"}):
        return [False, True]
    return in_order(texts)


def label_of(option: OptionRecord, text: str) -> str:
    """The label of the level of `option` that `text` writes."""
    values = [level.value for level in option.levels]
    value: Level = text
    if values == [False, True]:
        value = text.lower() in ON
    elif isinstance(values[0], int | float):
        value = type(values[0])(text)
    return option.levels[values.index(value)].label
