"""What goes along with a report so that it predicts by itself: the model as numbers, options, and what is valid."""

from dataclasses import replace

import numpy as np

from analytics.influence.frozen import frozen
from dashboard.access import Access
from dashboard.figures.influences_words import range_text
from dashboard.figures.numbers import scales_of
from dashboard.selectors.feature_models.valid import feature_model_of
from dashboard.selectors.loaded_models import cached_fit, load_selected, varied_options
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.reports import FrozenOption, FrozenWhatIf

# Beyond that a file would be no letter any more: about half a megabyte.
MOST_NUMBERS = 40_000


def frozen_what_if(*, access: Access, selection: Selection) -> FrozenWhatIf | None:
    """The what-if of a selection, beginning at the compared configuration or else at its base.

    None where it would be too large to go along. Raises `NotFound`.
    """
    selected = load_selected(access.system, selection)
    loaded = selected.loaded
    row, learned = loaded.row, loaded.learned
    model = replace(
        frozen(cached_fit(selected.key), None if learned is None else learned.margin),
        is_never_negative=row.is_never_negative,
    )
    features = feature_model_of(access.system)
    layers = () if features is None else features.valid.layers
    if model.size + sum(layer.size for layer in layers) > MOST_NUMBERS:
        return None
    start = selected.base if selected.target is None else selected.target
    return FrozenWhatIf(
        says=range_text(row.system_name, row, "{}"),
        scales=tuple((scale.unit, scale.factor) for scale in scales_of(row.unit)),
        options=tuple(
            FrozenOption(option.name, tuple(map(option.text, range(len(option.levels)))), varies)
            for option, varies in zip(loaded.space.options, varied_options(loaded).tolist(), strict=True)
        ),
        start=tuple(start.tolist()),
        model=model,
        order=() if features is None else features.valid.order,
        layers=tuple(tuple(map(tuple, np.asarray(layer).tolist())) for layer in layers),
    )
