"""Changes of values without noise, such as counts: every difference is real, the minimum effect decides what is told."""

from collections.abc import Iterator, Sequence

from analytics.changepoints.changes import ChangePoint, ChangePoints, ChangePointSettings, Reference
from analytics.histories.measurements import Measurements
from analytics.histories.scale import ValueScale, scale_and_unit


def exact_changes(measurements: Measurements, settings: ChangePointSettings | None = None) -> ChangePoints:
    """Return the changes of one series of exact values, one measurement each; O(n).

    A change lies between two neighbouring measured revisions that differ by the minimum effect, or more. Where smaller
    differences add up to it, it lies between the last revision at the old level and the one that completes it. Its size
    is that of the two values, and certain.
    """
    settings = settings or ChangePointSettings()
    scale, unit = scale_and_unit(
        measurements.values, log_scale=settings.log_scale, reference_level=settings.reference_level
    )
    is_log = scale is ValueScale.LOG
    positions, values = measurements.positions.tolist(), measurements.values.tolist()
    changes = []
    for start, end in _steps(values, settings.minimum_effect, None if is_log else unit):
        reference = values[start] if is_log else unit
        relative = (values[end] - values[start]) / reference
        changes.append(
            ChangePoint(
                bracket_before=positions[start],
                bracket_after=positions[end],
                earliest=positions[start],
                latest=positions[end],
                absolute_size=values[end] - values[start],
                relative_size=relative,
                relative_low=relative,
                relative_high=relative,
                reference=reference,
                certainty=1.0,
                chance=0.0,
                is_candidate=False,
                location_probability=1.0,
            )
        )
    given = settings.reference_level is not None
    plain = Reference.REFERENCE_LEVEL if given else Reference.MEDIAN_MAGNITUDE
    return ChangePoints(
        changes=tuple(changes),
        undecided=(),
        enough_data=len(measurements) > 1,
        relative_to=Reference.LEVEL_BEFORE if is_log else plain,
        noise=0.0,
        autocorrelation=None,
    )


def _steps(values: Sequence[float], effect: float, unit: float | None) -> Iterator[tuple[int, int]]:
    """Yield the indices before and after each change; `unit` is what an effect of 1 is, None: the level before."""

    def differs(one: int, other: int) -> bool:
        size = abs(values[one]) if unit is None else unit
        return values[one] != values[other] and abs(values[other] - values[one]) >= effect * size

    # The last revision at the level that holds.
    told = 0
    for at in range(1, len(values)):
        if differs(at - 1, at):
            yield at - 1, at
            told = at
        elif differs(told, at):
            yield told, at
            told = at
        elif values[at] == values[told]:
            told = at
