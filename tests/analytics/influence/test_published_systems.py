"""Apache Lucene and Density Converter: the published numbers of Velez et al., ICSE 2021, come out again."""

from pathlib import Path

import numpy as np
import pytest

from analytics.influence.accuracy import ModelAccuracy, accuracy
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.subspaces import subspace_times
from tests.analytics.comprex import PublishedSystem, read_system
from tests.analytics.influence.written_terms import written


@pytest.fixture(scope="module", params=["lucene", "density"])
def system(reference_data: Path, request: pytest.FixtureRequest) -> PublishedSystem:
    """One of the two systems."""
    return read_system(reference_data / "comprex" / request.param)


@pytest.fixture(scope="module")
def model(system: PublishedSystem) -> InfluenceModel:
    """Its influence model relative to the reference configuration."""
    return fit(system.times)


@pytest.fixture(scope="module")
def figures(system: PublishedSystem, model: InfluenceModel) -> ModelAccuracy:
    """Its accuracy."""
    return accuracy(model, system.configurations, system.truth, system.corrections)


def test_the_errors_are_the_published_ones(system: PublishedSystem, figures: ModelAccuracy) -> None:
    """Original and corrected, to the digits that are given."""
    drawn = [error for name, error in figures.mape_per_correction.items() if name.startswith("random")]
    assert figures.quality.error == pytest.approx(system.expected["mape_O"], abs=0.005)
    assert drawn == pytest.approx(system.expected["mape_C_per_published_fit"], abs=0.006)
    assert figures.mape_corrected_mean == pytest.approx(system.expected["mape_C_mean"], abs=0.005)
    assert figures.mape_corrected_sd == pytest.approx(system.expected["mape_C_sd"], abs=0.005)


def test_the_counts_are_the_published_ones(system: PublishedSystem, figures: ModelAccuracy) -> None:
    """Terms at four thresholds in both ways, configurations, regions, subspaces, cover."""
    local = {str(limit): count for limit, count in figures.terms_local_threshold.items()}
    summed = {str(limit): count for limit, count in figures.terms_global_threshold.items()}
    assert local == system.expected["terms_abs_ge_s_local_threshold_then_union"]
    assert summed == system.expected["terms_abs_ge_s_global_sum"]
    assert figures.configurations == system.expected["configs"]
    assert figures.regions == system.expected["regions"]
    assert figures.distinct_subspaces == system.expected["distinct_subspaces"]
    assert figures.uncovered_subspaces == system.expected["uncovered_subspaces"]
    assert figures.cover_size == system.expected["own_greedy_cover"]
    assert (figures.measured, figures.quality.checked) == (2000, 2000)


def test_the_corrected_predictions_are_the_published_ones(
    system: PublishedSystem, model: InfluenceModel
) -> None:
    """All 2,000 to half a millisecond."""
    chosen = next(fit for fit in system.corrections if fit.name == system.correction_of_predictions)
    corrected = chosen.unprofiled(model.predict(system.configurations))
    limit = system.expected["published_predictions_max_abs_diff_s"]
    assert np.abs(corrected - system.predictions).max() <= limit + 5e-7


def test_the_subspace_times_are_the_published_ones(system: PublishedSystem) -> None:
    """Every one that the authors list, to a microsecond."""
    values = {
        (system.times.regions[region], subspace): group.values[row, subspace]
        for group in subspace_times(system.times)
        for row, region in enumerate(group.regions)
        for subspace in range(group.partition.n_subspaces)
    }
    rows = system.subspace_times
    ours = [values[key] for key in zip(rows["region_id"], rows["subspace_index"], strict=True)]
    assert ours == pytest.approx(rows["time_s"].to_numpy(), abs=1.1e-6)


def test_the_local_coefficients_are_the_published_ones(
    system: PublishedSystem, model: InfluenceModel
) -> None:
    """Those of the regions that the authors show, to two microseconds."""
    for region, published in system.local_models.items():
        table = model.local_model(region)
        terms = written(table)
        for text, coefficient in published.items():
            names = [] if text == "1" else text.split(" & ")
            term = " × ".join(sorted(f"{name} [off -> on]" for name in names)) or "intercept"
            assert table.coefficients[terms.index(term)] == pytest.approx(coefficient, abs=2e-6)


def test_every_term_has_an_interval(model: InfluenceModel) -> None:
    """Five repetitions each: intervals around the coefficients, some of which hold zero."""
    terms = model.terms
    assert np.isfinite(terms.margins).all()
    may_be_zero = np.array([one.may_be_zero for one in terms.estimates()])
    assert 0 < may_be_zero.sum() < len(terms)
    large = np.abs(terms.coefficients) >= 3 * terms.margins
    assert not (may_be_zero & large & (terms.coefficients != 0)).any()
