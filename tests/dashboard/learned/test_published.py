"""What a source published beside what is learned here: on one page, and over all releases."""

import numpy as np
import pytest

from analytics.influence.design import design_matrix
from dashboard.access import NotFound, Principal, access_to
from dashboard.models import Measurement, Metric, System
from dashboard.pages.influences.published import explanations, published_card
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.published_coefficients import NOT_TOLD, published_model
from dashboard.services.performance_models.learned import learn
from tests.dashboard.releases import TRUE, create_releases, publish, valid_configurations, values_of
from tests.people import Person

TERMS = [
    ("root", {}),
    ("cache", {"cache": "on"}),
    ("method_fast", {"method": "fast"}),
    ("method_small", {"method": "small"}),
    ("level_4", {"level": "4"}),
    ("cache * method_fast", {"cache": "on", "method": "fast"}),
]


@pytest.fixture
def releases(db: None) -> System:
    """Three releases with the coefficients that least squares gives by another implementation."""
    rows = valid_configurations()
    system = create_releases()
    publish(system, TERMS, np.linalg.lstsq(design_matrix(TRUE, rows), values_of(rows), rcond=None)[0])
    return system


def test_published_coefficients_of_every_release_are_ours(releases: System, operator: Principal) -> None:
    learn(access=access_to(operator, releases.slug), terms="published")
    for revision in ("1.0", "1.1", "2.0"):
        found = published_model(
            system=access_to(operator, releases.slug).system, selection=Selection(revision=revision)
        )
        assert found is not None
        assert found.count("agrees") == len(TERMS)
        assert explanations(found) == []


def test_the_page_holds_the_selected_release_beside_what_was_published(
    releases: System, operator: Principal
) -> None:
    learn(access=access_to(operator, releases.slug), terms="own")
    found = published_model(
        system=access_to(operator, releases.slug).system, selection=Selection(revision="1.1")
    )
    assert found is not None
    assert found.revision == "1.1"
    assert [row.term for row in found.rows] == [name for name, _ in TERMS]
    assert found.count("agrees") == len(TERMS)
    assert all(row.ours is not None and row.ours.margin is not None for row in found.rows)
    assert explanations(found) == []
    assert "Our coefficients agree with all 6 published ones" in str(published_card(found))


def test_a_published_term_may_select_several_levels(db: None, operator: Principal) -> None:
    """`method` of the source is any method but the plain one."""
    rows = valid_configurations()
    system = create_releases()
    cache, method = rows[:, 0], rows[:, 2] > 0
    design = np.column_stack([np.ones(len(rows)), cache, method, cache * method])
    terms: list[tuple[str, dict[str, object]]] = [
        ("root", {}),
        ("cache", {"cache": "on"}),
        ("method", {"method": ["fast", "small"]}),
        ("cache * method", {"cache": "on", "method": ["fast", "small"]}),
    ]
    publish(system, terms, np.linalg.lstsq(design, values_of(rows), rcond=None)[0])
    (curve,) = learn(access=access_to(operator, system.slug), terms="published")
    assert curve.terms == 4
    found = published_model(system=access_to(operator, system.slug).system, selection=Selection())
    assert found is not None
    assert found.count("agrees") == 4


def test_terms_that_the_options_do_not_tell_are_said(releases: System, operator: Principal) -> None:
    publish(releases, [("ghost", None)], np.full((1, 3), 7.0))
    learn(access=access_to(operator, releases.slug))
    found = published_model(system=access_to(operator, releases.slug).system, selection=Selection())
    assert found is not None
    assert found.count(NOT_TOLD) == 1
    assert "cannot be told by the options" in " ".join(explanations(found))


def test_measurements_that_moved_are_told_from_the_published_values(
    releases: System, operator: Principal
) -> None:
    row = Measurement.objects.filter(run__revision__name="2.0").earliest("pk")
    row.value += 50
    row.save()
    learn(access=access_to(operator, releases.slug))
    found = published_model(
        system=access_to(operator, releases.slug).system, selection=Selection(revision="2.0")
    )
    assert found is not None
    assert found.count("differs") > 0
    assert "learned from other values" in " ".join(explanations(found))


def test_nothing_stands_where_nothing_was_published(db: None, operator: Principal) -> None:
    system = create_releases()
    learn(access=access_to(operator, system.slug))
    assert published_model(system=access_to(operator, system.slug).system, selection=Selection()) is None


def test_other_metrics_have_nothing_published(releases: System, operator: Principal) -> None:
    create_releases(metric=Metric.objects.create(quantity="size", unit="B"))
    learn(access=access_to(operator, releases.slug))
    found = published_model(
        system=access_to(operator, releases.slug).system, selection=Selection(metric="size")
    )
    assert found is None


def test_strangers_see_nothing(releases: System, charlie: Person) -> None:
    with pytest.raises(NotFound):
        published_model(system=access_to(charlie.principal, releases.slug).system, selection=Selection())
