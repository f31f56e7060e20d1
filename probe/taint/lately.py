"""What went last through the steps of functions that were called by the same call: it is not looked at again."""

from collections import defaultdict
from typing import Any, final

# How many taints that went through a step are kept for one call.
_MOST = 256
# A function and the position in it that another one was called from; the class of the object whose method that is, by its `id`, 0 where
# it is none: one method may call those of all classes, however deep.
Call = tuple[int, int, int]
# A program may put something else in the place of what is built in.
_len = len


@final
class Lately:
    """What went through the steps of functions that were called by one `call`, by site.

    What each taint was made: of `steps` that are told, of `values` that are only followed, of `arguments` together; what was `decided`,
    as (taint, control taint).
    """

    __slots__ = ("arguments", "call", "decided", "steps", "values")

    def __init__(self, call: Call) -> None:
        self.call = call
        self.forget()

    def forget(self) -> None:
        """Forget it: what goes through is told to the steps again."""
        self.steps: dict[int, dict[int, int]] = defaultdict(dict)
        self.values: dict[int, dict[int, int]] = defaultdict(dict)
        self.arguments: dict[int, dict[tuple[int, ...], tuple[int, ...]]] = defaultdict(dict)
        self.decided: dict[int, dict[tuple[int, int], None]] = defaultdict(dict)


def keep(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Keep what something was made; a step that always gets something else begins anew."""
    if _len(kept) >= _MOST:
        kept.clear()
    kept[key] = value


# What is known of it where something goes through a step: it, or the class of the object whose method runs there, or nothing.
KnownLately = Lately | type | None


class LatelyByCall(dict[Call, Lately]):
    """What went through lately, by call."""

    def __missing__(self, call: Call) -> Lately:
        made = self[call] = Lately(call)
        return made
