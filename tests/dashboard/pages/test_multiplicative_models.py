"""A system whose options multiply: what pages, commands and reports say of its model."""

import json
from collections.abc import Callable
from io import StringIO
from itertools import product

import pytest
from django.core.management import call_command

from dashboard.access import Access, Principal, access_to
from dashboard.models import PerformanceModel
from dashboard.pages.lens import Lens
from dashboard.pages.overview.page import layout as overview
from dashboard.pages.what_if.page import show_best, show_what_if
from dashboard.selectors.influences import influences
from dashboard.selectors.model_rows import Selection
from dashboard.services.performance_models.learned import learn
from dashboard.services.reports.views import freeze_view
from tests.dashboard.influences_page import show_term, show_terms
from tests.dashboard.pages.test_factors_in_workloads import text

pytestmark = pytest.mark.django_db
FACTORS = (0.1, 3.0, 2.0, 1.5, 1.0, 1.0)


@pytest.fixture
def multiplied(study: Callable[..., Principal]) -> Access:
    """10 s by default; each of four switches multiplies it."""
    lines = ["a;b;c;d;e;f;time"]
    for place, chosen in enumerate(product((0, 1), repeat=len(FACTORS))):
        value = 10.0 * (1 + 0.002 * (place % 5))
        for factor, on in zip(FACTORS, chosen, strict=True):
            value *= factor if on else 1.0
        lines.append(";".join(map(str, [*chosen, value])))
    access = access_to(study("\n".join(lines) + "\n", name="Small", metric="time"), "small")
    learn(access=access)
    return access


def test_the_choice_is_kept_with_the_terms(multiplied: Access) -> None:
    model = PerformanceModel.objects.get(system=multiplied.system, kind="learned")
    assert model.settings["is_multiplicative"] is True
    assert len(model.settings["levels"]) == 5


def test_terms_have_factors_and_what_they_add_to_the_base(multiplied: Access) -> None:
    found = influences(system=multiplied.system, selection=Selection())
    factors = {term.key: term.factor for term in found.terms}
    assert found.model.is_multiplicative
    assert factors == pytest.approx({"a": 0.1, "b": 3.0, "c": 2.0, "d": 1.5}, rel=0.01)
    added = {term.key: term.influence.value for term in found.terms}
    assert added == pytest.approx({"a": -9.0, "b": 20.0, "c": 10.0, "d": 5.0}, rel=0.02)


def test_parts_between_two_configurations_add_up(multiplied: Access) -> None:
    found = influences(system=multiplied.system, selection=Selection(compared="a*b*c"))
    assert found.target_time is not None
    assert found.target_time.value == pytest.approx(6.0, rel=0.02)
    parts = sum(term.influence.value for term in found.terms)
    assert parts == pytest.approx(found.target_time.value - found.base_time.value)


def test_pages_say_that_effects_multiply(multiplied: Access) -> None:
    said = text(overview(multiplied, "", Lens()))
    assert "effects multiply" in said
    assert "formula-rest" not in said
    subtitle, table = show_terms({}, None)[3], show_terms({}, None)[9]
    assert "effects multiply" in subtitle
    assert "factor" in text(table)
    assert "× 3.0" in text(show_term({"term": "b"}))


def test_an_interval_that_reaches_further_up_is_told_by_its_ends(multiplied: Access) -> None:
    page = show_what_if(multiplied, Lens.read({"compared": "a*b"}), None)
    assert "Small takes 3.01 s (2.99 to 3.03 s) with a on, b on" in page[2].replace("\N{NO-BREAK SPACE}", " ")
    assert "2.99 to 3.03 s" in text(page)
    assert " to 1.01 s), 1.00 s measured" in text(show_best(multiplied, Lens()))


def test_commands_tell_both_ends(multiplied: Access) -> None:
    out = StringIO()
    call_command("predict", "small", "a=on,b=on", "--json", stdout=out)
    told = json.loads(out.getvalue())
    one = told["predictions"][0]
    assert told["is_multiplicative"] is True
    assert one["margin"] is None
    assert one["low"] < one["predicted"] < one["high"]
    assert one["high"] / one["predicted"] == pytest.approx(one["predicted"] / one["low"])
    out = StringIO()
    call_command("predict", "small", "a=on,b=on", stdout=out)
    assert "(2.99 to 3.03" in out.getvalue()


def test_a_report_keeps_a_model_that_multiplies(multiplied: Access) -> None:
    frozen = freeze_view(access=multiplied, view="what-if", lens={"compared": "a*b"})
    assert any(one.what_if is not None and one.what_if.model.is_multiplicative for one in frozen.sections)
