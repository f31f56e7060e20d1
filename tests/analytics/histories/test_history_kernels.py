"""The paper's kernels: our covariance and posterior are GPy's; GPy stays out of sight."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.histories.brownian import RandomWalkSolver, predict_levels
from analytics.histories.dense import START_VARIANCE, DensePosterior, covariance
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Hyperparameters
from analytics.histories.history import fit, predict
from analytics.histories.matern import MaternPosterior, log_evidence
from analytics.histories.measurements import Measurements
from analytics.histories.noise import noise_of
from analytics.histories.posteriors import KernelPosterior, Standard
from analytics.histories.scale import ValueScale
from analytics.histories.settings import HistorySettings, Kernel
from studies.synthetic import LevelStep, make_history

# paramz, below GPy, computes both branches of a softplus and keeps the finite one.
quiet_paramz = pytest.mark.filterwarnings("ignore:overflow encountered in expm1:RuntimeWarning")
# GPy adds this to every noise variance.
GPY_JITTER = 1e-8
DENSE = [kernel for kernel in Kernel if kernel is not Kernel.BROWNIAN]
ROOT = Path(__file__).resolve().parents[3]


def gpy() -> Any:
    """GPy, imported as the product imports it (which silences its warning about plotting)."""
    importlib.import_module("analytics.histories.gpy_fit")
    return importlib.import_module("GPy")


@given(
    st.sampled_from(DENSE),
    st.lists(st.floats(-1, 2), min_size=1, max_size=8, unique=True),
    st.floats(0.01, 10),
    st.floats(0.01, 10),
    st.floats(0.1, 10),
)
def test_every_covariance_is_symmetric_and_positive_semi_definite(
    kernel: Kernel, places: list[float], variance: float, length_scale: float, power: float
) -> None:
    x = np.array(places)
    parameters = Hyperparameters(variance, 0.0, length_scale, power)
    gram = covariance((kernel,), parameters, x[:, None], x)
    np.testing.assert_allclose(gram, gram.T)
    np.testing.assert_allclose(np.diag(gram), covariance((kernel,), parameters, x, x))
    assert np.linalg.eigvalsh(gram).min() > -1e-10 * np.trace(gram)


@quiet_paramz
@pytest.mark.parametrize("kernel", DENSE)
def test_covariances_are_those_of_gpy(kernel: Kernel) -> None:
    GPy = gpy()  # noqa: N806  # its own name
    parameters = Hyperparameters(1.7, 0.0, 0.3, 0.8)
    theirs = {
        Kernel.BROWNIAN_GPY: lambda: GPy.kern.Brownian(1, 1.7) + GPy.kern.Bias(1, START_VARIANCE),
        Kernel.RBF: lambda: GPy.kern.RBF(1, 1.7, 0.3),
        Kernel.MATERN32: lambda: GPy.kern.Matern32(1, 1.7, 0.3),
        Kernel.MATERN52: lambda: GPy.kern.Matern52(1, 1.7, 0.3),
        Kernel.RATIONAL_QUADRATIC: lambda: GPy.kern.RatQuad(1, 1.7, 0.3, 0.8),
        Kernel.EXPONENTIAL: lambda: GPy.kern.Exponential(1, 1.7, 0.3),
        Kernel.LINEAR: lambda: GPy.kern.Linear(1, 1.7) + GPy.kern.Bias(1, START_VARIANCE),
    }[kernel]()
    a, b = np.linspace(0, 1, 7), np.linspace(-0.2, 1.3, 5)
    ours = covariance((kernel,), parameters, a[:, None], b)
    np.testing.assert_allclose(ours, theirs.K(a[:, None], b[:, None]), rtol=1e-12, atol=1e-12)


@quiet_paramz
def test_brownian_regression_is_gpys_posterior_with_a_wide_start() -> None:
    GPy = gpy()  # noqa: N806  # its own name
    rng = np.random.default_rng(2)
    positions = np.sort(rng.choice(500, 30, replace=False))
    y = np.cumsum(rng.normal(0, 1, 500))[positions]
    noise, step = 0.2, 1.3
    model = GPy.models.GPRegression(
        (positions - positions[0])[:, None].astype(float),
        y[:, None] - y.mean(),
        GPy.kern.Brownian(1, step) + GPy.kern.Bias(1, 1e9),
        noise_var=noise,
    )
    wanted = np.arange(positions[0] - 10, positions[-1] + 10, dtype=np.float64)
    theirs, their_variance = model.predict_noiseless((wanted - positions[0])[:, None])
    levels = RandomWalkSolver(np.diff(positions), y).posterior(np.full((1, 30), noise), np.array([step]))
    means, *variances = predict_levels(positions, (levels[0][0], levels[1][0], levels[2][0]), step, wanted)
    span = y.max() - y.min()
    np.testing.assert_allclose(means, theirs[:, 0] + y.mean(), atol=1e-6 * span)
    np.testing.assert_allclose(sum(variances), their_variance[:, 0], rtol=1e-5)


@quiet_paramz
@pytest.mark.parametrize("kernel", DENSE)
def test_dense_posteriors_are_those_of_gpy(kernel: Kernel) -> None:
    GPy = gpy()  # noqa: N806  # its own name
    rng = np.random.default_rng(3)
    positions = np.sort(rng.choice(200, 25, replace=False))
    y = 3 + np.cumsum(rng.normal(0, 0.1, 200))[positions]
    standard = Standard(positions, y, 1e-3)
    parameters = Hyperparameters(1.2, 0.0, 0.15, 0.7)
    noise = np.full(25, 0.0004 + GPY_JITTER * standard.sd**2)
    points = standard.places(positions), standard.values(y), noise / standard.sd**2
    dense = DensePosterior((kernel,), parameters, points)
    ours = KernelPosterior((kernel,), parameters, (positions, y, noise), standard)
    prior = {
        Kernel.BROWNIAN_GPY: lambda: GPy.kern.Brownian(1, 1.2) + GPy.kern.Bias(1, START_VARIANCE),
        Kernel.RBF: lambda: GPy.kern.RBF(1, 1.2, 0.15),
        Kernel.MATERN32: lambda: GPy.kern.Matern32(1, 1.2, 0.15),
        Kernel.MATERN52: lambda: GPy.kern.Matern52(1, 1.2, 0.15),
        Kernel.RATIONAL_QUADRATIC: lambda: GPy.kern.RatQuad(1, 1.2, 0.15, 0.7),
        Kernel.EXPONENTIAL: lambda: GPy.kern.Exponential(1, 1.2, 0.15),
        Kernel.LINEAR: lambda: GPy.kern.Linear(1, 1.2) + GPy.kern.Bias(1, START_VARIANCE),
    }[kernel]()
    model = GPy.models.GPRegression(
        standard.places(positions)[:, None],
        standard.values(y)[:, None],
        prior,
        noise_var=0.0004 / standard.sd**2,
    )
    wanted = np.arange(-20.0, 220.0)
    theirs, their_variance = model.predict_noiseless(standard.places(wanted)[:, None])
    for found, expected in zip(dense.at(standard.places(wanted)), (theirs, their_variance), strict=True):
        np.testing.assert_allclose(found, expected[:, 0], atol=1e-5)
    assert dense.log_evidence == pytest.approx(float(model.log_likelihood()), abs=1e-6)
    means, variances, _ = ours.at(wanted)
    span = float(y.max() - y.min())
    np.testing.assert_allclose(means, standard.mean + standard.sd * theirs[:, 0], atol=1e-6 * span)
    np.testing.assert_allclose(variances, standard.sd**2 * their_variance[:, 0], atol=1e-6 * span)
    scaled = float(model.log_likelihood()) - len(y) * np.log(standard.sd)
    assert ours.log_evidence == pytest.approx(scaled, abs=1e-6)


# A straight line knows no step.
@pytest.mark.parametrize("kernel", [kernel for kernel in DENSE if kernel is not Kernel.LINEAR])
@pytest.mark.parametrize("repetitions", [1, 5])
def test_every_kernel_finds_the_levels_beside_a_step(kernel: Kernel, repetitions: int) -> None:
    rng = np.random.default_rng(4)
    history = make_history(100, rng, base=3.0, steps=[LevelStep(50, 0.5)])
    points = history.measure(range(0, 100, 4), rng, repetitions=repetitions, noise=0.005)
    fitted = fit(points, HistorySettings(kernel=kernel))
    band = predict(fitted, range(100))
    away = np.r_[5:40, 60:95]
    assert np.abs(band.median / history.levels - 1)[away].max() < 0.05
    noise = noise_of(points, ValueScale.LOG, 1.0, fitted.settings)
    if noise.fixed is None:
        assert noise.low <= fitted.noise_variances[0] <= noise.high * (1 + 1e-9)
    else:
        np.testing.assert_array_equal(fitted.noise_variances, noise.fixed)


def test_the_two_brownian_kernels_agree_on_the_history() -> None:
    rng = np.random.default_rng(5)
    history = make_history(200, rng, walk=0.02)
    points = history.measure(range(0, 200, 9), rng)
    exact, dense = (
        predict(fit(points, HistorySettings(kernel=kernel)), range(200))
        for kernel in (Kernel.BROWNIAN, Kernel.BROWNIAN_GPY)
    )
    np.testing.assert_allclose(dense.median, exact.median, rtol=2e-3)


def test_the_first_revision_is_not_pinned() -> None:
    """GPy's Brownian kernel alone gives the first revision zero variance."""
    points = Measurements.of(range(0, 50, 5), np.linspace(1, 3, 10))
    fitted = fit(points, HistorySettings(kernel=Kernel.BROWNIAN_GPY))
    assert predict(fitted, [0]).sd[0] > 0.001


def test_dense_kernels_need_three_points_and_say_so() -> None:
    with pytest.raises(HistoryError, match="at least 3 measured positions, got 2"):
        fit(Measurements.of([0, 1], [1.0, 2.0]), HistorySettings(kernel=Kernel.RBF))


def test_a_constant_series_fits_with_a_dense_kernel() -> None:
    points = Measurements.of(range(0, 30, 3), np.full(10, 2.0))
    band = predict(fit(points, HistorySettings(kernel=Kernel.MATERN52)), range(30))
    np.testing.assert_allclose(band.median, 2.0, rtol=1e-6)


def test_gpy_is_imported_only_when_one_of_its_kernels_is_fitted() -> None:
    code = (
        "import sys; from analytics.histories.history import fit; "
        "from analytics.histories.measurements import Measurements; "
        "fit(Measurements.of([0, 1], [1.0, 2.0])); sys.exit('GPy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("kernel", [Kernel.MATERN32, Kernel.MATERN52])
@pytest.mark.parametrize("length_scale", [0.01, 0.2, 3.0])
def test_the_state_space_form_of_matern_is_the_dense_posterior(kernel: Kernel, length_scale: float) -> None:
    """Also before the first place, after the last, and at measured places."""
    rng = np.random.default_rng(6)
    positions = np.sort(rng.choice(2000, 120, replace=False))
    y = np.cumsum(rng.normal(0, 1, 2000))[positions]
    variances = rng.uniform(0.01, 0.5, 120)
    standard = Standard(positions, y, 1e-9)
    parameters = Hyperparameters(1.3, 0.0, length_scale)
    places, z, noise = standard.places(positions), standard.values(y), variances / standard.sd**2
    dense = DensePosterior((kernel,), parameters, (places, z, noise))
    ours = MaternPosterior((kernel,), parameters, (places, z, noise))
    wanted = standard.places(np.arange(-300.0, 2300.0, 7.0))
    for found, expected in zip(ours.at(wanted), dense.at(wanted), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-9)
    assert ours.log_evidence == pytest.approx(dense.log_evidence, abs=1e-6)
    scales = np.array([length_scale, 0.7])
    both = log_evidence(kernel, np.array([1.3, 0.4]), scales, (places, z, np.stack([noise] * 2)))
    assert both[0] == pytest.approx(ours.log_evidence, abs=1e-6)


@quiet_paramz
@pytest.mark.parametrize("kernel", [Kernel.MATERN32, Kernel.MATERN52])
def test_matern_parameters_are_at_least_as_likely_as_those_of_gpy(kernel: Kernel) -> None:
    rng = np.random.default_rng(7)
    history = make_history(300, rng, walk=0.02)
    points = history.measure(range(0, 300, 8), rng)
    fitted = fit(points, HistorySettings(kernel=kernel))
    gpy()
    fit_with_gpy = importlib.import_module("analytics.histories.gpy_fit").fit_with_gpy
    y = fitted.scale.forward(points.values)
    noise = noise_of(points, fitted.scale, fitted.unit, fitted.settings)
    standard = Standard(points.positions, y, noise.floor**0.5)
    theirs = fit_with_gpy(
        (kernel,), standard.places(points.positions), standard.values(y), noise, standard.sd
    )
    measured = (points.positions, y, fitted.noise_variances)
    assert fitted.log_evidence >= KernelPosterior((kernel,), theirs, measured, standard).log_evidence - 0.05
