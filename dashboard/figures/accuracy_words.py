"""Whether a model says more than nothing, in words."""

from dashboard.figures.influences_words import is_time
from dashboard.figures.numbers import fixed, percent, plural
from dashboard.selectors.model_rows import Influences

_SLACK = 1e-9  # relative: a model that says the mean is as good as the mean, whatever rounding left


def doubt_text(found: Influences) -> str:
    """That the model orders configurations no better than chance, or is no nearer than their mean; "" of all others."""
    said = " ".join(filter(None, (_order_text(found), _error_text(found))))
    if not said:
        return ""
    return f"{said} Do not rely on what it says of options: measure more configurations, or each more often."


def unchecked_text(found: Influences) -> str:
    """Why nobody knows how good a choice by the model is."""
    if found.model.is_of_whole_runs:
        return (
            "the model is made of all that was measured end to end, and nothing is left to check it against"
        )
    return "too few configurations were measured end to end"


def unpredicted_text(found: Influences) -> str:
    """That configurations which the model does not predict were not searched for the best one; "" where it predicts all."""
    model = found.model
    if model.is_of_whole_runs and not model.whole_grid:
        measured = plural(model.configurations, "measured configuration")
        return f" The best and worst are of the {measured} alone: of others this model says nothing."
    if not found.undetermined:
        return ""
    return f" {plural(found.undetermined, 'term')} of the model cannot be told from what was measured: the best and worst are of the rest."


def _order_text(found: Influences) -> str:
    quality, within = found.quality, found.quality.rank_interval
    if quality.rank_correlation is None or within is None or within[0] > 0:
        return ""
    apart = (
        "faster configurations from slower" if is_time(found.model) else "better configurations from worse"
    )
    low, high = (fixed(one, 2) for one in within)
    return (
        f"Nothing shows that this model tells {apart} ones: its rank correlation is {fixed(quality.rank_correlation, 2)} "
        f"(95 % interval {low} to {high}) on {plural(quality.checked, 'configuration')}."
    )


def _error_text(found: Influences) -> str:
    error, of_mean = found.quality.error, found.error_of_mean
    if error is None or of_mean is None or error < of_mean * (1 - _SLACK):
        return ""
    return (
        f"Its mean error, {percent(error)}, is no smaller than that of expecting of each configuration the mean of the "
        f"others, {percent(of_mean)}."
    )
