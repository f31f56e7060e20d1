"""The levels of an option out of the texts that a file writes for it."""

import re
from collections.abc import Iterable, Sequence

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import Level, Option
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import OptionRecord

OFF = frozenset({"off", "false", "no", "0"})
ON = frozenset({"on", "true", "yes", "1"})
# Numbers with as many digits as a float tells apart.
_WHOLE = re.compile(r"[+-]?\d{1,15}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?\d{1,15}\.\d{1,15}", re.ASCII)


def option_of(name: str, texts: Iterable[str], file: str, faults: Faults) -> OptionRecord | None:
    """The option with all these levels; None, with a fault noted, where its name or a level cannot be one.

    Words for on and off make a switch, which always has both levels; numbers come in their order, the smallest as
    the reference; other words in the order of the alphabet.
    """
    levels = _levels_of([text for text in texts if text])
    try:
        option = OptionRecord.of(Option(name, tuple(levels)))
    except ConfigurationError as error:
        faults.add(file, str(error), "Correct the option, or leave the column out", column=name)
        return None
    for text in (name, *(level.label for level in option.levels)):
        if len(text) > LONGEST["level"] or not text.isprintable():
            remedy = f"Use up to {LONGEST['level']} characters that can be printed"
            faults.add(file, "the text cannot be stored", remedy, column=name[:80], value=text)
            return None
    return option


def _levels_of(texts: Sequence[str]) -> Sequence[Level]:
    """The levels that texts, none of them blank, write; the reference first."""
    words = {text.lower() for text in texts}
    # A lone 0 or 1 is as well the only level of a number.
    if words <= OFF | ON and words not in ({"0"}, {"1"}):
        return [False, True]
    distinct = set(texts)
    if all(_WHOLE.fullmatch(text) for text in distinct):
        return sorted({int(text) for text in distinct})
    if all(_WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text) for text in distinct):
        # Which of 0.0 and -0.0 a set keeps is chance: they are one level, 0.0.
        return sorted({float(text) + 0.0 for text in distinct})
    return sorted(distinct)


def label_of(option: OptionRecord, text: str) -> str:
    """The label of the level of `option` that `text` writes."""
    values = [level.value for level in option.levels]
    value: Level = text
    if values == [False, True]:
        value = text.lower() in ON
    elif isinstance(values[0], int | float):
        value = type(values[0])(text)
    return option.levels[values.index(value)].label
