"""Stored fits live as long as METHOD_VERSION: whoever moves their numbers raises it, and these numbers with it."""

import numpy as np
import pytest

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.histories.change_prior import ChangePrior
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.settings import METHOD_VERSION, HistorySettings, NoisePolicy

POSITIONS = [0, 3, 4, 9, 15, 16, 22, 30, 31, 39]
VALUES = [1.01, 0.99, 1.02, 1.00, 1.24, 1.26, 1.25, 1.23, 0.98, 1.00]
SPREADS = [0.01, 0.02, 0.01, 0.01, 0.02, 0.01, 0.02, 0.01, 0.01, 0.02]
AT = [0, 6, 12, 26, 45]

# What fits of each version give: medians, then half-widths of the 95 % band, at AT; changes as (before, after, size in %).
NUMBERS: dict[str, dict[str, tuple[list[float], list[float], list[tuple[int, int, float]]]]] = {
    "8": {
        "configuration": (
            [1.0099, 1.0119, 1.1136, 1.2385, 1.0],
            [0.0164, 0.1915, 0.2359, 0.3036, 0.4329],
            [(9, 15, 23.85), (30, 31, -20.51)],
        ),
        "benchmark": (
            [1.0095, 1.0119, 1.1145, 1.2292, 1.0],
            [0.0409, 0.1771, 0.2177, 0.2772, 0.3961],
            [(9, 15, 23.85), (30, 31, -20.51)],
        ),
        "term": (
            [-0.0901, -0.088, 0.0198, 0.1383, -0.1001],
            [0.0196, 0.2077, 0.2326, 0.2684, 0.465],
            [(9, 15, 11.94), (30, 31, -12.84)],
        ),
        "with a change prior": (
            [1.0094, 1.0108, 1.1148, 1.2392, 0.9995],
            [0.0161, 0.0594, 0.1492, 0.0935, 0.1845],
            [(9, 15, 23.85), (30, 31, -20.51)],
        ),
    },
}


def fitted(kind: str) -> tuple[list[float], list[float], list[tuple[int, int, float]]]:
    """The numbers of one of the fixed fits."""
    points = Measurements.of(POSITIONS, VALUES, [3] * 10, spreads=np.array(SPREADS))
    settings = HistorySettings(length=40)
    changes = ChangePointSettings()
    prior = None
    if kind == "benchmark":
        settings = HistorySettings(noise=NoisePolicy.BEYOND_REPETITIONS, length=40, noise_floor=0.01)
    elif kind == "term":
        points = Measurements.of(POSITIONS, np.array(VALUES) - 1.1, [3] * 10, errors=np.array(SPREADS))
        settings = HistorySettings(log_scale=False, reference_level=2.0, length=40)
        changes = ChangePointSettings(log_scale=False, reference_level=2.0)
    elif kind == "with a change prior":
        prior = ChangePrior.of_changes(0, np.full(39, np.nan), [(9, 15), (30, 31)])
    band = predict(fit(points, settings, change_prior=prior), AT)
    found = find_change_points(points, changes).changes
    return (
        np.round(band.median, 4).tolist(),
        np.round((band.upper_95 - band.lower_95) / 2, 4).tolist(),
        [(one.bracket_before, one.bracket_after, round(100 * one.relative_size, 2)) for one in found],
    )


@pytest.mark.parametrize("kind", ["configuration", "benchmark", "term", "with a change prior"])
def test_fits_of_one_version_give_the_same_numbers(kind: str) -> None:
    assert METHOD_VERSION in NUMBERS, "write down the numbers of the new version, and remove the old ones"
    medians, widths, changes = NUMBERS[METHOD_VERSION][kind]
    found = fitted(kind)
    hint = "the numbers of stored fits have moved: raise METHOD_VERSION in analytics/histories/settings.py"
    assert found[0] == pytest.approx(medians, abs=2e-4), hint
    assert found[1] == pytest.approx(widths, abs=2e-4), hint
    assert [one[:2] for one in found[2]] == [one[:2] for one in changes], hint
    assert [one[2] for one in found[2]] == pytest.approx([one[2] for one in changes], abs=0.02), hint


# Of a series long enough to model its noise: bracket, size in %, certainty of the step and of its bracket.
LONG = {"8": [(39, 40, 8.107, 0.971, 0.550), (84, 85, -4.484, 0.869, 0.775)]}


def test_changes_of_one_version_are_the_same() -> None:
    rng = np.random.default_rng(1)
    noise = 0.02 * rng.standard_t(3, 120)
    noise[1:] += 0.3 * noise[:-1]
    values = np.exp(noise + 0.08 * (np.arange(120) >= 40) - 0.05 * (np.arange(120) >= 85))
    found = find_change_points(Measurements.of(range(120), values)).changes
    assert METHOD_VERSION in LONG, "write down the changes of the new version, and remove the old ones"
    for one, (before, after, size, certainty, place) in zip(found, LONG[METHOD_VERSION], strict=True):
        assert (one.bracket_before, one.bracket_after) == (before, after)
        assert 100 * one.relative_size == pytest.approx(size, abs=0.02)
        assert one.certainty == pytest.approx(certainty, abs=0.002)
        assert one.location_probability == pytest.approx(place, abs=0.002)
