"""What was measured end to end, to hold predictions against."""

from collections.abc import Mapping
from functools import lru_cache
from statistics import median

import numpy as np

from analytics.influence.accuracy import mape
from dashboard.access import Principal, require
from dashboard.models import Measurement, Run
from dashboard.selectors.analyses import find_analysis, valid_runs
from dashboard.selectors.influences_model import Stamp, fitted, loaded
from dashboard.selectors.influences_rows import Accuracy
from dashboard.selectors.option_spaces import options_of


@lru_cache(maxsize=8)
def totals(stamp: Stamp) -> Mapping[bytes, float]:
    """The median of the whole runs without profiler of each configuration, by its level indices as bytes."""
    # Whoever asks was checked before the stamp was made.
    analysis = find_analysis(require(Principal.operator(), stamp.slug), stamp.analysis_id)
    rows = Measurement.objects.filter(
        run__in=valid_runs(analysis, Run.Kind.PLAIN), metric_id=analysis.total_metric_id
    ).values_list("run__configuration_id", "run__configuration__assignments", "value")
    assignments: dict[int, dict[str, str]] = {}
    values: dict[int, list[float]] = {}
    for configuration, assigned, value in rows:
        assignments[configuration] = assigned
        values.setdefault(configuration, []).append(value)
    levels = options_of(analysis.system).encode(assignments.values())
    return {row.tobytes(): median(values[key]) for row, key in zip(levels, assignments, strict=True)}


@lru_cache(maxsize=8)
def accuracy_of(stamp: Stamp) -> Accuracy | None:
    """How far the model's predictions lie from `totals`; None where no configuration has both, or it is made of them."""
    if loaded(stamp).is_total:
        return None
    model = fitted(stamp)
    options = len(model.times.space.options)
    truth = {key: value for key, value in totals(stamp).items() if value > 0}
    if not truth:
        return None
    levels = np.frombuffer(b"".join(truth), dtype=np.int8).reshape(-1, options)
    predicted = model.predict(levels)
    known = ~np.isnan(predicted)
    if not known.any():
        return None
    values = np.array(list(truth.values()))
    return Accuracy(mape(predicted[known], values[known]), int(known.sum()))
