"""Which revision is looked at stands in the sentence of a page where one was chosen."""

from collections.abc import Iterator

import pytest

from dashboard.access import Access, access_to, acting, current_principal
from dashboard.models import PerformanceModel, Revision
from dashboard.pages.lens import Lens
from dashboard.pages.options.page import show_option
from dashboard.pages.regions.page import show_regions
from dashboard.pages.regions.region import show_region
from dashboard.pages.what_if.page import show_what_if
from dashboard.services.reports.views import freeze_view
from tests.dashboard.influences_page import show_terms
from tests.people import Person

_COMMIT = "0123456789abcdef" * 2 + "01234567"


@pytest.fixture
def access(measured: PerformanceModel, vera: Person) -> Iterator[Access]:
    """A viewer of the small system, whose revision is called by its commit."""
    Revision.objects.update(name=_COMMIT)
    token = current_principal.set(vera.principal)
    yield access_to(acting(), "small")
    current_principal.reset(token)


def _sentences(access: Access, **lens: str) -> list[str]:
    """Those of Influences, What-if, Regions, one region and one option, without the spaces that do not break."""
    chosen = Lens.read(lens)
    found = (
        show_terms(lens)[2],
        show_what_if(access, chosen, None)[2],
        show_regions(access, chosen, None)[2],
        show_region(access, chosen, None, "pkg.hot")[2],
        show_option(access, chosen, None, "A")[2],
    )
    return [sentence.replace("\N{NO-BREAK SPACE}", " ") for sentence in found]


def test_a_chosen_revision_is_told_by_the_beginning_of_its_hash(access: Access) -> None:
    terms, what_if, regions, region, option = _sentences(access, revision=_COMMIT, base="A", compared="A*B")
    assert terms.startswith("Small at 0123456789 takes 50.2")
    assert what_if.startswith("Small at 0123456789 takes 80.3")
    assert regions.endswith("measured region of Small at 0123456789")
    assert "20 % of Small at 0123456789; B costs" in region
    assert " with A on at 0123456789" in option
    assert "hot takes no time by default at 0123456789;" in _sentences(access, revision=_COMMIT)[3]


def test_unasked_no_revision_is_told(access: Access) -> None:
    assert not any("0123456789" in sentence for sentence in _sentences(access, compared="A*B"))


def test_a_report_names_its_revision_in_its_title_once(access: Access) -> None:
    """In a list, and sent by link, its title stands alone."""
    title = freeze_view(access=access, view="influences", lens={}).title
    assert title.startswith("0123456789: ")
    title = freeze_view(access=access, view="options", lens={"option": "A", "revision": _COMMIT}).title
    assert title.count("0123456789") == 1
