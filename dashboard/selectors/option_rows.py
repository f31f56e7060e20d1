"""What the selectors of options hand out: an option with its terms, and the functions where it matters. Free of Django."""

from dataclasses import dataclass

from dashboard.selectors.model_rows import Estimate, Influences, OptionLevels, TermRow
from dashboard.selectors.whitebox.rows import WhiteBoxDetail


@dataclass(frozen=True, slots=True)
class OptionTerms:
    """An option with its terms, the largest first: what changing it alone adds, and with which others it interacts.

    `counted` is the most that it changes in one function, of all that the program does, None where no run counted it;
    `counted_in` is that function's key.
    """

    option: OptionLevels
    alone: tuple[TermRow, ...]
    together: tuple[TermRow, ...]
    counted: float | None = None
    counted_in: str = ""

    @property
    def size(self) -> float:
        """The size of its largest term that is not zero within its interval."""
        return max((abs(one.influence.value) for one in self.told), default=0.0)

    @property
    def told(self) -> tuple[TermRow, ...]:
        """Its terms that are not zero within their intervals, those of the option alone first."""
        return tuple(
            one
            for one in (*self.alone, *self.together)
            if one.influence.value and not one.influence.may_be_zero
        )

    @property
    def first(self) -> TermRow | None:
        """The term that is looked at first, None where no term holds the option."""
        return next(iter((*self.told, *self.alone, *self.together)), None)


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """The options of a system, those with the largest influence first; the model and the analysis that tell of them."""

    found: Influences | None
    analysis: WhiteBoxDetail | None
    options: tuple[OptionTerms, ...]

    @property
    def by_name(self) -> dict[str, OptionTerms]:
        """The options by name."""
        return {one.option.name: one for one in self.options}


@dataclass(frozen=True, slots=True)
class OptionFunction:
    """A function where an option matters: what its term adds there, and how much of all that is done changes with it.

    None where that is not known. `reached`: the option's value was seen on the way to one of its decisions.
    """

    key: str
    name: str
    influence: Estimate | None
    share: float | None
    counted: float | None
    reached: bool
    has_page: bool = True
