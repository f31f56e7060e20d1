"""A small selection that is worth measuring again on another machine."""

from dashboard.access import Principal
from dashboard.selectors.measuring import measuring
from dashboard.selectors.model_rows import TermRow
from dashboard.selectors.overview.model import model_summary

# With two options there are four configurations and one interaction.
_OPTIONS = 2


def largest_options(*, principal: Principal, slug: str) -> tuple[str, ...]:
    """The two options of the registered subject that matter most, as far as the newest model tells; else its first.

    Empty without a subject. Raises `NotFound`.
    """
    subject = measuring(principal=principal, slug=slug).subject
    if subject is None:
        return ()
    model = model_summary(principal=principal, slug=slug)
    known = [option.name for option in subject.options]
    told = _by_size(model.terms) if model is not None else []
    ordered = dict.fromkeys([*(name for name in told if name in known), *known])
    return tuple(ordered)[:_OPTIONS]


def _by_size(terms: tuple[TermRow, ...]) -> list[str]:
    """Options in the order in which the largest sure terms name them."""
    sure = [term for term in terms if not term.influence.may_be_zero]
    return [change.option for term in sure for change in term.changes]
