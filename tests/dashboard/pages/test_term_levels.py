"""What is said beside the small histories of terms."""

from collections.abc import Callable

import pytest

from dashboard.access import Access, Permission, Principal
from dashboard.models import System
from dashboard.pages.histories import terms
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.rows import BandRow, History, MeasuredPoint, OrderedRevisions, SeriesRow

SERIES = SeriesRow("term", "a", 1, 1, 1, 1, "a", "regular", "here", "time", "s", "cpu", "lower", 2, 1)
POINTS = (MeasuredPoint(0, "1.0", 5, 0.050, None), MeasuredPoint(1, "1.1", 5, -0.017, None))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Callable[[tuple[BandRow, ...]], str]:
    """What the page shows of a term with this band."""

    def shown(band: tuple[BandRow, ...]) -> str:
        history = History(
            SERIES, OrderedRevisions("all", ()), POINTS, band, (), (), enough_data=True, gap=None
        )
        monkeypatch.setattr(terms, "term_histories", lambda **_: (history,))
        monkeypatch.setattr(terms, "chosen_series", lambda *_: SERIES)
        access = Access(Principal.operator(), System(slug="small"), Permission.VIEW)
        return str(terms.show_terms(access, None, None, Lens()))

    return shown


def test_a_steady_term_is_told_by_its_estimate_and_not_by_its_last_scattering_point(
    said: Callable[[tuple[BandRow, ...]], str],
) -> None:
    band = tuple(BandRow(place, 0.006, 0.004, 0.008, 0.0, 0.012) for place in range(2))
    assert "steady at 6 ± 6" in said(band).replace("\\xa0", " ")


def test_without_an_estimate_the_last_point_is_told(said: Callable[[tuple[BandRow, ...]], str]) -> None:
    assert "17." in said(())
