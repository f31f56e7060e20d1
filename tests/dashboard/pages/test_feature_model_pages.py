"""The feature model on screen: its page, the lines of a region, and configurations that it forbids."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from dashboard.access import NotFound, Principal, access_to, acting, current_principal
from dashboard.models import PerformanceModel, Region, RegionVersion, SourceText, System
from dashboard.pages import feature_model
from dashboard.pages.lens import Lens
from dashboard.pages.overview import page as overview
from dashboard.selectors.feature_models.locations import locations_of
from dashboard.selectors.feature_models.valid import valid_configurations, violation
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.regions.measured import region
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers.feature_model_sample import model, option, write
from tests.dashboard.influences_page import shown
from tests.dashboard.pages.conftest import OPTIONAL
from tests.dashboard.pages.test_pages import text
from tests.people import Person


@pytest.fixture
def acting_alice(alice: Person) -> Iterator[Principal]:
    """Alice's request."""
    token = current_principal.set(alice.principal)
    yield alice.principal
    current_principal.reset(token)


def test_a_system_without_a_feature_model_says_how_to_import_one(
    acting_alice: Principal, measured: PerformanceModel
) -> None:
    said = text(feature_model.layout(access_to(acting(), "small"), "", Lens()))
    assert "No feature model yet" in said
    assert "manage.py import feature-model FeatureModel.xml --system small" in said
    assert "Which configurations are valid" not in text(
        overview.layout(access_to(acting(), "small"), "", Lens())
    )


def test_the_page_tells_the_valid_configurations_and_why(acting_alice: Principal, modelled: System) -> None:
    said = text(feature_model.layout(access_to(acting(), "small"), "", Lens()))
    assert "3 configurations of Small are valid, of 4 combinations of levels" in said
    assert "A and B exclude each other" in said
    assert "src/pkg/hot.py:11-12" in said
    assert "not measured" in said


def test_a_model_of_thousands_of_options_is_shown(
    acting_alice: Principal, modelled: System, operator: Principal, tmp_path: Path
) -> None:
    """Nobody reads the digits of so many configurations, and no number with a point holds them."""
    large = write(tmp_path, model(*(option(f"{at}", OPTIONAL) for at in ("A", "B", *range(1500)))))
    import_file(principal=operator, format_name="feature-model", path=large, system_name=modelled.name)
    access = access_to(acting(), "small")
    assert "About 10⁴⁵² configurations of Small are valid, of about 10⁴⁵² combinations" in text(
        feature_model.layout(access, "", Lens())
    )
    assert "about 10⁴⁵² of about 10⁴⁵²" in text(overview.layout(access, "", Lens()))


def test_the_overview_leads_to_the_page(
    acting_alice: Principal, measured: PerformanceModel, modelled: System
) -> None:
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "/app/s/small/feature-model" in said
    assert "3 of 4" in said


def test_an_overview_without_runs_leads_to_the_page_too(acting_alice: Principal, modelled: System) -> None:
    said = text(overview.layout(access_to(acting(), "small"), "", Lens()))
    assert "Nothing measured yet" in said
    assert "3 of 4" in said


def test_strangers_see_nothing_of_it(charlie: Person, modelled: System) -> None:
    with pytest.raises(NotFound):
        valid_configurations(access_to(charlie.principal, "small").system)
    with pytest.raises(NotFound):
        locations_of(access_to(charlie.principal, "small").system)


def test_without_a_model_every_configuration_is_valid(system: System, operator: Principal) -> None:
    assert valid_configurations(access_to(operator, "small").system).count() == 4
    assert violation(access_to(operator, "small").system, {}) is None


def test_with_a_model_only_what_it_allows_is_valid(modelled: System, operator: Principal) -> None:
    valid = valid_configurations(access_to(operator, "small").system)
    assert valid.enumerate(9).tolist() == [[0, 0], [0, 1], [1, 0]]
    assert valid.space.names == ("A", "B")


def test_a_violation_names_conditions_and_the_nearest_valid_configuration(
    modelled: System, operator: Principal
) -> None:
    told = violation(access_to(operator, "small").system, {"A": "on", "B": "on"})
    assert told is not None
    assert told.conditions == ("A and B exclude each other",)
    assert told.changes == (("A", "off"),)
    kept = violation(access_to(operator, "small").system, {"A": "on", "B": "on"}, fixed=frozenset({"A"}))
    assert kept is not None
    assert kept.changes == (("B", "off"),)


def test_a_forbidden_base_is_told_with_a_button_for_a_valid_one(
    acting_alice: Principal, measured: PerformanceModel, modelled: System
) -> None:
    assert shown({"base": "A"})["violations"] == []
    said = text(shown({"base": "all", "compared": "default"})["violations"])
    assert "The base is not valid by the " in said
    assert "A and B exclude each other" in said
    assert "with A at off" in said
    assert "The compared configuration" not in said


def test_lines_of_a_region_name_the_features_they_belong_to(
    operator: Principal, measured: PerformanceModel, modelled: System
) -> None:
    body = "def hot(a):\n    work()\n    more()\n"
    source = SourceText.objects.create(digest=sha256(body.encode()).hexdigest(), text=body)
    hot = Region.objects.get(key="pkg.hot")
    RegionVersion.objects.create(
        region=hot, revision=measured.revision, file="pkg/hot.py", first_line=10, last_line=12, source=source
    )
    detail = region(system=access_to(operator, "small").system, selection=Selection(), key="pkg.hot")
    assert detail.source is not None
    assert [line.features for line in detail.source.lines] == [(), ("A", "B"), ("A", "B")]


def test_a_location_holds_from_its_first_revision_to_before_it_was_removed(
    modelled: System, operator: Principal, measured: PerformanceModel
) -> None:
    assert [one.feature for one in locations_of(access_to(operator, "small").system)] == ["A", "B"]
    name = measured.revision.name
    # The system does not know the revision "later": its end is taken as open.
    assert len(locations_of(access_to(operator, "small").system, name)) == 2
