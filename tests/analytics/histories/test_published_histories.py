"""On real histories (Mühlbauer et al., ASE 2019): fewer measurements than the paper, and its changes found."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analytics.changepoints import find_change_points
from analytics.histories.acquisition import Acquisition, longest_gap, mix, suggest
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings


def published(reference_data: Path, system: str, variant: str) -> Measurements:
    """All measured revisions of one variant."""
    table = pd.read_csv(reference_data / "ase19" / f"{system}.csv.gz", dtype={"variant": str})
    chosen = table[table["variant"] == variant]
    return Measurements.of(chosen["revision"].to_numpy(), chosen["seconds"].to_numpy())


def error_after(truth: Measurements, samples: int, acquisition: Acquisition) -> float:
    """The mean absolute percentage error over all revisions after so many suggested measurements."""
    n = len(truth)
    seconds = truth.values  # noqa: PD011  # no pandas here
    known = [0, n // 2, n - 1]
    settings = HistorySettings(length=int(truth.positions[-1]) + 1)
    while True:
        chosen = Measurements.of(truth.positions[known], seconds[known])
        fitted = fit(chosen, settings)
        if len(known) == samples:
            estimate = predict(fitted, truth.positions).median
            return float(100 * np.mean(np.abs(estimate / seconds - 1)))
        (best,) = suggest(fitted, truth.positions, count=1, acquisition=acquisition)
        known.append(int(np.searchsorted(truth.positions, best.position)))


@pytest.mark.parametrize(("variant", "samples"), [("2", 45), ("4", 45)])
def test_hidden_steps_lead_to_a_better_estimate_than_longest_gaps(
    reference_data: Path, variant: str, samples: int
) -> None:
    truth = published(reference_data, "lrzip", variant)
    assert error_after(truth, samples, mix) < 0.8 * error_after(truth, samples, longest_gap)


def test_a_handful_of_measurements_estimate_xz_to_half_a_percent(reference_data: Path) -> None:
    """Three and 1 % of 1,151 revisions; the paper reports 0.63 % over all variants."""
    assert error_after(published(reference_data, "xz", "0"), 14, mix) < 0.5


def test_the_change_of_xz_is_found_between_neighbouring_revisions(reference_data: Path) -> None:
    """Four revisions later it got another 2 % faster: too few for a level between."""
    (change,) = find_change_points(published(reference_data, "xz", "0")).changes
    assert (change.bracket_before, change.bracket_after) == (957, 958)
    assert change.relative_size == pytest.approx(-0.126, abs=0.003)
    assert change.certainty > 0.99
