"""The paper's own active sampling, as its authors ran it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analytics.histories.errors import HistoryError
from analytics.histories.measurements import Measurements
from analytics.histories.settings import Kernel

pytestmark = [
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Plotting library:ImportWarning"),
]


def walk(length: int) -> Measurements:
    """A short history, some revisions absent."""
    rng = np.random.default_rng(1)
    return Measurements.of(np.arange(0, 2 * length, 2), 5 + np.cumsum(rng.normal(0, 0.1, length)))


def test_it_starts_with_first_middle_and_last_and_measures_each_once() -> None:
    from studies.papers.published_sampling import play

    steps = list(play(walk(9), Kernel.BROWNIAN_GPY))
    assert steps[0][0].tolist() == [0, 4, 8]
    assert [len(used) for used, _ in steps] == list(range(3, 10))
    assert sorted(steps[-1][0].tolist()) == list(range(9))


def test_a_kernel_that_the_paper_lacks_is_refused() -> None:
    from studies.papers.published_sampling import play

    with pytest.raises(HistoryError, match="no kernel 'brownian'"):
        next(play(walk(5), Kernel.BROWNIAN))


@pytest.mark.parametrize(("variant", "kernel"), [("4", "Brownian"), ("4", "Matern32"), ("10", "Brownian")])
def test_the_first_iteration_has_the_published_error(reference_data: Path, variant: str, kernel: str) -> None:
    from studies.papers.published_sampling import KERNELS, play
    from studies.replay.scoring import published_error

    folder = reference_data / "ase19"
    table = pd.read_csv(folder / "xz.csv.gz", dtype={"variant": str})
    own = table[table["variant"] == variant]
    truth = Measurements.of(own["revision"].to_numpy(), own["seconds"].to_numpy())
    curves = pd.read_csv(folder / "xz_paper_learning_curves.csv.gz", dtype={"variant": str})
    row = curves[(curves["variant"] == variant) & (curves["kernel"] == kernel) & (curves["iteration"] == 1)]
    chosen = next(key for key, name in KERNELS.items() if name == kernel)
    _, estimated = next(play(truth, chosen))
    error = published_error(np.asarray(truth.values), estimated)
    assert error == pytest.approx(float(row["error_mape_pct"].iloc[0]), abs=2e-3)
